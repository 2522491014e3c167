package import ByteCoding
internal import DiskAccess

/// How far a commit has gone when it is called made.
package enum Durability: Hashable, Sendable {
  /// It survives the end of the process.
  case written
  /// It survives the end of power.
  case synced
}

extension Journal {
  /// Which failures a commit queued now would follow; see `enqueueCommit`.
  package var commitEpoch: UInt64 { lock.withLock { epoch } }

  /// The edits that will be in the same frame as a commit, were it queued now.
  package var editsOfNextCommit: Range<EditNumber> { lock.withLock { gatheredEdits } }

  /// Queues a commit behind all that are queued already, and behind every edit made so far.
  ///
  /// - Parameters:
  ///   - epoch: The epoch in which the caller looked at what the commit builds on. Where a commit has
  ///     failed since, this one is refused, because it may build on that.
  ///   - encode: Writes the commit. The edits of the given range will be in the same frame. It must
  ///     not use the journal. Where the frame turns out to have no room for it, it is called again for another.
  /// - Returns: what `wait(for:until:)` takes.
  package func enqueueCommit(
    epoch: UInt64,
    _ encode: (_ editsInSameFrame: Range<EditNumber>, _ writer: inout ByteWriter) -> Void
  ) throws(JournalError) -> CommitTicket {
    lock.lock()
    defer { lock.unlock() }
    var commit = ByteWriter()
    while true {
      while gathering.commitByteCount > options.largestBatchCommitByteCount {
        try throwUnlessOpen()
        if waiting == nil { turn() } else { try writeWaitingBatch() }
      }
      try throwUnlessOpen()
      if epoch != self.epoch, let epochCause { throw .queuedBehindFailure(cause: epochCause) }
      notePending()
      commit.removeAll()
      encode(gatheredEdits, &commit)
      precondition(commit.byteCount > 0, "a commit has at least one byte")
      try refuseTooLarge(commit.byteCount)
      let isLarge = commit.byteCount > options.largestCommitByteCount
      if hasRoom(spanning: isLarge ? Int?.some(commit.byteCount) : nil) { break }
      // It goes into a later batch, among other edits.
      if waiting == nil { turn() } else { try writeWaitingBatch() }
    }
    let ticket = CommitTicket()
    let content = commit.withBytes { gathering.content(of: $0, options) }
    gathering.commits.append(BatchInMaking.QueuedCommit(ticket: ticket, content: content))
    return ticket
  }

  /// Queues a commit that is at hand as bytes, and waits until it is made.
  ///
  /// - Returns: the frame that holds it.
  @discardableResult
  package func commit(
    _ bytes: UnsafeRawBufferPointer, _ durability: Durability = .synced
  ) throws(JournalError) -> FrameNumber {
    let ticket = try enqueueCommit(epoch: commitEpoch) { _, writer in writer.write(bytes) }
    return try wait(for: ticket, until: durability).number
  }

  /// What has become of a commit so far: nil while it is queued and has not failed.
  package func outcome(of ticket: CommitTicket) -> Result<FramePlace, JournalError>? {
    lock.withLock {
      switch ticket.state {
      case .queued: nil
      case .written(let place), .durable(let place): .success(place)
      case .failed(let error): .failure(error)
      }
    }
  }

  /// Waits until a commit is made: leads the writing where nobody else does, or follows.
  ///
  /// - Returns: where the frame lies that holds the commit.
  /// - Throws: where the commit was not made. After `.stopped`, whether it was made is only known when
  ///   the store is opened again.
  @discardableResult
  package func wait(
    for ticket: CommitTicket, until durability: Durability
  ) throws(JournalError) -> FramePlace {
    lock.lock()
    defer { lock.unlock() }
    var failure: JournalError?
    while true {
      switch ticket.state {
      case .durable(let place): return place
      case .written(let place) where durability == .written: return place
      case .failed(let error): throw error
      case .queued, .written: if let failure { throw failure }
      }
      if isLeading {
        if durability == .written { waitForWriting() } else { lock.wait() }
      } else {
        // What fails may be another commit: this one's ticket says what became of it.
        failure = failureToWrite(syncing: durability == .synced)
      }
    }
  }

  private func failureToWrite(syncing: Bool) -> JournalError? {
    do throws(JournalError) {
      try writeEverything(syncing: syncing)
      return nil
    } catch {
      return error
    }
  }
}

extension BatchInMaking {
  /// Takes a commit in, or copies it where it will be written in pieces.
  fileprivate func content(
    of commit: UnsafeRawBufferPointer, _ options: JournalOptions
  ) -> QueuedCommit.Content {
    // With its length before it, of which many short commits have more than of bytes.
    commitByteCount += commit.count + 5
    guard commit.count <= options.largestCommitByteCount else {
      spans.add(commit.count)
      return .large(Array(commit))
    }
    let start = entries.byteCount
    entries.writeEntry(commit, isSpan: false)
    return .entry(start..<entries.byteCount)
  }
}
