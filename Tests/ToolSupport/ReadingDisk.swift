package import DiskAccess

/// A disk to look at, which tells of each read before it is made, and lets somebody have it fail.
package final class ReadingDisk: ReadableDisk {
  /// Told which bytes of which file are about to be read, by its path as it was opened; says how that fails, or nil.
  package typealias Reading =
    @Sendable (_ path: String, _ bytes: Range<UInt64>) -> SystemErrorCode?

  private let disk: any ReadableDisk
  private let onRead: Reading

  package init(_ disk: any ReadableDisk, onRead: @escaping Reading) {
    self.disk = disk
    self.onRead = onRead
  }

  package func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    ReadingFolder(try disk.folderForReading(at: path), path, onRead)
  }

  package func wallClock() -> Int64 { disk.wallClock() }

  package func steadyClock() -> UInt64 { disk.steadyClock() }

  package func processNumber() -> Int32 { disk.processNumber() }
}

private final class ReadingFolder: ReadableFolder {
  private let folder: any ReadableFolder
  private let path: String
  private let onRead: ReadingDisk.Reading

  init(_ folder: any ReadableFolder, _ path: String, _ onRead: @escaping ReadingDisk.Reading) {
    (self.folder, self.path, self.onRead) = (folder, path, onRead)
  }

  var name: String { folder.name }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    ReadingFile(try folder.fileForReading(name), "\(path)/\(name)", onRead)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    ReadingFolder(try folder.folderForReading(name), "\(path)/\(name)", onRead)
  }

  func names() throws(DiskError) -> [String] { try folder.names() }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    try folder.information(of: name)
  }

  func fileSystem() throws(DiskError) -> FileSystemKind { try folder.fileSystem() }
}

private final class ReadingFile: ReadableFile {
  private let file: any ReadableFile
  private let path: String
  private let onRead: ReadingDisk.Reading

  init(_ file: any ReadableFile, _ path: String, _ onRead: @escaping ReadingDisk.Reading) {
    (self.file, self.path, self.onRead) = (file, path, onRead)
  }

  var name: String { file.name }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    // What is behind the end of a file is not read.
    let length = try file.information().byteCount
    let end = max(offset, min(length, offset + UInt64(buffer.count)))
    if let code = onRead(path, offset..<end) { throw DiskError(.read, file.name, code) }
    return try file.read(into: buffer, at: offset)
  }

  func information() throws(DiskError) -> FileInformation { try file.information() }

  func advise(_ advice: FileAdvice) throws(DiskError) { try file.advise(advice) }

  func close() throws(DiskError) { try file.close() }
}
