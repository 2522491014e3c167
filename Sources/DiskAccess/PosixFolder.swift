internal import CLinux
internal import Glibc

/// A folder of this machine, held by its descriptor, so that a renamed parent does no harm.
final class PosixFolder: DiskFolder {
  let name: String
  private let descriptor: Descriptor

  init(path: String) throws(DiskError) {
    let path = path.isEmpty ? "." : path
    switch Descriptor.taking({ Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) {
    case .success(let opened): (name, descriptor) = (path, opened)
    case .failure(let failure): throw DiskError(.openFolder, path, failure.code)
    }
  }

  private init(_ name: String, in parent: PosixFolder) throws(DiskError) {
    try parent.refuseUnlessPlain(name, .openFolder)
    switch Descriptor.open(name, in: parent.descriptor.number, O_RDONLY | O_DIRECTORY) {
    case .success(let opened): (self.name, descriptor) = (name, opened)
    case .failure(let failure): throw DiskError(.openFolder, name, failure.code)
    }
  }

  deinit { _ = descriptor.close() }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    try open(name, O_RDONLY)
  }

  func file(_ name: String, _ opening: FileOpening) throws(DiskError) -> any DiskFile {
    switch opening {
    case .existing: try open(name, O_RDWR)
    case .new: try open(name, O_RDWR | O_CREAT | O_EXCL)
    case .existingOrNew: try open(name, O_RDWR | O_CREAT)
    case .emptied: try emptied(open(name, O_RDWR | O_CREAT))
    }
  }

  /// Empties a file. It is not opened emptied, since it may turn out to be one that is not to be touched.
  private func emptied(_ file: PosixFile) throws(DiskError) -> PosixFile {
    do throws(DiskError) {
      if try file.information().byteCount > 0 { try file.resize(to: 0) }
    } catch {
      throw DiskError(.openFile, file.name, error.code)
    }
    return file
  }

  func folder(_ name: String) throws(DiskError) -> any DiskFolder {
    try PosixFolder(name, in: self)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    try PosixFolder(name, in: self)
  }

  func makeFolder(_ name: String) throws(DiskError) {
    try refuseUnlessPlain(name, .makeFolder)
    try check(.makeFolder, name) { mkdirat(descriptor.number, name, 0o700) }
  }

  func rename(_ name: String, to newName: String) throws(DiskError) {
    try refuseUnlessPlain(name, .rename)
    try refuseUnlessPlain(newName, .rename)
    try check(.rename, name) {
      renameat(descriptor.number, name, descriptor.number, newName)
    }
  }

  func remove(_ name: String) throws(DiskError) {
    try refuseUnlessPlain(name, .remove)
    try check(.remove, name) { unlinkat(descriptor.number, name, 0) }
  }

  func removeFolder(_ name: String) throws(DiskError) {
    try refuseUnlessPlain(name, .removeFolder)
    try check(.removeFolder, name) { unlinkat(descriptor.number, name, AT_REMOVEDIR) }
  }

  func sync() throws(DiskError) {
    try check(.syncFolder, name) { fsync(descriptor.number) }
  }

  func lock() throws(DiskError) -> Bool { try takeLock(descriptor.number, name) }

  func unlock() { flock(descriptor.number, LOCK_UN) }

  func names() throws(DiskError) -> [String] {
    // A second description of the folder, because reading a folder moves a position.
    let again: Descriptor
    switch Descriptor.open(".", in: descriptor.number, O_RDONLY | O_DIRECTORY) {
    case .success(let opened): again = opened
    case .failure(let failure): throw DiskError(.listNames, name, failure.code)
    }
    guard let stream = fdopendir(again.number) else {
      let code = SystemErrorCode(rawValue: errno)
      _ = again.close()
      throw DiskError(.listNames, name, code)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw DiskError(.listNames, name, SystemErrorCode(rawValue: errno)) }
    return names.sorted()
  }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    try refuseUnlessPlain(name, .inspect)
    var status = stat()
    let answer = uninterrupted {
      fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW)
    }
    switch answer {
    case .success: return FileInformation(status)
    case .failure(let failure) where failure.code == .notFound: return nil
    case .failure(let failure): throw DiskError(.inspect, name, failure.code)
    }
  }

  func information() throws(DiskError) -> FileInformation {
    switch descriptor.information() {
    case .success(let information): return information
    case .failure(let failure): throw DiskError(.inspect, name, failure.code)
    }
  }

  func fileSystem() throws(DiskError) -> FileSystemKind {
    var status = statfs()
    try check(.inspect, name) { fstatfs(descriptor.number, &status) }
    return FileSystemKind(magicNumber: UInt64(UInt32(truncatingIfNeeded: status.f_type)))
  }

  private func open(_ name: String, _ flags: Int32) throws(DiskError) -> PosixFile {
    try refuseUnlessPlain(name, .openFile)
    switch Descriptor.open(name, in: descriptor.number, flags) {
    case .success(let opened):
      return try PosixFile(name, opened, isWritable: flags & O_ACCMODE != O_RDONLY)
    case .failure(let failure): throw DiskError(.openFile, name, failure.code)
    }
  }

  /// Names are single components: nothing a file says can make the store reach outside its folder.
  private func refuseUnlessPlain(_ name: String, _ call: DiskError.Call) throws(DiskError) {
    guard name.isPlainName else { throw DiskError(call, name, .invalid) }
  }

  private func check(
    _ call: DiskError.Call, _ name: String, _ body: () -> Int32
  ) throws(DiskError) {
    if case .failure(let failure) = uninterrupted(body) {
      throw DiskError(call, name, failure.code)
    }
  }
}
