internal import DiskAccess

/// A disk to look at, which tells how much has been read.
final class MeteredDisk: OverlaidDisk {
  let disk: any ReadableDisk
  private let progress: ProgressLine

  init(_ disk: any ReadableDisk, _ progress: ProgressLine) {
    self.disk = disk
    self.progress = progress
  }

  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    MeteredFolder(try disk.folderForReading(at: path), progress)
  }

  func input(at path: String, atMost byteCount: Int) throws(DiskError) -> [UInt8] {
    try disk.input(at: path, atMost: byteCount)
  }
}

private final class MeteredFolder: OverlaidFolder {
  let folder: any ReadableFolder
  private let progress: ProgressLine

  init(_ folder: any ReadableFolder, _ progress: ProgressLine) {
    self.folder = folder
    self.progress = progress
  }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    MeteredFile(try folder.fileForReading(name), progress)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    MeteredFolder(try folder.folderForReading(name), progress)
  }
}

private final class MeteredFile: OverlaidFile {
  let file: any ReadableFile
  private let progress: ProgressLine

  init(_ file: any ReadableFile, _ progress: ProgressLine) {
    self.file = file
    self.progress = progress
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    let count = try file.read(into: buffer, at: offset)
    progress.add(count)
    return count
  }
}
