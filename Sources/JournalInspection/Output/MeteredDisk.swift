internal import DiskAccess

/// A disk to look at, which tells how much has been read.
final class MeteredDisk: ReadableDisk {
  private let disk: any ReadableDisk
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

  func wallClock() -> Int64 { disk.wallClock() }

  func steadyClock() -> UInt64 { disk.steadyClock() }

  func processNumber() -> Int32 { disk.processNumber() }
}

private final class MeteredFolder: ReadableFolder {
  private let folder: any ReadableFolder
  private let progress: ProgressLine

  init(_ folder: any ReadableFolder, _ progress: ProgressLine) {
    self.folder = folder
    self.progress = progress
  }

  var name: String { folder.name }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    MeteredFile(try folder.fileForReading(name), progress)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    MeteredFolder(try folder.folderForReading(name), progress)
  }

  func names() throws(DiskError) -> [String] { try folder.names() }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    try folder.information(of: name)
  }

  func fileSystem() throws(DiskError) -> FileSystemKind { try folder.fileSystem() }
}

private final class MeteredFile: ReadableFile {
  private let file: any ReadableFile
  private let progress: ProgressLine

  init(_ file: any ReadableFile, _ progress: ProgressLine) {
    self.file = file
    self.progress = progress
  }

  var name: String { file.name }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    let count = try file.read(into: buffer, at: offset)
    progress.add(count)
    return count
  }

  func information() throws(DiskError) -> FileInformation { try file.information() }

  func advise(_ advice: FileAdvice) throws(DiskError) { try file.advise(advice) }

  func close() throws(DiskError) { try file.close() }
}
