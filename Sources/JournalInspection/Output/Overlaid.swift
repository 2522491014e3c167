package import DiskAccess

// What stands in the place of a disk, a folder or a file that is only looked at, and differs from it in little: the rest
// is as it is there.

/// A disk whose folders are opened in a way of its own.
package protocol OverlaidDisk: ReadableDisk {
  var disk: any ReadableDisk { get }
}

extension OverlaidDisk {
  package func wallClock() -> Int64 { disk.wallClock() }
  package func steadyClock() -> UInt64 { disk.steadyClock() }
  package func processNumber() -> Int32 { disk.processNumber() }
}

/// A folder whose files and folders are opened in a way of its own.
package protocol OverlaidFolder: ReadableFolder {
  var folder: any ReadableFolder { get }
}

extension OverlaidFolder {
  package var name: String { folder.name }
  package func names() throws(DiskError) -> [String] { try folder.names() }
  package func information(of name: String) throws(DiskError) -> FileInformation? {
    try folder.information(of: name)
  }
  package func fileSystem() throws(DiskError) -> FileSystemKind { try folder.fileSystem() }
}

/// A file that is read in a way of its own.
package protocol OverlaidFile: ReadableFile {
  var file: any ReadableFile { get }
}

extension OverlaidFile {
  package var name: String { file.name }
  package func information() throws(DiskError) -> FileInformation { try file.information() }
  package func advise(_ advice: FileAdvice) throws(DiskError) { try file.advise(advice) }
  package func close() throws(DiskError) { try file.close() }
}
