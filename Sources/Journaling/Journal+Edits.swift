internal import ByteCoding
internal import DiskAccess

extension Journal {
  /// Stores an edit; when this returns, it survives the end of the process.
  ///
  /// - Parameters:
  ///   - byteCount: How long the edit is; at least one byte.
  ///   - fill: Writes exactly so many bytes. It must not use the journal.
  /// - Returns: the edit's number in the one row of all edits.
  /// - Throws: where both halves of the buffer are full and the disk is too, or the journal has ended.
  @discardableResult
  package func appendEdit(
    byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(JournalError) -> EditNumber {
    precondition(byteCount > 0, "an edit has at least one byte")
    guard byteCount <= options.largestEditByteCount else {
      return try appendLargeEdit(byteCount, fill)
    }
    lock.lock()
    defer { lock.unlock() }
    if !cursor.pointee.hasRoom(for: byteCount) { try makeRoom(for: byteCount) }
    return cursor.pointee.append(byteCount, isSpan: false, fill)
  }

  /// Stores an edit that is at hand as bytes.
  @discardableResult
  package func appendEdit(_ bytes: UnsafeRawBufferPointer) throws(JournalError) -> EditNumber {
    try appendEdit(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// Writes a large edit into frames of its own, and what names them into the buffer.
  private func appendLargeEdit(
    _ byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(JournalError) -> EditNumber {
    try refuseTooLarge(byteCount)
    var bytes = ByteWriter(capacity: byteCount)
    fill(UnsafeMutableRawBufferPointer(start: bytes.reserve(byteCount), count: byteCount))
    bytes.advance(by: byteCount)
    lock.lock()
    defer { lock.unlock() }
    var reference = ByteWriter(capacity: Span.largestByteCount)
    try throwUnlessOpen()
    notePending()
    var next = FrameNumber.none
    defer { strayPieces.remove(next) }
    let span = try bytes.withBytes { (bytes) throws(JournalError) in
      try lead { () throws(DiskError) in
        // Before the first is written: a sync that comes in between makes it durable.
        next = appender.lastFrame.next
        lock.withLock { _ = strayPieces.insert(next) }
        return try appender.appendPiecesOfEdit(bytes)
      }
    }
    span.write(to: &reference)
    try makeRoom(for: reference.byteCount, spanning: byteCount)
    gathering.spans.add(byteCount)
    gathering.firstPiece = gathering.firstPiece ?? span.firstFrame
    return reference.withBytes { bytes in
      cursor.pointee.append(bytes.count, isSpan: true) { $0.copyMemory(from: bytes) }
    }
  }

  func refuseTooLarge(_ byteCount: Int) throws(JournalError) {
    guard byteCount <= Limits.entryByteCount else {
      throw .tooLarge(byteCount: byteCount, limit: Limits.entryByteCount)
    }
  }

  /// Opens the cursor; where the half is full, turns to the other one, and waits for it where it has
  /// still to be written. Holds the lock, and gives it back in between.
  private func makeRoom(
    for byteCount: Int, spanning spanned: Int? = nil
  ) throws(JournalError) {
    try throwUnlessOpen()
    notePending()
    while !cursor.pointee.hasRoom(for: byteCount) || !hasRoom(spanning: spanned) {
      if waiting == nil {
        turn()
        alarm.ringNow()
      } else {
        try writeWaitingBatch()
      }
      try throwUnlessOpen()
      notePending()
    }
  }

  /// Whether the gathering batch may have another span, of so many bytes. Holds the lock.
  func hasRoom(spanning byteCount: Int?) -> Bool {
    guard let byteCount else { return true }
    return gathering.spans.hasRoom(for: byteCount, within: options.spansByteCount)
  }

  /// Makes the gathering half wait to be written, and gathers in the free one. Holds the lock.
  func turn() {
    precondition(!isOtherWaiting, "there is no free half to turn to")
    assert(other.commits.isEmpty, "a free half has no commits")
    cursor.pointee.settle(&gathering.half)
    other.half = buffer.beginHalf(
      other.half.index, generation: gathering.half.generation + 1,
      firstEdit: gathering.half.nextEdit)
    other.spans = SpanSum()
    other.firstPiece = nil
    swap(&gathering, &other)
    isOtherWaiting = true
    cursor.pointee = EditCursor(gathering.half, salt: buffer.salt)
    if oldestPendingTime != nil, !isClosing { cursor.pointee.open(gathering.half) }
  }

  /// Notes that something is not durable from now on, and lets edits in. Holds the lock.
  func notePending() {
    cursor.pointee.open(gathering.half)
    guard oldestPendingTime == nil else { return }
    let now = disk.steadyClock()
    oldestPendingTime = now
    alarm.ring(at: now + min(options.idleDelayNanoseconds, options.syncDelayNanoseconds))
  }
}
