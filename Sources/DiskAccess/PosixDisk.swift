internal import CLinux
internal import Glibc

/// The disk of this machine.
public final class PosixDisk: Disk {
  /// Makes the disk; it holds nothing.
  public init() {}

  /// Opens a folder by its path.
  public func folder(at path: String) throws(DiskError) -> any DiskFolder {
    try PosixFolder(path: path)
  }

  /// Opens a folder by its path for reading.
  public func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    try PosixFolder(path: path)
  }

  /// The time of day, in nanoseconds since 1970.
  public func wallClock() -> Int64 { nanoseconds(of: CLOCK_REALTIME) }

  /// The time of day when the system last counted it on, which costs a sixth of asking for the time that it is.
  public func roughWallClock() -> Int64 { nanoseconds(of: CLOCK_REALTIME_COARSE) }

  /// Nanoseconds since some moment before.
  public func steadyClock() -> UInt64 { UInt64(nanoseconds(of: CLOCK_MONOTONIC)) }

  /// Waits on a lock until it is woken, or until a moment of the steady clock.
  public func wait(on lock: Lock, until nanoseconds: UInt64) -> Bool {
    lock.wait(until: nanoseconds)
  }

  /// The number of this process.
  public func processNumber() -> Int32 { getpid() }

  /// Fills a buffer with random bytes from the system.
  public func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(DiskError) {
    let done = transfer(buffer.count) { offset in
      getrandom(buffer.baseAddress?.advanced(by: offset), buffer.count - offset, 0)
    }
    if let code = done.failure { throw DiskError(.random, "", code) }
  }

  private func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
