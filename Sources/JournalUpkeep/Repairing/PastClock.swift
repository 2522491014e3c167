internal import DiskAccess
internal import ObjectModel
internal import Synchronization

/// A disk on which it is what time somebody says, so that what is done again has the time at which it was done first.
final class PastClock: Disk {
  private let disk: any Disk
  private let time = Atomic<Int64>(0)

  init(_ disk: any Disk) { self.disk = disk }

  /// Sets the clock; without a time it is that of the disk again.
  func set(_ time: RecordedTime?) { self.time.store(time?.rawValue ?? 0, ordering: .relaxed) }

  func wallClock() -> Int64 {
    let time = time.load(ordering: .relaxed)
    return time == 0 ? disk.wallClock() : time
  }

  func folder(at path: String) throws(DiskError) -> any DiskFolder { try disk.folder(at: path) }

  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    try disk.folderForReading(at: path)
  }

  func steadyClock() -> UInt64 { disk.steadyClock() }

  func processNumber() -> Int32 { disk.processNumber() }

  func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(DiskError) {
    try disk.fillWithRandomBytes(buffer)
  }

  func wait(on lock: Lock, until nanoseconds: UInt64) -> Bool {
    disk.wait(on: lock, until: nanoseconds)
  }
}
