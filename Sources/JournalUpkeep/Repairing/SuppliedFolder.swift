package import DiskAccess
internal import JournalInspection

/// A folder as it would be if some files were there, or had other bytes than they have. Nothing is written for that.
package final class SuppliedFolder: ReadableFolder {
  /// What is supplied, by paths from here.
  private let files: [String: [UInt8]]
  /// Nil where there is none, but for what is supplied.
  private let folder: (any ReadableFolder)?
  package let name: String

  package init(_ folder: any ReadableFolder, _ files: [String: [UInt8]]) {
    (self.folder, self.files, name) = (folder, files, folder.name)
  }

  private init(_ folder: (any ReadableFolder)?, _ files: [String: [UInt8]], named name: String) {
    (self.folder, self.files, self.name) = (folder, files, name)
  }

  package func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    if let bytes = files[name] { return SuppliedFile(name, bytes) }
    guard let folder else { throw DiskError(.openFile, name, .notFound) }
    return try folder.fileForReading(name)
  }

  package func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    let inner = files(in: name)
    if inner.isEmpty, let folder { return try folder.folderForReading(name) }
    do throws(DiskError) {
      guard let folder else { throw DiskError(.openFolder, name, .notFound) }
      return SuppliedFolder(try folder.folderForReading(name), inner, named: name)
    } catch {
      guard error.code == .notFound, !inner.isEmpty else { throw error }
      return SuppliedFolder(nil, inner, named: name)
    }
  }

  private func files(in name: String) -> [String: [UInt8]] {
    var inner: [String: [UInt8]] = [:]
    for (path, bytes) in files where path.hasPrefix("\(name)/") {
      inner[String(path.dropFirst(name.count + 1))] = bytes
    }
    return inner
  }

  package func names() throws(DiskError) -> [String] {
    let supplied = files.keys.compactMap { $0.split(separator: "/").first.map(String.init) }
    return Set(try folder?.names() ?? []).union(supplied).sorted()
  }

  package func information(of name: String) throws(DiskError) -> FileInformation? {
    if let bytes = files[name] { return SuppliedFile(name, bytes).described }
    if let there = try folder?.information(of: name) { return there }
    guard !files(in: name).isEmpty else { return nil }
    return FileInformation(kind: .folder, device: 0, node: 0, byteCount: 0, allocatedByteCount: 0)
  }

  package func fileSystem() throws(DiskError) -> FileSystemKind {
    try folder?.fileSystem() ?? FileSystemKind(magicNumber: 0)
  }
}

/// A file that is only in memory.
private final class SuppliedFile: ReadableFile {
  let name: String
  private let bytes: [UInt8]

  init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  var described: FileInformation {
    let count = UInt64(bytes.count)
    return FileInformation(
      kind: .file, device: 0, node: 0, byteCount: count, allocatedByteCount: count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    guard offset < UInt64(bytes.count) else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func information() throws(DiskError) -> FileInformation { described }

  func advise(_ advice: FileAdvice) throws(DiskError) {}

  func close() throws(DiskError) {}
}

/// A disk on which there is one folder, by whatever path it is asked for.
final class SuppliedDisk: OverlaidDisk {
  let disk: any ReadableDisk
  private let folder: any ReadableFolder

  init(_ folder: any ReadableFolder, on disk: any ReadableDisk) {
    (self.folder, self.disk) = (folder, disk)
  }

  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder { folder }
}
