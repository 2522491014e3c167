package import DiskAccess
internal import JournalInspection

/// A folder as it would be if some files were there, or had other bytes than they have. Nothing is written for that.
package final class SuppliedFolder: ReadableFolder {
  /// What is supplied in the place of a file.
  enum Supply {
    case bytes([UInt8])
    /// A file that is open, and stays so until nobody holds it any more: it can be read for as long as it takes, though
    /// another has been put in its place since.
    case held(any ReadableFile)
    /// A file by another name, or one that does not begin as it should.
    case file(String, of: any ReadableFolder, beginning: [UInt8] = [])

    func open(_ name: String) throws(DiskError) -> any ReadableFile {
      switch self {
      case .bytes(let bytes): SuppliedFile(name, bytes)
      case .held(let file): HeldFile(file)
      case .file(let found, let folder, let beginning):
        OverwrittenFile(try folder.fileForReading(found), beginning)
      }
    }
  }

  /// What is supplied, by paths from here.
  private let files: [String: Supply]
  /// Nil where there is none, but for what is supplied.
  private let folder: (any ReadableFolder)?
  package let name: String

  private init(_ folder: (any ReadableFolder)?, named name: String, supplying: [String: Supply]) {
    (self.folder, self.name, files) = (folder, name, supplying)
  }

  convenience init(_ folder: any ReadableFolder, supplying files: [String: Supply]) {
    self.init(folder, named: folder.name, supplying: files)
  }

  package convenience init(_ folder: any ReadableFolder, _ files: [String: [UInt8]]) {
    self.init(folder, supplying: files.mapValues { .bytes($0) })
  }

  package func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    if let file = files[name] { return try file.open(name) }
    guard let folder else { throw DiskError(.openFile, name, .notFound) }
    return try folder.fileForReading(name)
  }

  package func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    let inner = files(in: name)
    if inner.isEmpty, let folder { return try folder.folderForReading(name) }
    do throws(DiskError) {
      guard let folder else { throw DiskError(.openFolder, name, .notFound) }
      return SuppliedFolder(try folder.folderForReading(name), named: name, supplying: inner)
    } catch {
      guard error.code == .notFound, !inner.isEmpty else { throw error }
      return SuppliedFolder(nil, named: name, supplying: inner)
    }
  }

  private func files(in name: String) -> [String: Supply] {
    var inner: [String: Supply] = [:]
    for (path, file) in files where path.hasPrefix("\(name)/") {
      inner[String(path.dropFirst(name.count + 1))] = file
    }
    return inner
  }

  package func names() throws(DiskError) -> [String] {
    let supplied = files.keys.compactMap { $0.split(separator: "/").first.map(String.init) }
    return Set(try folder?.names() ?? []).union(supplied).sorted()
  }

  package func information(of name: String) throws(DiskError) -> FileInformation? {
    if let file = files[name] { return try file.open(name).information() }
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

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    guard offset < UInt64(bytes.count) else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func information() throws(DiskError) -> FileInformation {
    let count = UInt64(bytes.count)
    return FileInformation(
      kind: .file, device: 0, node: 0, byteCount: count, allocatedByteCount: count)
  }

  func advise(_ advice: FileAdvice) throws(DiskError) {}

  func close() throws(DiskError) {}
}

/// A file that whoever reads it does not close.
private final class HeldFile: OverlaidFile {
  let file: any ReadableFile

  init(_ file: any ReadableFile) { self.file = file }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    try file.read(into: buffer, at: offset)
  }

  func close() throws(DiskError) {}
}

/// A file with other bytes at its beginning than it has.
private final class OverwrittenFile: OverlaidFile {
  let file: any ReadableFile
  private let beginning: [UInt8]

  init(_ file: any ReadableFile, _ beginning: [UInt8]) {
    (self.file, self.beginning) = (file, beginning)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    let count = try file.read(into: buffer, at: offset)
    if offset < UInt64(beginning.count) {
      buffer.copyBytes(from: beginning[Int(offset)...].prefix(count))
    }
    return count
  }
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
