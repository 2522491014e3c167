// The edits that the contexts of an editing life make.

internal import EventFold
internal import ObjectModel
internal import ObjectStore

extension EditingLife {
  mutating func change(_ index: Int) throws {
    let there = try objects(index)
    guard !there.isEmpty, dice.pick(7) > 0 else {
      return try record(.inserted(try store.newObject(of: Self.note)), index)
    }
    let object = there[dice.pick(there.count)]
    if dice.pick(4) == 0, editors[index].content.objects[object] == nil {
      try record(.based(object, on: store.lastCommit), index)
      guard try row(object, index) != nil else { return }
    }
    if dice.pick(12) == 0 { return try record(.deleted(object), index) }
    let title = store.model?.entity(named: "Note")?.attribute("head") == nil ? "title" : "head"
    let names = [title, "rank", "likes", "tags", "mood", "shout", "passing", "friends", "row", "x"]
    let name = names[dice.pick(names.count)]
    let key = try store.key(named: name)
    let old = try row(object, index)?[key]
    switch name {
    case "friends", "row":
      if old == nil, name == "row" { return try record(.set(object, key, .array([])), index) }
      let (one, other) = (there[dice.pick(there.count)], there[dice.pick(there.count)])
      // Nobody inserts what is there already: a list would have it twice.
      let inserted = old?.array?.contains(.reference(one)) == true ? [] : [one]
      try record(
        .membersChanged(object, key, inserted: inserted, removed: one == other ? [] : [other]),
        index)
    default:
      let value = value(for: name, old)
      try record(
        dice.pick(9) == 0 ? .setPrimitive(object, key, value) : .set(object, key, value), index)
    }
  }

  private mutating func value(for name: String, _ old: Value?) -> Value? {
    if dice.pick(10) == 0 { return nil }
    switch name {
    case "rank":
      let isNewer = store.model?.entity(named: "Note")?.attribute("rank")?.type == .real
      return isNewer ? .real(Double(dice.pick(9))) : .integer(dice.pick(9))
    case "likes": return .counter((old?.counter ?? 0) + dice.pick(5) - 1)
    case "tags": return .set(Set((0..<dice.pick(4)).map { _ in Value.integer(dice.pick(6)) }))
    case "mood":
      var mood = old?.dictionary ?? [:]
      mood[["a", "b", "c"][dice.pick(3)]] = .integer(dice.pick(9))
      return .dictionary(mood)
    default: return .string(String(repeating: "text ", count: dice.pick(30)) + "\(dice.pick(20))")
    }
  }

  /// An edit as a context writes it: with the middles of long values.
  mutating func shortened(_ edit: Edit, _ index: Int) throws -> Edit {
    let content = editors[index].content
    switch edit {
    case .set(let object, let key, let value?) where value.isLong:
      let splice = try content.splice(of: key, of: object, to: value, row: store.row)
      guard let splice else { return edit }
      count("splice")
      return .spliced(object, key, splice)
    case .undone(let restorations):
      return .undone(try content.shortened(restorations, row: store.row))
    case .redone(let restorations):
      return .redone(try content.shortened(restorations, row: store.row))
    default: return edit
    }
  }

  /// What a context sees of an object.
  private func row(_ object: ObjectID, _ index: Int) throws -> Row? {
    let content = editors[index].content
    if let draft = content.objects[object] { return draft.row }
    return try store.row(of: object, at: content.base(of: object))
  }

  /// The objects that a context sees.
  private func objects(_ index: Int) throws -> [ObjectID] {
    let known = Set(try store.head.plain().keys).union(editors[index].content.objects.keys)
    return try known.sorted().filter { try row($0, index) != nil }
  }

  mutating func undo(_ index: Int) throws {
    let content = editors[index].content
    guard let step = content.openStep ?? content.undoSteps.last else { return }
    let store = store
    try record(
      .undone(try content.restorations(of: step) { try store.row(of: $0, at: $1) }), index)
    count("undo")
  }

  mutating func redo(_ index: Int) throws {
    let content = editors[index].content
    guard let step = content.redoSteps.last else { return }
    let store = store
    try record(
      .redone(try content.restorations(of: step) { try store.row(of: $0, at: $1) }), index)
    count("redo")
  }

  mutating func refresh(_ index: Int) throws {
    let some = try objects(index).filter { _ in dice.pick(3) == 0 }
    let last = store.lastCommit
    // Sometimes to a commit that is not the last; compaction keeps those since the context began.
    let isEarlier = dice.pick(4) == 0 && last > editors[index].content.base
    let commit = isEarlier ? last.previous : last
    try record(.refreshed(some, keepingChanges: dice.pick(3) > 0, at: commit), index)
  }

  /// A context within another works and saves: what it saved are edits of the other.
  mutating func workWithin(_ index: Int) throws {
    let base = editors[index].content.base
    let child = try store.beginContext(
      name: "child", on: base, within: editors[index].context)
    let key = try store.key(named: "x")
    let inserted = try store.newObject(of: Self.note)
    var edits: [Edit] = [.inserted(inserted), .set(inserted, key, "of a child")]
    // Objects of the other's that no commit has yet.
    for (object, draft) in editors[index].content.objects where draft.kind == .inserted {
      edits.append(.set(object, key, .integer(dice.pick(9))))
    }
    for edit in edits { try store.record(edit, by: child) }
    if dice.pick(3) > 0 {
      for edit in edits { try record(edit, index) }
      try store.record(.saved(base), by: child)
      count("child")
    }
    try store.endContext(child)
  }

  mutating func save(_ index: Int) throws {
    let (context, content) = (editors[index].context, editors[index].content)
    var request = CommitRequest(
      content.unsaved().map { .init($0.object, base: $0.base, $0.baseRow, to: $0.row) })
    request.policy =
      [.tell, .storeWins, .objectWins, .overwrite, .rollBack, .theirsAndMore][dice.pick(6)]
    let kinds = store.mergeKinds
    request.mergeKind = { object, key in
      kinds?.kind(of: key, in: object) { _ in .longest } ?? .asWhole
    }
    do throws(CommitError) {
      let before = store.lastCommit
      if let commit = try store.commit(request, by: context) {
        let store = store
        try? editors[index].content.apply(.saved(commit.number)) { try store.row(of: $0, at: $1) }
        count("save")
        if content.unsaved().contains(where: { $0.base < before }) { count("rivals") }
        return
      }
    } catch {
      guard case .conflicts(let conflicts) = error else { throw error }
      count("conflict")
      try record(.saveFailed("conflicts"), index)
      if dice.pick(2) == 0 {
        let objects = conflicts.objects.map(\.object)
        try record(
          .refreshed(objects, keepingChanges: true, at: store.lastCommit), index)
      }
      return
    }
    // There was nothing to commit.
    if content.hasChanges { try record(.saved(store.lastCommit), index) }
  }
}

extension ConflictPolicy {
  /// A policy of a program's own: their values, and ours where they have none.
  fileprivate static let theirsAndMore = ConflictPolicy.custom { sides in
    var row = sides.theirs ?? Row()
    for entry in sides.ours?.entries ?? [] where row[entry.key] == nil {
      row[entry.key] = entry.value
    }
    return .merged(row)
  }
}

extension MergeKind {
  /// The longer of two texts.
  fileprivate static let longest = MergeKind.custom { _, ours, theirs in
    let (one, other) = (ours?.string ?? "", theirs?.string ?? "")
    return Merged(.string(one.count < other.count ? other : one))
  }
}
