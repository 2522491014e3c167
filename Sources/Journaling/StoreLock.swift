internal import ByteCoding
internal import DiskAccess

/// The right to write to a store: locks of the kernel on the file LOCK and on the store's folder, and an entry in a
/// list of this process, which tells a second opening here from one in another process.
///
/// The file may be removed by somebody who takes it for stale, and the next would lock another one: the folder stays,
/// and is what the list knows a store by.
/// What the file says is for people and decides nothing.
final class StoreLock: Sendable {
  private let folder: any DiskFolder
  private let file: any DiskFile
  private let identity: Identity

  private struct Identity: Hashable, Sendable {
    let device: UInt64
    let node: UInt64
  }

  init(in folder: any DiskFolder, path: String) throws(JournalError) {
    let information = try onDisk { () throws(DiskError) in try folder.information() }
    let identity = Identity(device: information.device, node: information.node)
    guard Self.openStores.insert(identity) else { throw .alreadyOpen(path: path) }
    let file: any DiskFile
    do throws(JournalError) {
      file = try onDisk { () throws(DiskError) in
        try folder.file(JournalFiles.lock, .existingOrNew)
      }
      guard try onDisk({ () throws(DiskError) in try file.lock() ? folder.lock() : false }) else {
        throw .inUse(path: path, holder: try Self.holder(in: file))
      }
    } catch {
      Self.openStores.remove(identity)
      throw error
    }
    self.folder = folder
    self.file = file
    self.identity = identity
  }

  /// Gives the right back. The kernel does the same when the process ends, however it ends.
  deinit {
    folder.unlock()
    try? file.close()
    Self.openStores.remove(identity)
  }

  /// Says who holds the lock. Where it cannot be written, the lock holds all the same.
  func name(_ processNumber: Int32) {
    var text = ByteWriter()
    text.write(Array("process \(processNumber)\n".utf8))
    try? file.resize(to: 0)
    try? text.withBytes { (bytes) throws(DiskError) in try file.write(bytes, at: 0) }
  }

  private static func holder(in file: any DiskFile) throws(JournalError) -> String {
    let bytes = try onDisk { () throws(DiskError) in try file.bytes(limit: 128) }
    let text = String(decoding: bytes.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
    return text.isEmpty ? "which did not say its number" : text
  }

  private static let openStores = OpenStores()

  private final class OpenStores: @unchecked Sendable {
    private let lock = Lock()
    private var identities: Set<Identity> = []

    func insert(_ identity: Identity) -> Bool {
      lock.withLock { identities.insert(identity).inserted }
    }

    func remove(_ identity: Identity) {
      _ = lock.withLock { identities.remove(identity) }
    }
  }
}
