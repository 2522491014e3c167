internal import DiskAccess

// While a compaction is at work, it calls a closure of the program's. What that asks of the store must not wait for
// the compaction, which waits for it.
extension JournaledStore {
  /// The store whose compaction called what runs now.
  @TaskLocal private static var reporting: ObjectIdentifier?

  /// Whether a compaction of this store, which holds `checkpointing`, has called what runs now.
  var isReporting: Bool { Self.reporting == ObjectIdentifier(self) }

  /// Runs a closure of the program's while `checkpointing` is held.
  func whileReporting(_ body: () -> Bool) -> Bool {
    Self.$reporting.withValue(ObjectIdentifier(self), operation: body)
  }

  func refuseWhileReporting() throws(StoreError) {
    guard isReporting else { return }
    throw StoreError(
      .busy,
      "a compaction is at work and waits for the closure that asks for this; ask when it is done.")
  }

  /// Runs a closure while nobody else writes or removes files of checkpoints.
  func whileCheckpointing<Answer>(
    _ body: () throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    try refuseWhileReporting()
    return try checkpointing.withLock(body)
  }
}
