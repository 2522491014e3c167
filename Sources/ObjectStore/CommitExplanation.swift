internal import EventCoding
internal import EventFold
internal import ObjectModel

/// What is not so in a commit of what the edits before it add up to.
struct CommitExplanation {
  /// An object, or a value of it, of which edits and commit say something else.
  struct Difference {
    let object: ObjectID
    /// Nil where it is about whether the object is there.
    let key: KeyNumber?
    let addedUp: Value?
    let said: Value?
    /// Whether the object is there, by the edits and by the commit.
    let isThere: (addedUp: Bool, said: Bool)
  }

  /// Empty where the edits explain all of the commit.
  private(set) var differences: [Difference] = []

  /// What the objects have that the edits or the commit change: before the commit, and by it.
  private var before: [ObjectID: Row] = [:]
  private var said: [ObjectID: Row] = [:]
  private let unsaved: [Unsaved]

  /// Compares a commit with the edits of its context since its last save.
  ///
  /// Where others have changed the same objects since the context saw them, saving has merged them by the policy
  /// that the commit names.
  ///
  /// - Parameters:
  ///   - unsaved: what the edits add up to.
  ///   - state: the one before the commit.
  ///   - kinds: how values merge.
  /// - Throws: also `FoldError`, where the commit does not fit the state.
  init(
    of commit: DecodedCommit, by unsaved: [Unsaved], after state: Snapshot, _ kinds: MergeKinds?
  ) throws(ContextFoldError<StoreError>) {
    self.unsaved = unsaved
    for each in unsaved { before[each.object] = try Self.row(of: each.object, in: state) }
    said = before
    let changes = commit.content.changes
    for change in changes {
      let row = try Self.row(of: change.object, in: state)
      before[change.object] = row
      do throws(FoldError) {
        said[change.object] = try change.applied(to: row)
      } catch {
        throw .contradiction(error)
      }
    }
    let said = said
    // What the program's function makes of an object is its own affair.
    let policy = ConflictPolicy(of: commit.fields) { .merged(said[$0.object]) }
    let addedUp = merged(by: policy, kinds)
    let objects = Set(unsaved.map(\.object)).union(changes.map(\.object))
    differences = objects.sorted().flatMap { compare($0, addedUp[$0]) }
    if differences.isEmpty { return }
    // A commit has kept the ends of relationships in step, unless earlier code or no context has made it.
    guard let kept = try keeping(addedUp, after: state) else { return }
    differences = objects.union(kept.keys).sorted().flatMap { object in
      compare(object, kept[object] ?? addedUp[object])
    }
  }

  /// What objects have instead, those at other ends among them, where the ends of relationships are kept in step; nil
  /// where they are.
  private mutating func keeping(
    _ addedUp: [ObjectID: Row], after state: Snapshot
  ) throws(ContextFoldError<StoreError>) -> [ObjectID: Row?]? {
    guard let ends = state.era?.ends else { return nil }
    let parts = unsaved.map { each in
      EndKeeping.Part(
        object: each.object, base: each.baseRow, asked: each.row, old: before[each.object],
        changed: .none, new: addedUp[each.object])
    }
    var keeping = EndKeeping(ends, parts, at: state)
    do throws(StoreError) { try keeping.keep() } catch { throw .row(error) }
    if keeping.kept.isEmpty { return nil }
    var kept: [ObjectID: Row?] = [:]
    for part in keeping.parts where keeping.kept.contains(part.object) {
      kept.updateValue(part.new, forKey: part.object)
      // What the commit does not change is as it was.
      if before[part.object] == nil { said[part.object] = said[part.object] ?? part.old }
    }
    return kept
  }

  private static func row(
    of object: ObjectID, in state: Snapshot
  ) throws(ContextFoldError<StoreError>) -> Row? {
    do throws(StoreError) { return try state.row(of: object) } catch { throw .row(error) }
  }

  /// What becomes of the objects by a policy, of those that the edits do not change too. Where a save by the
  /// policy would have told of a conflict, it is what the edits say.
  private func merged(by policy: ConflictPolicy, _ kinds: MergeKinds?) -> [ObjectID: Row] {
    var rows = before
    for each in unsaved {
      let sides = ObjectConflict(
        each.object, base: each.baseRow, ours: each.row, theirs: before[each.object])
      let said = said[each.object]
      let merge = ObjectMerge(sides, policy) { key in
        kinds?.kind(of: key, in: each.object) { _ in
          .custom { _, _, _ in MergeKind.Merged(said?[key]) }
        } ?? .asWhole
      }
      switch merge {
      case .merged(let row): rows[each.object] = row
      case .conflict: rows[each.object] = each.row
      }
    }
    return rows
  }

  private func compare(_ object: ObjectID, _ addedUp: Row?) -> [Difference] {
    let said = said[object]
    if addedUp == said { return [] }
    let isThere = (addedUp: addedUp != nil, said: said != nil)
    guard let addedUp, let said else {
      return [Difference(object: object, key: nil, addedUp: nil, said: nil, isThere: isThere)]
    }
    return ObjectConflict(object, base: addedUp, ours: said, theirs: addedUp).ourKeys.sorted().map {
      Difference(
        object: object, key: $0, addedUp: addedUp[$0], said: said[$0], isThere: isThere)
    }
  }
}

extension StoreFinding {
  /// A commit that its edits do not explain.
  init(
    unexplained commit: CommitNumber, _ differences: [CommitExplanation.Difference],
    name: (KeyNumber) -> String?
  ) {
    let texts = differences.prefix(1).map { difference in
      guard let key = difference.key else {
        let (addedUp, said) = (difference.isThere.addedUp, difference.isThere.said)
        return "by the edits \(difference.object) is \(addedUp ? "there" : "not there"), and by "
          + "the commit it is \(said ? "there" : "not there")"
      }
      let name = name(key).map { "“\($0)”" } ?? "key \(key.rawValue)"
      return "\(name) of \(difference.object) is \(difference.addedUp ?? .null) by the edits, and "
        + "\(difference.said ?? .null) by the commit"
    }
    let others = differences.count > 1 ? ", and \(differences.count - 1) more do not fit" : ""
    self.init(
      "commit \(commit) is not what the edits of its context add up to: \(texts.joined())\(others).",
      matter: .contradiction)
  }
}
