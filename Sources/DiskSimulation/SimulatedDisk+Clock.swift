public import DiskAccess

/// The simulated clocks, and waiting for them.
extension SimulatedDisk {
  /// The simulated time of day. It stands still unless it is set, advanced, or given a step.
  public func wallClock() -> Int64 {
    step()
    return lock.withLock { simulation.world.wallClock }
  }

  /// The simulated time of day when it was last counted on, every four milliseconds as on a usual Linux.
  public func roughWallClock() -> Int64 {
    let (time, step) = (wallClock(), Int64(4_000_000))
    let rest = time % step
    return time - (rest < 0 ? rest + step : rest)
  }

  /// The simulated steady clock. It stands still unless it is advanced or given a step.
  public func steadyClock() -> UInt64 {
    step()
    return lock.withLock { simulation.world.steadyClock }
  }

  /// By how many nanoseconds both clocks advance with every call and with every look at them; 0 at first.
  public var clockStep: UInt64 {
    get { lock.withLock { simulation.world.clockStep } }
    set { lock.withLock { simulation.world.clockStep = newValue } }
  }

  /// Lets time pass on both clocks, and wakes who waits for them. Nobody calls it who holds a lock that is waited on.
  public func advanceClock(by nanoseconds: UInt64) {
    lock.withLock { simulation.world.advanceClock(by: nanoseconds) }
    // Not under the disk's lock, which those take that wait while they hold their own.
    for waiter in lock.withLock({ clockWaiters }) { waiter.withLock { waiter.wakeAll() } }
  }

  /// Sets the time of day, in nanoseconds since 1970, as somebody who sets the machine's clock does: the
  /// steady clock goes on.
  public func setWallClock(_ nanoseconds: Int64) {
    lock.withLock { simulation.world.wallClock = nanoseconds }
  }

  /// Waits on a lock until it is woken, or until a moment of the simulated steady clock.
  public func wait(on lock: Lock, until nanoseconds: UInt64) -> Bool {
    let mustWait = self.lock.withLock {
      guard simulation.world.steadyClock < nanoseconds else { return false }
      clockWaiters.append(lock)
      return true
    }
    guard mustWait else { return true }
    lock.wait()
    return self.lock.withLock {
      if let index = clockWaiters.firstIndex(where: { $0 === lock }) {
        clockWaiters.remove(at: index)
      }
      return simulation.world.steadyClock >= nanoseconds
    }
  }

  func step() {
    let step = clockStep
    if step > 0 { advanceClock(by: step) }
  }
}
