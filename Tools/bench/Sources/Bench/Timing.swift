import DiskAccess

/// Time that is taken by parts of a work, without what is done between them.
struct Stopwatch {
  private let disk: PosixDisk
  private(set) var seconds = 0.0
  private(set) var syncs = 0

  init(_ disk: PosixDisk) { self.disk = disk }

  /// Adds the time that something takes.
  mutating func time<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
    let (start, before) = (disk.steadyClock(), Syncs.count)
    defer {
      seconds += Double(disk.steadyClock() - start) / 1e9
      syncs += Syncs.count - before
    }
    return try body()
  }
}

/// How many seconds something takes.
func seconds(_ disk: PosixDisk, _ body: () throws -> Void) rethrows -> Double {
  var stopwatch = Stopwatch(disk)
  try stopwatch.time(body)
  return stopwatch.seconds
}

/// How often a second something done `count` times was done.
func perSecond(_ count: Int, _ disk: PosixDisk, _ body: () throws -> Void) rethrows -> Double {
  var stopwatch = Stopwatch(disk)
  try stopwatch.time(body)
  Syncs.add(stopwatch.syncs, of: count)
  return Double(count) / stopwatch.seconds
}

/// How often a second something is done, that many threads do so often each.
///
/// - Parameter work: takes the thread's number, on that thread, and gives what is done so often.
func perSecond(
  threads threadCount: Int, each count: Int, _ disk: PosixDisk,
  _ work: @escaping @Sendable (Int) throws -> () throws -> Void
) throws -> Double {
  let failures = Failures()
  let rate = try perSecond(threadCount * count, disk) {
    let threads = try (0..<threadCount).map { number in
      try BackgroundThread {
        do {
          let body = try work(number)
          for _ in 0..<count { try body() }
        } catch { failures.add(error) }
      }
    }
    for thread in threads { thread.join() }
  }
  try failures.throwFirst()
  return rate
}

enum BenchError: Error {
  case wrongResult(String)
  case peer(String)
  /// A file could not be written.
  case output(String, Int32)
}

/// What went wrong on other threads.
final class Failures: @unchecked Sendable {
  private let lock = Lock()
  private var first: (any Error)?

  func add(_ error: any Error) { lock.withLock { first = first ?? error } }

  func throwFirst() throws {
    if let first = lock.withLock({ first }) { throw first }
  }
}

/// Small numbers that look like chance and are the same in every run.
struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func number() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }

  mutating func number(below bound: Int) -> Int { Int(number() % UInt64(bound)) }

  /// Bytes like those of events: small numbers, repeated keys, short strings that differ.
  mutating func eventBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      bytes += [
        2, 1, UInt8(truncatingIfNeeded: number()), UInt8(truncatingIfNeeded: number() & 3), 5,
      ]
      bytes += Array("title \(number() % 100_000)".utf8)
    }
    return Array(bytes.prefix(count))
  }
}
