internal import ByteCoding
internal import DiskAccess

// What the thread does that leads a write. All of it is called with the lock held, gives it back while
// it talks to the disk, and returns with it held.
extension Journal {
  /// Waits until no other thread leads, and leads while a closure uses the disk.
  func lead<Answer>(_ body: () throws(DiskError) -> Answer) throws(JournalError) -> Answer {
    while isLeading { lock.wait() }
    try throwIfEnded()
    return try leadNow(body)
  }

  /// - Parameter writesCommits: whether a failure that does not end the journal is one of queued commits.
  private func leadNow<Answer>(
    writesCommits: Bool = false, _ body: () throws(DiskError) -> Answer
  ) throws(JournalError) -> Answer {
    assert(!isLeading, "one thread leads at a time")
    isLeading = true
    lock.unlock()
    let result: Result<Answer, DiskError>
    do throws(DiskError) {
      result = .success(try body())
    } catch {
      result = .failure(error)
    }
    lock.lock()
    isLeading = false
    kept = Kept(appender)
    defer { lock.wakeAll() }
    switch result {
    case .success(let answer): return answer
    case .failure(let error): throw fail(error, withCommits: writesCommits)
    }
  }

  /// Writes the waiting half, or waits for the thread that is about to.
  func writeWaitingBatch() throws(JournalError) {
    if isLeading {
      waitForWriting()
    } else if let batch = waiting {
      try write(batch)
    }
  }

  /// Waits until the thread that leads has written its frame, or has ended.
  func waitForWriting() {
    waitersForWriting += 1
    lock.wait()
    waitersForWriting -= 1
  }

  /// Writes everything gathered so far, and syncs it where asked, or where something has waited too long: between
  /// threads that lead one after another, the upkeep thread may not get its turn.
  func writeEverything(syncing isAsked: Bool) throws(JournalError) {
    assert(!isLeading, "one thread leads at a time")
    try throwIfEnded()
    let start = disk.steadyClock()
    let isOverdue = oldestPendingTime.map { start >= $0 + options.syncDelayNanoseconds } ?? false
    let syncing = isAsked || isOverdue
    do throws(JournalError) {
      if let batch = waiting { try write(batch) }
      // While the batch was written the lock was free: another thread may have turned already.
      if waiting == nil, !hasGatheredNothing { turn() }
      if let batch = waiting {
        try write(batch, syncing: syncing)
      } else if syncing {
        try leadNow { () throws(DiskError) in try appender.sync() }
      }
    } catch {
      // Where the disk is full, what has been written can be made durable all the same.
      if syncing, ending == nil, appender.hasUnsyncedFrames {
        try leadNow { () throws(DiskError) in try appender.sync() }
      }
      throw error
    }
    if syncing, oldestPendingTime != nil {
      let isAllDurable = waiting == nil && hasGatheredNothing && !appender.hasUnsyncedFrames
      oldestPendingTime = isAllDurable ? nil : start
      if isAllDurable { cursor.pointee.close() }
    }
  }

  /// Writes a waiting batch and frees its half.
  private func write(_ batch: BatchInMaking, syncing: Bool = false) throws(JournalError) {
    assert(waiting === batch, "only the waiting half is written")
    try leadNow(writesCommits: true) { () throws(DiskError) in
      let place = try append(batch)
      lock.withLock { noteWritten(batch, place) }
      if syncing { try appender.sync() }
    }
  }

  /// Appends a batch, if there is room for all the pieces of those of its commits that are too large for it.
  private func append(_ batch: BatchInMaking) throws(DiskError) -> FramePlace {
    let large = batch.commits.compactMap { $0.content.large }
    guard !large.isEmpty else { return try appendFrame(of: batch) }
    return try appender.withRoom(
      forPiecesOf: large.map(\.count), andPayloadOf: batch.largestPayloadByteCount,
      sealed: {
        large.reduce(0) { sum, bytes in
          sum + bytes.withUnsafeBytes { appender.sealedByteCount(ofPieces: $0) }
        }
      }
    ) { () throws(DiskError) in
      try appendFrame(of: batch)
    }
  }

  /// Builds the payload of a batch and appends it.
  private func appendFrame(of batch: BatchInMaking) throws(DiskError) -> FramePlace {
    payload.removeAll()
    batch.half.write(to: &payload)
    payload.writeVarint(UInt64(batch.commits.count))
    for commit in batch.commits {
      switch commit.content {
      case .entry(let range):
        payload.write(UnsafeRawBufferPointer(rebasing: batch.entries.unsafeBytes[range]))
      case .large(let bytes):
        var reference = ByteWriter(capacity: Span.largestByteCount)
        var content = ByteWriter(capacity: bytes.count)
        content.write(bytes)
        let span = try content.withBytes { (bytes) throws(DiskError) in
          try appender.appendPieces(bytes)
        }
        span.write(to: &reference)
        payload.writeEntry(reference, isSpan: true)
      }
    }
    return try appender.appendBatch(payload.unsafeBytes, nextEdit: batch.half.nextEdit)
  }

  /// Notes that a batch is in the journal: its half is free, and its commits survive the process.
  private func noteWritten(_ batch: BatchInMaking, _ place: FramePlace) {
    for commit in batch.commits {
      commit.ticket.state = .written(place)
      unsyncedTickets.append(commit.ticket)
    }
    unsyncedPiece = [unsyncedPiece, batch.firstPiece].compactMap(\.self).min()
    batch.removeCommits()
    isOtherWaiting = false
    // Who is told of the frame's place may ask for its segment at once.
    kept = Kept(appender)
    lastFrameTime = disk.steadyClock()
    // Those who wait for the sync would only wake to wait again.
    if waitersForWriting > 0 { lock.wakeAll() }
  }

  /// Notes a failure. Where it was one of writing commits, every queued commit fails with it, since it
  /// may build on them; and where the journal cannot go on, it ends. Edits stay in the buffer.
  private func fail(_ cause: DiskError, withCommits: Bool) -> JournalError {
    let isEnd = cause.isRefusal || !cause.leavesJournalWhole
    let error: JournalError = isEnd ? .stopped(cause: cause) : .disk(cause)
    guard isEnd || withCommits else { return error }
    epoch += 1
    epochCause = cause
    if isEnd {
      end(error)
    } else {
      let behind =
        waiting?.commits.isEmpty == false ? .queuedBehindFailure(cause: cause) : error
      failQueuedCommits { $0 === gathering ? behind : error }
    }
    return error
  }
}
