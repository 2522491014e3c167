import DiskAccess
import DiskSimulation
import Foundation
import Synchronization

/// A disk that tells when a store is about to write an event of a context: it looks at the clock before, which no two
/// events find alike.
final class WatchedDisk: Disk {
  private let disk: SimulatedDisk
  private let thread = ObjectIdentifier(Thread.current)
  private let seconds = Mutex<Int64>(1_700_000_000)
  /// Is called with the time that the event is to have, by the thread that has made the disk.
  nonisolated(unsafe) var onEvent: ((Date) -> Void)?

  init(_ disk: SimulatedDisk) { self.disk = disk }

  func wallClock() -> Int64 {
    // Other threads write no events.
    let isWatched = ObjectIdentifier(Thread.current) == thread
    let time = seconds.withLock { seconds in
      seconds += isWatched ? 1 : 0
      return seconds
    }
    if isWatched { onEvent?(Date(timeIntervalSince1970: Double(time))) }
    return time * 1_000_000_000
  }

  func steadyClock() -> UInt64 { disk.steadyClock() }
  func processNumber() -> Int32 { disk.processNumber() }
  func wait(on lock: Lock, until nanoseconds: UInt64) -> Bool {
    disk.wait(on: lock, until: nanoseconds)
  }
  func folder(at path: String) throws(DiskError) -> any DiskFolder { try disk.folder(at: path) }
  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    try disk.folderForReading(at: path)
  }
  func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(DiskError) {
    try disk.fillWithRandomBytes(buffer)
  }
}
