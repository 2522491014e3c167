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
  /// - Returns: the commit; nil where there is nothing to change.
  /// - Throws: where it was not made; nothing has changed then, and it may be tried again. After a failed
  ///   sync whether it was made is only known when the store is opened again.
  package func commit(
    _ request: CommitRequest, by context: LiveContext, durability: Durability? = nil
  ) throws(CommitError) -> CommitContent? {
    let durability = max(durability ?? options.durability, options.durability)
    guard let (commit, ticket) = try enqueue(request, by: context) else { return nil }
    if durability > .memory {
      do throws(JournalError) {
        try journal.wait(for: ticket, until: durability == .synced ? .synced : .written)
      } catch {
        committing.withLock { settleFailures() }
        throw .store(StoreError(error))
      }
    }
    committing.withLock {
      let snapshot =
        durability > .memory ? pending.settle(commit.number) : pending.show(commit.number)
      if let snapshot { publish(snapshot) }
    }
    context.didSave()
    flushWhereDue()
    return commit
  }

  /// Checks, numbers and encodes a commit, and sends it on its way.
  private func enqueue(
    _ request: CommitRequest, by context: LiveContext
  ) throws(CommitError) -> (CommitContent, CommitTicket)? {
    committing.lock()
    defer { committing.unlock() }
    settleFailures()
    let changes = try changes(for: request)
    guard !changes.isEmpty else { return nil }
    var snapshot = pending.snapshot
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
    // Encoded before the journal is held up, on the guess that its halves do not turn meanwhile.
    var edits = journal.editsOfNextCommit
    var commit = content(after: edits)
    var bytes = ByteWriter()
    do throws(EventCodingError) {
      try encode(commit, request, edits, to: &bytes)
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
            try encode(commit, request, actual, to: &bytes)
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
    return (commit, ticket)
  }

  /// What is to change in the state that the commit will follow, and what the objects have then.
  private func changes(
    for request: CommitRequest
  ) throws(CommitError) -> [(change: ObjectChange, row: Row?)] {
    var changes: [(change: ObjectChange, row: Row?)] = []
    var conflicts: [ObjectConflict] = []
    var known: EntityNumber?
    // Rows seen in an older era had another shape.
    let era = pending.snapshot.era?.since ?? .none
    changes.reserveCapacity(request.objects.count)
    for each in request.objects {
      if each.object.entity != known, each.object.store == store {
        known = each.object.entity
        guard pending.snapshot.era?.name(of: each.object.entity) != nil else {
          throw .store(.entityMissing(each.object))
        }
      }
      let changed: CommitNumber
      // What it has now, which is what the context saw unless somebody has changed it since.
      var old: Row?
      do throws(StoreError) {
        changed = try pending.snapshot.changed(each.object) ?? .none
        let isAsSeen = changed <= each.base && each.base > era
        if changed != .none {
          old = isAsSeen ? each.baseRow : try pending.snapshot.row(of: each.object)
        }
        assert(
          !isAsSeen || pending.snapshot.has(old, as: each.object),
          "a context has not seen what was there")
      } catch {
        throw .store(error)
      }
      var row = each.row
      if changed > each.base {
        let sides = ObjectConflict(
          each.object, base: each.baseRow, ours: each.row, theirs: old)
        switch ObjectMerge(sides, request.policy, kindOf: { request.mergeKind(each.object, $0) }) {
        case .merged(let merged): row = merged
        case .conflict(let conflict):
          conflicts.append(conflict)
          continue
        }
      }
      guard row.map({ BlockAssembly.byteCount(of: $0) <= Row.largestByteCount }) ?? true else {
        throw .store(.rowTooLarge(each.object))
      }
      guard
        var change = ObjectChange.difference(of: each.object, from: old, to: row)
      else { continue }
      change.previous = changed
      changes.append((change, row))
    }
    guard conflicts.isEmpty else { throw .conflicts(CommitConflicts(objects: conflicts)) }
    return changes.sorted { $0.change.object < $1.change.object }
  }

  /// Writes a commit; values that edits of the same frame have set are named by these.
  private func encode(
    _ commit: CommitContent, _ request: CommitRequest, _ edits: Range<EditNumber>,
    to writer: inout ByteWriter
  ) throws(EventCodingError) {
    try CommitEncoder(store: store).append(commit, to: &writer) { object, key, value in
      guard let number = request.edit(object, key, value), edits.contains(number) else {
        return nil
      }
      return Int(number.rawValue - edits.lowerBound.rawValue)
    }
  }

  /// Goes back to what commits that have failed were built on.
  func settleFailures() {
    pending.settleShown(outcome: journal.outcome)
    let hasFailed = pending.settle(epoch: journal.commitEpoch, outcome: journal.outcome)
    // What was shown before it was written may be no more.
    if hasFailed, options.durability == .memory { publish(anew: pending.settled) }
  }
}

extension Row {
  /// How many bytes the values of an object may have, roughly. A run must have room for it in one frame, where a
  /// text may take twice the bytes it has here.
  static let largestByteCount = 30 << 20
}

extension StoreError {
  static func rowTooLarge(_ object: ObjectID) -> StoreError {
    StoreError(
      .tooLarge,
      "the values of \(object) have more than \(Row.largestByteCount) bytes in all, which is the most an "
        + "object can have; keep large contents in files, or in several objects.")
  }

  static func entityMissing(_ object: ObjectID) -> StoreError {
    StoreError(
      .entityMissing,
      "the store's model has no entity for \(object); open the store with a model that has it.")
  }
}
