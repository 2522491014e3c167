internal import DiskAccess

extension SimulatedDisk {
  /// What a loss of power at this moment may leave.
  ///
  /// All states are given where they are at most `limit`. Otherwise as many different ones are drawn by
  /// the seed, among them always: nothing kept; everything kept; and, as far as the limit allows, the
  /// names without the bytes, the bytes without the names, everything but one thing, and nothing but one
  /// thing. Where the states cannot be counted, fewer may be drawn.
  ///
  /// The choices are of this moment and stay so, whatever happens to the disk afterwards.
  ///
  /// - Parameters:
  ///   - limit: how many states at most; at least 2.
  ///   - seed: decides what is drawn, and where sectors tear.
  ///   - tearsPerSector: at how many places each unsynced sector may tear; 0 for a disk that writes
  ///     sectors whole.
  ///
  /// Costs about 20 microseconds where a handful of sectors and names are unsynced, and where states are
  /// drawn about a microsecond for each.
  public func powerLossStates(
    limit: Int, seed: UInt64, tearsPerSector: Int = 1
  ) -> PowerLossStates {
    precondition(limit >= 2, "there is room for at least two states: nothing and everything kept")
    precondition(0...100 ~= tearsPerSector, "a sector tears at 0 to 100 places")
    let (content, world) = lock.withLock {
      simulation.takeInMappings()
      return (simulation.content, simulation.world)
    }
    let powerLoss = PowerLoss(
      content, world, deviceNumber: deviceNumber, seed: seed, tearsPerSector: tearsPerSector)
    return PowerLossStates(powerLoss, limit: limit)
  }

  /// An independent disk as a loss of power would leave it: what the choice keeps, all of it durable.
  ///
  /// The image is of the moment at which the choices were made. Files keep their numbers; the disk has a
  /// device number of its own, the next process number, and no hook, faults or trace. Costs a few
  /// microseconds, and the copying of the files that were unsynced.
  public func image(after choice: PowerLossChoice) -> SimulatedDisk {
    precondition(
      choice.powerLoss.deviceNumber == deviceNumber, "a choice belongs to the disk that offered it")
    return choice.powerLoss.image(choice.outcome, choice.picks)
  }
}
