internal import ByteCoding
internal import DiskAccess
internal import EventCoding
internal import EventFold
internal import Journaling
package import ObjectModel

extension JournaledStore {
  /// Commits what a context has changed, all of it or nothing.
  ///
  /// Objects that others have changed since are merged by the request's policy, or told as conflicts.
  ///
  /// - Parameter durability: how far the commit has gone when this returns; no less than the store's.
  /// - Returns: the commit; nil where there is nothing to change: what others have done of it has gone as far then.
  /// - Throws: where it was not made; nothing has changed then, and it may be tried again. After a failed
  ///   sync whether it was made is only known when the store is opened again.
  package func commit(
    _ request: CommitRequest, by context: LiveContext, durability: Durability? = nil
  ) throws(CommitError) -> CommitContent? {
    let sent = try send(request, by: context, durability: durability)
    do throws(StoreError) {
      try finish(sent)
    } catch {
      throw .store(error)
    }
    if sent.content != nil { context.didSave(as: sent.number) }
    return sent.content
  }

  /// Checks and numbers what a context has changed, and sends the commit on its way. Whoever sends it has it finished,
  /// and notes then that the context has saved. Where there is nothing to change it is the same: all of it may be in
  /// what others have sent, which may still fail.
  package func send(
    _ request: CommitRequest, by context: LiveContext, durability: Durability? = nil
  ) throws(CommitError) -> SentCommit {
    let durability = max(durability ?? options.durability, options.durability)
    var merges = RivalMerges()
    var hasMended = false
    while true {
      do throws(CommitError) {
        switch try attempt(request, merges, by: context) {
        case .nothing(let number, let ticket, let merged):
          return SentCommit(
            content: nil, number: number, merged: merged, ticket: ticket, durability: durability)
        case .onItsWay(let content, let ticket, let merged):
          return SentCommit(
            content: content, number: content.number, merged: merged, ticket: ticket,
            durability: durability)
        case .rivals(let rivals): merges.add(rivals, request)
        }
      } catch {
        guard !hasMended, case .store(let cause) = error, mend(cause) else { throw error }
        hasMended = true
      }
    }
  }

  /// Waits until a commit is made, and shows it to readers. It does no harm to do so twice.
  ///
  /// - Throws: where it was not made; or where there was nothing to change and what that was compared with was not made.
  package func finish(_ sent: SentCommit) throws(StoreError) {
    if let ticket = sent.ticket {
      try finish(sent.number, ticket, sent.durability)
      flushWhereDue()
    } else if sent.durability == .synced, isAwaited(sent) {
      // All is written that is not on its way, and no more than that.
      _ = try settle()
    }
  }

  /// Whether anything has to come to the disk before a commit is made.
  func isAwaited(_ sent: SentCommit) -> Bool {
    sent.ticket == nil ? sent.durability > options.durability : sent.durability > .memory
  }

  func finish(
    _ number: CommitNumber, _ ticket: CommitTicket, _ durability: Durability
  ) throws(StoreError) {
    if durability > .memory {
      do throws(JournalError) {
        try journal.wait(for: ticket, until: durability == .synced ? .synced : .written)
      } catch {
        committing.withLock { settleFailures() }
        throw StoreError(error)
      }
    }
    try committing.withLock { () throws(StoreError) in
      if durability == .memory { try refuseFailure(of: ticket) }
      let state = durability > .memory ? pending.settle(number) : pending.show(number)
      if let state { publish(state) }
    }
  }

  /// Throws where a commit for which nobody waits has failed before it was shown. Holds `committing`.
  private func refuseFailure(of ticket: CommitTicket) throws(StoreError) {
    settleFailures()
    if case .failure(let error)? = journal.outcome(of: ticket) { throw StoreError(error) }
  }

  /// Throws where a commit was shown and is no more: its number may not be given again, and whoever stands on it
  /// stands on nothing. Holds `committing`.
  func refuseWhereLost() throws(StoreError) {
    settleFailures()
    if let lost = pending.lost { throw .commitLost(lost) }
  }

  /// Waits until readers see what is on its way now: a commit may be in conflict with what nobody sees yet.
  package func catchUp() {
    guard options.durability > .memory, let last = committing.withLock({ pending.last }) else {
      return
    }
    // What has failed is no rival any more.
    try? finish(last.number, last.ticket, options.durability)
  }

