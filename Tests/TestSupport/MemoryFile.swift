// Files and a folder that are only bytes in memory, for readers that ask no disk.

package import DiskAccess

/// A file of some bytes, which can claim another length than it has.
package final class MemoryFile: ReadableFile {
  package let name: String
  private let bytes: [UInt8]
  private let announcedByteCount: UInt64
  private let failure: DiskError?

  /// - Parameters:
  ///   - announcing: the length the file claims, as one does that is cut while it is read.
  ///   - failure: what every read fails with, where there is something.
  package init(
    _ bytes: [UInt8], name: String = "memory", announcing byteCount: UInt64? = nil,
    failure: DiskError? = nil
  ) {
    self.name = name
    self.bytes = bytes
    self.failure = failure
    announcedByteCount = byteCount ?? UInt64(bytes.count)
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    if let failure { throw failure }
    let start = Int(min(offset, UInt64(bytes.count)))
    let count = min(buffer.count, bytes.count - start)
    bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
    return count
  }

  package func information() throws(DiskError) -> FileInformation {
    FileInformation(
      kind: .file, device: 1, node: 1, byteCount: announcedByteCount,
      allocatedByteCount: announcedByteCount)
  }

  package func advise(_ advice: FileAdvice) throws(DiskError) {}

  package func close() throws(DiskError) {}
}

/// A folder of files and folders in memory.
package final class MemoryFolder: ReadableFolder {
  package let name = "folder"
  private let files: [String: MemoryFile]
  private let folders: [String: MemoryFolder]

  package init(_ files: [String: MemoryFile], folders: [String: MemoryFolder] = [:]) {
    self.files = files
    self.folders = folders
  }

  package convenience init(_ name: String, _ bytes: [UInt8]) {
    self.init([name: MemoryFile(bytes, name: name)])
  }

  package func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    guard let file = files[name] else { throw DiskError(.openFile, name, .notFound) }
    return file
  }

  package func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    guard let folder = folders[name] else { throw DiskError(.openFolder, name, .notFound) }
    return folder
  }

  package func names() throws(DiskError) -> [String] { files.keys.sorted() }

  package func information(of name: String) throws(DiskError) -> FileInformation? {
    guard let file = files[name] else { return nil }
    return try file.information()
  }

  package func fileSystem() throws(DiskError) -> FileSystemKind {
    FileSystemKind(magicNumber: 0xEF53)
  }
}
