import DiskAccess

/// The floor of many threads: an append-only file of plain bytes, in which one thread writes and syncs for
/// all who wait.
final class PlainGroupCommit: @unchecked Sendable {
  private let file: any DiskFile
  private let lock = Lock()
  private var pending: [UInt8] = []
  private var spare: [UInt8] = []
  private var end: UInt64 = 0
  private var queued = 0
  private var durable = 0
  private var isLeading = false

  init(_ file: any DiskFile) { self.file = file }

  func append(_ bytes: [UInt8]) throws {
    lock.lock()
    defer { lock.unlock() }
    pending += bytes
    queued += 1
    let mine = queued
    while durable < mine {
      if isLeading {
        lock.wait()
        continue
      }
      isLeading = true
      swap(&pending, &spare)
      let through = queued
      lock.unlock()
      defer {
        isLeading = false
        lock.wakeAll()
      }
      do {
        defer { lock.lock() }
        try spare.withUnsafeBytes { try file.write($0, at: end) }
        try file.syncData()
      }
      end += UInt64(spare.count)
      spare.removeAll(keepingCapacity: true)
      durable = through
    }
  }
}