  private enum Attempt {
    /// There is nothing to change in the state of a commit, which may be on its way.
    case nothing(CommitNumber, CommitTicket?, merged: [ObjectID: Row?])
    case onItsWay(CommitContent, CommitTicket, merged: [ObjectID: Row?])
    /// There are rivals, and what comes of both must be found first, while nobody has to wait.
    case rivals([RivalMerges.Rival])
  }

  private func attempt(
    _ request: CommitRequest, _ merges: RivalMerges, by context: LiveContext
  ) throws(CommitError) -> Attempt {
    committing.lock()
    defer { committing.unlock() }
    do throws(StoreError) { try refuseWhereLost() } catch { throw .store(error) }
    let (changes, rivals, merged) = try pending.changes(for: request, merges)
    guard rivals.isEmpty else { return .rivals(rivals) }
    var snapshot = pending.snapshot
    guard !changes.isEmpty else {
      let ticket = request.objects.isEmpty ? nil : pending.last?.ticket
      return .nothing(snapshot.number, ticket, merged: merged)
    }
    let number = snapshot.number.next
    let name = context.name
    let time = max(now(), snapshot.time)
    func content(after edits: Range<EditNumber>) -> CommitContent {
      CommitContent(
        number: number, time: time, context: context.number,
        contextName: name.isEmpty ? nil : name,
        precedingEditCount: Int(edits.upperBound.rawValue - edits.lowerBound.rawValue),
        author: request.author, message: request.message, userInfo: request.userInfo,
        changes: changes.map(\.change))
    }
    let fields = merges.isEmpty ? [] : [request.policy.field]
    // Encoded before the journal is held up, on the guess that its halves do not turn meanwhile.
    var edits = journal.editsOfNextCommit
    var commit = content(after: edits)
    var bytes = ByteWriter()
    do throws(EventCodingError) {
      try encode(commit, fields, request, edits, merged, to: &bytes)
    } catch {
      throw .store(StoreError(refusing: error))
    }
    let ticket: CommitTicket
    do throws(JournalError) {
      ticket = try journal.enqueueCommit(epoch: pending.epoch) { actual, writer in
        if actual.lowerBound != edits.lowerBound {
          edits = actual
          commit = content(after: actual)
          bytes.removeAll()
          do throws(EventCodingError) {
            try encode(commit, fields, request, actual, merged, to: &bytes)
          } catch {
            preconditionFailure("what was encoded a moment ago is refused: \(error)")
          }
        }
        writer.write(bytes)
      }
    } catch {
      settleFailures()
      throw .store(StoreError(error))
    }
    for (change, row) in changes {
      snapshot.set(change.object, row, number)
      snapshot.index.apply(change) { key in
        change[key]?.inverse.applied(to: row?[key])?.value
      }
    }
    snapshot.advance(to: commit)
    pending.add(ticket, snapshot)
    context.didSend(number, ticket)
    return .onItsWay(commit, ticket, merged: merged)
  }

  /// Writes a commit; values that edits of the same frame have set are named by these.
  private func encode(
    _ commit: CommitContent, _ fields: [CommitField], _ request: CommitRequest,
    _ edits: Range<EditNumber>, _ merged: [ObjectID: Row?], to writer: inout ByteWriter
  ) throws(EventCodingError) {
    try CommitEncoder(store: store).append(commit, fields: fields, to: &writer) {
      object, key, value in
      // What was merged is nobody's edit, even where it looks like one.
      guard merged[object] == nil, let number = request.edit(object, key, value),
        edits.contains(number)
      else { return nil }
      return Int(number.rawValue - edits.lowerBound.rawValue)
    }
  }

  /// Goes back to what commits that have failed were built on.
  func settleFailures() {
    pending.settleShown(outcome: journal.outcome)
    let hasFailed = pending.settle(epoch: journal.commitEpoch, outcome: journal.outcome)
    // What was shown before it was written may be no more.
    if hasFailed, options.durability == .memory { publish(anew: pending.shown) }
  }
}

extension StoreError {
  fileprivate static func commitLost(_ number: CommitNumber) -> StoreError {
    StoreError(
      .stopped,
      "commit \(number) was shown before it was written, as the store's durability allows, and then could not be: "
        + "nothing more is committed; close the store and open it again, which offers as drafts what was lost."
    )
  }
}
