import DiskAccess
import Testing

@Suite("locks and threads")
struct LockTests {
  /// A number behind a lock.
  private final class Counter: @unchecked Sendable {
    let lock = Lock()
    var number = 0
  }

  @Test func `one thread at a time holds a lock`() throws {
    let counter = Counter()
    let threads = try (0..<4).map { _ in
      try BackgroundThread {
        for _ in 0..<10_000 { counter.lock.withLock { counter.number += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(counter.number == 40_000)
  }

  @Test func `every waiting thread is woken`() throws {
    let counter = Counter()
    let threads = try (0..<3).map { _ in
      try BackgroundThread {
        counter.lock.withLock {
          while counter.number == 0 { counter.lock.wait() }
          counter.number += 1
        }
      }
    }
    counter.lock.withLock {
      counter.number = 1
      counter.lock.wakeAll()
    }
    for thread in threads { thread.join() }
    #expect(counter.number == 4)
  }

  @Test func `a timed wait ends at its moment and not before`() {
    let lock = Lock()
    let clock = PosixDisk()
    let moment = clock.steadyClock() + 5_000_000
    lock.withLock {
      while !lock.wait(until: moment) {}
    }
    #expect(clock.steadyClock() >= moment)
  }

  @Test func `a timed wait for the past ends at once`() {
    let lock = Lock()
    #expect(lock.withLock { lock.wait(until: 0) })
  }

  @Test func `a timed wait is woken before its moment`() throws {
    let counter = Counter()
    let moment = PosixDisk().steadyClock() + 600_000_000_000
    let thread = try BackgroundThread {
      counter.lock.withLock {
        while counter.number == 0 {
          if counter.lock.wait(until: moment) { return }
        }
        counter.number = 2
      }
    }
    counter.lock.withLock {
      counter.number = 1
      counter.lock.wakeAll()
    }
    thread.join()
    #expect(counter.number == 2)
  }

  @Test func `an error leaves the lock free`() {
    let lock = Lock()
    #expect(throws: DiskError.self) {
      try lock.withLock { () throws(DiskError) in throw DiskError(.read, "a", .inputOutput) }
    }
    #expect(lock.withLock { true })
  }

  @Test func `a thread can be joined twice, and by several threads`() throws {
    let counter = Counter()
    let thread = try BackgroundThread { counter.lock.withLock { counter.number = 7 } }
    let joiner = try BackgroundThread { thread.join() }
    thread.join()
    thread.join()
    joiner.join()
    #expect(counter.number == 7)
  }

  @Test func `a thread runs to its end when nobody waits for it`() throws {
    let counter = Counter()
    _ = try BackgroundThread {
      counter.lock.withLock {
        counter.number = 1
        counter.lock.wakeAll()
      }
    }
    counter.lock.withLock {
      while counter.number == 0 { counter.lock.wait() }
    }
    #expect(counter.number == 1)
  }
}
