// A disk to look at, which tells before each name that is looked at: what another process does just then.

package import DiskAccess

/// Passes looks on to another disk, and tells of each before.
package final class WatchedDisk: ReadableDisk, @unchecked Sendable {
  private let disk: any ReadableDisk
  /// Told of the name of each file or folder that is about to be looked for, on the thread that looks.
  package var onLook: (String) -> Void = { _ in }

  package init(_ disk: any ReadableDisk) { self.disk = disk }

  package func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    WatchedFolder(try disk.folderForReading(at: path), self)
  }

  package func wallClock() -> Int64 { disk.wallClock() }

  package func steadyClock() -> UInt64 { disk.steadyClock() }

  package func processNumber() -> Int32 { disk.processNumber() }
}

private final class WatchedFolder: ReadableFolder {
  private let folder: any ReadableFolder
  private let disk: WatchedDisk

  init(_ folder: any ReadableFolder, _ disk: WatchedDisk) {
    (self.folder, self.disk) = (folder, disk)
  }

  var name: String { folder.name }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    disk.onLook(name)
    return try folder.fileForReading(name)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    disk.onLook(name)
    return WatchedFolder(try folder.folderForReading(name), disk)
  }

  func names() throws(DiskError) -> [String] { try folder.names() }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    disk.onLook(name)
    return try folder.information(of: name)
  }

  func fileSystem() throws(DiskError) -> FileSystemKind { try folder.fileSystem() }
}
