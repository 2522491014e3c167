internal import ByteCoding
internal import DiskAccess

extension Journal {
  /// Does what is due: seals and syncs what has waited long enough, and says on the disk that all is
  /// durable when nothing has come for a while. The journal's own thread calls it.
  ///
  /// - Returns: when it should be called again, by the steady clock; nil where nothing will be due.
  /// - Throws: what kept it from doing so; the same will meet the next commit.
  @discardableResult
  package func performUpkeep() throws(JournalError) -> UInt64? {
    lock.lock()
    defer { lock.unlock() }
    let now = disk.steadyClock()
    if isLeading {
      // Whoever leads may go on leading; what is overdue does not wait for that to end by itself.
      let due = oldestPendingTime.map { $0 + options.syncDelayNanoseconds } ?? .max
      guard now >= due else { return min(due, now + options.idleDelayNanoseconds) }
      while isLeading { lock.wait() }
    }
    if ending != nil { return nil }
    if let oldest = oldestPendingTime, now >= oldest + options.syncDelayNanoseconds {
      try writeEverything(syncing: true)
    } else if waiting != nil {
      try writeWaitingBatch()
    }
    let idle = lastFrameTime + options.idleDelayNanoseconds
    let wantsMarker =
      !appender.endsIdle && appender.lastFrame > .none && !appender.hasUnsyncedFrames
    if wantsMarker, now >= idle {
      try markIdle()
    }
    var next = wantsMarker && now < idle ? idle : nil
    if let oldest = oldestPendingTime {
      let due = min(oldest + options.syncDelayNanoseconds, now + options.idleDelayNanoseconds)
      next = min(due, next ?? due)
    }
    return next
  }

  /// Replaces what the rooms above have attached to the manifest, durably, and with the same manifest drops
  /// the sealed segments that have only frames before one.
  ///
  /// - Parameter first: nil drops none. The files of dropped segments are removed after that, and where this
  ///   fails, with the next ones dropped.
  package func replaceAttachments(
    _ attachments: [Manifest.Attachment], droppingBefore first: FrameNumber? = nil
  ) throws(JournalError) {
    for attachment in attachments {
      precondition(
        JournalFiles.isAllowed(attachment.fileName),
        "a file's name is of letters, digits, dots, hyphens and underscores")
    }
    let (folder, dropped) = try lock.withLock { () throws(JournalError) in
      try lead { () throws(DiskError) in
        try appender.replaceAttachments(attachments, droppingBefore: first ?? .none)
        return (appender.journalFolder, first == nil ? [] : try appender.droppedSegments())
      }
    }
    // Large files take their time, for which nobody who appends has to wait. Where a loss of power brings one back, it goes
    // with the next.
    try onDisk { () throws(DiskError) in
      for name in dropped { try folder.remove(name) }
    }
  }

  /// Seals the segment and begins the next one, so that all frames so far are in sealed segments.
  package func beginSegment() throws(JournalError) {
    try lock.withLock { () throws(JournalError) in
      try lead { () throws(DiskError) in try appender.beginSegmentUnlessEmpty() }
    }
  }

  /// Makes every edit and commit so far durable.
  package func sync() throws(JournalError) {
    lock.lock()
    defer { lock.unlock() }
    while isLeading { lock.wait() }
    try writeEverything(syncing: true)
  }

  /// Makes everything durable, says so on the disk, and gives the store back. The journal is closed
  /// afterwards also where this throws; what could not be written waits in the edit buffer.
  package func close() throws(JournalError) {
    // Others may go on trying: what they bring from now on is refused, or waiting for them would never end.
    lock.withLock {
      isClosing = true
      cursor.pointee.close()
    }
    alarm.stop()
    upkeepThread?.join()
    lock.lock()
    defer { lock.unlock() }
    while isLeading { lock.wait() }
    if case .closed = ending { return }
    defer {
      end(.closed)
      storeLock = nil
    }
    try throwIfEnded()
    while waiting != nil || !hasGatheredNothing || appender.hasUnsyncedFrames {
      try writeEverything(syncing: true)
    }
    if !appender.endsIdle, appender.lastFrame > .none {
      try markIdle()
    }
  }

  /// Says on the disk that all is durable: in the segment, and in the edit buffer, where it holds whatever becomes
  /// of the segment.
  private func markIdle() throws(JournalError) {
    let buffer = buffer
    try lead { () throws(DiskError) in
      try appender.appendIdleMarker()
      try buffer.sync()
    }
  }

  /// Starts the thread that does what is due. It holds the journal only while it works.
  func startUpkeep() throws(DiskError) {
    let alarm = self.alarm
    // What recovery has accepted is not said to be durable yet.
    alarm.ring(at: lastFrameTime + options.idleDelayNanoseconds)
    upkeepThread = try BackgroundThread { [weak self] in
      while alarm.wait(), let journal = self {
        if let next = journal.upkeepAgain() { alarm.ring(at: next) }
      }
    }
  }

  /// Does what is due. A failure meets the next commit; until then it is tried again, as room may come.
  private func upkeepAgain() -> UInt64? {
    do throws(JournalError) {
      return try performUpkeep()
    } catch {
      return disk.steadyClock() + options.syncDelayNanoseconds
    }
  }
}

/// Wakes the upkeep thread when something is due.
final class Alarm: @unchecked Sendable {
  /// By whose clock it rings.
  private let disk: any Disk
  private let lock = Lock()
  private var time = UInt64.max
  private var isStopped = false

  init(_ disk: any Disk) { self.disk = disk }

  /// Rings at a time, or earlier where that was asked for already.
  func ring(at time: UInt64) {
    lock.withLock {
      guard time < self.time else { return }
      self.time = time
      lock.wakeAll()
    }
  }

  /// Rings as soon as may be.
  func ringNow() {
    lock.withLock {
      time = 0
      lock.wakeAll()
    }
  }

  func stop() {
    lock.withLock {
      isStopped = true
      lock.wakeAll()
    }
  }

  /// Waits until the alarm rings.
  ///
  /// - Returns: false once it is stopped.
  func wait() -> Bool {
    lock.withLock {
      while !isStopped {
        if time == .max {
          lock.wait()
        } else if disk.wait(on: lock, until: time) {
          break
        }
      }
      time = .max
      return !isStopped
    }
  }
}
