internal import EventFold
package import ObjectModel

extension PendingCommits {
  /// An object that a commit changes, and what it has then.
  typealias Change = (change: ObjectChange, row: Row?)

  /// What a request changes in the state that its commit will follow, in the order of the objects.
  ///
  /// - Parameter merges: what has come of rivals that were known before.
  /// - Returns: the changes; or the rivals that are not among these, if there are any; and what the objects have then
  ///   that were merged, also those that are left as they are.
  func changes(
    for request: CommitRequest, _ merges: RivalMerges
  ) throws(CommitError) -> (
    changes: [Change], rivals: [RivalMerges.Rival], merged: [ObjectID: Row?]
  ) {
    var parts: [EndKeeping.Part] = []
    var rivals: [RivalMerges.Rival] = []
    var conflicts: [ObjectConflict] = []
    var merged: [ObjectID: Row?] = [:]
    var known: EntityNumber?
    parts.reserveCapacity(request.objects.count)
    for each in request.objects {
      if each.object.entity != known, each.object.store == snapshot.store {
        known = each.object.entity
        guard snapshot.era?.name(of: each.object.entity) != nil else {
          throw .store(.entityMissing(each.object))
        }
      }
      let (old, changed) = try found(each)
      var row = each.row
      // Where nothing is known of what was there, it was deleted, and compaction has forgotten by which commit.
      let isForgotten = changed == .none && old == nil && each.baseRow != nil
      if changed > each.base || isForgotten {
        let rival = RivalMerges.Rival(
          sides: ObjectConflict(each.object, base: each.baseRow, ours: each.row, theirs: old),
          changed: changed, epoch: epoch)
        switch merges[rival] {
        case .merged(let outcome)?:
          row = outcome
          merged.updateValue(outcome, forKey: each.object)
        case .conflict(let conflict)?:
          conflicts.append(conflict)
          continue
        case nil:
          rivals.append(rival)
          continue
        }
      }
      parts.append(
        EndKeeping.Part(
          object: each.object, base: each.baseRow, asked: each.row, old: old, changed: changed,
          new: row))
    }
    guard rivals.isEmpty else { return ([], rivals, [:]) }
    guard conflicts.isEmpty else { throw .conflicts(CommitConflicts(objects: conflicts)) }
    if request.keepsEnds, let ends = snapshot.era?.ends, ends.areChanged(by: parts) {
      let keeping = try keeping(ends, of: parts, isMadeAgain: request.isMadeAgain)
      parts = keeping.outcome
      for part in parts where keeping.kept.contains(part.object) {
        merged.updateValue(part.new, forKey: part.object)
      }
    }
    return (try changes(of: parts), [], merged)
  }

  /// Has the ends of relationships be in step in what becomes of objects.
  private func keeping(
    _ ends: RelationshipEnds, of parts: [EndKeeping.Part], isMadeAgain: Bool
  ) throws(CommitError) -> EndKeeping {
    var keeping = EndKeeping(ends, parts, at: snapshot)
    keeping.unlinksDeleted = isMadeAgain
    do throws(StoreError) { try keeping.keep() } catch { throw .store(error) }
    guard keeping.stillLedTo.isEmpty else { throw .stillLedTo(keeping.stillLedTo.sorted()) }
    guard keeping.miscounts.isEmpty || isMadeAgain else { throw .miscounted(keeping.miscounts) }
    return keeping
  }

  /// The changes that make objects what they are to be, in the order of the objects.
  private func changes(of parts: [EndKeeping.Part]) throws(CommitError) -> [Change] {
    var changes: [Change] = []
    changes.reserveCapacity(parts.count)
    for part in parts {
      guard part.new.map({ $0.roughByteCount <= Row.largestByteCount }) ?? true else {
        throw .store(.rowTooLarge(part.object.description))
      }
      guard
        var change = ObjectChange.difference(of: part.object, from: part.old, to: part.new)
      else { continue }
      change.previous = part.changed
      changes.append((change, part.new))
    }
    let areInOrder = zip(changes, changes.dropFirst()).allSatisfy {
      $0.change.object < $1.change.object
    }
    if !areInOrder { changes.sort { $0.change.object < $1.change.object } }
    return changes
  }

  /// What an object has now, which is what the context saw unless somebody has changed it since; and the commit
  /// that changed it.
  private func found(
    _ each: CommitRequest.Object
  ) throws(CommitError) -> (row: Row?, changed: CommitNumber) {
    do throws(StoreError) {
      guard let changed = try snapshot.changed(each.object) else { return (nil, .none) }
      // Rows seen in an older era had another shape.
      // Who has seen nothing may have been told of a commit that has it again: it must not be inserted twice.
      let hasSeen = each.baseRow != nil && changed <= each.base
      let isAsSeen = hasSeen && each.base > snapshot.era?.since ?? .none
      let row = isAsSeen ? each.baseRow : try snapshot.row(of: each.object)
      assert(
        !isAsSeen || snapshot.has(row, as: each.object), "a context has not seen what was there")
      return (row, changed)
    } catch {
      throw .store(error)
    }
  }
}

/// What has come of objects that a request and rivals of it have changed.
///
/// A program's own functions may merge, which take their time and may use the store. So they are called while
/// no lock is held, and what they say holds as long as the rivals are the same.
struct RivalMerges {
  /// An object that somebody has changed since a context saw it.
  struct Rival {
    let sides: ObjectConflict
    /// The rival's commit; none where compaction has forgotten it. A number is given again after a commit has failed,
    /// in another epoch.
    let changed: CommitNumber
    let epoch: UInt64
  }

  private var outcomes: [ObjectID: (rival: Rival, merge: ObjectMerge)] = [:]

  var isEmpty: Bool { outcomes.isEmpty }

  /// What has come of an object; nil where the rival is another than before.
  subscript(rival: Rival) -> ObjectMerge? {
    guard let outcome = outcomes[rival.sides.object], outcome.rival.changed == rival.changed,
      outcome.rival.epoch == rival.epoch
    else { return nil }
    return outcome.merge
  }

  /// Merges what rivals did with what a request wants.
  mutating func add(_ rivals: [Rival], _ request: CommitRequest) {
    for rival in rivals {
      let merge = ObjectMerge(rival.sides, request.policy) {
        request.mergeKind(rival.sides.object, $0)
      }
      outcomes[rival.sides.object] = (rival, admitted(merge, of: rival.sides, by: request))
    }
  }

  /// What has come of an object, if it can be: nobody has validated what both sides have done together.
  private func admitted(
    _ merge: ObjectMerge, of sides: ObjectConflict, by request: CommitRequest
  ) -> ObjectMerge {
    guard case .merged(let row?) = merge, let ours = sides.ours, let theirs = sides.theirs else {
      return merge
    }
    for key in sides.ourKeys.sorted() where row[key] != ours[key] && row[key] != theirs[key] {
      guard let objection = request.objection(sides.object, key, row[key]) else { continue }
      var conflict = sides
      conflict.objection = .notAdmitted(objection)
      return .conflict(conflict)
    }
    return merge
  }
}

extension Row {
  /// How many bytes the values of an object may have, roughly. A run must have room for it in one frame, where a
  /// text may take twice the bytes it has here.
  package static let largestByteCount = 30 << 20

  /// How many bytes the values have, roughly.
  package var roughByteCount: Int { BlockAssembly.byteCount(of: self) }

  /// How many bytes some values of an object have, roughly.
  package static func roughByteCount(of values: [Value]) -> Int {
    BlockAssembly.byteCount(of: values)
  }
}

extension StoreError {
  package static func rowTooLarge(_ object: String) -> StoreError {
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
