internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// Shows events, for people and in JSON, by the names that things had when they happened.
struct EventPrinter {
  private let store: ReadableStore
  private let output: Output
  private let isJSON: Bool
  private var wording: Wording
  /// The first commit behind what is shown next.
  private var next: CommitNumber

  init(_ store: ReadableStore, _ output: Output, isJSON: Bool = false) throws(ToolError) {
    self.store = store
    self.output = output
    self.isJSON = isJSON || output.isJSON
    let first = try onStore { () throws(StoreError) in try store.firstCommitThere() }
    next = first ?? store.lastCommit.next
    wording = Wording(store, at: next)
  }

  /// Goes on behind what cannot be read.
  mutating func pass(before next: CommitNumber?) {
    self.next = next ?? store.lastCommit.next
    wording = Wording(store, at: self.next)
  }

  /// Takes note of an event, shown or not.
  mutating func take(_ event: StoreEvent) {
    switch event.kind {
    case .saved(let commit) where commit >= next: next = commit.next
    case .modelAdopted: wording = Wording(store, at: next)
    default: break
    }
  }

  func show(_ event: StoreEvent) {
    guard !isJSON else { return output.json(json(event)) }
    let context = event.context.map { $0.name ?? "context \($0.number)" } ?? ""
    let line: Words =
      "\(Wording.time(event.date), .faint)  \(context.isEmpty ? "-" : context, .strong)  \(event.kind.name, .key)"
    let details = words(event.kind)
    output.line(details.isEmpty ? line : line + "  " + details)
  }

  private func words(_ kind: StoreEvent.Kind) -> Words {
    switch kind {
    case .began(let commit), .merged(let commit), .saved(let commit):
      commit == .none ? "on nothing yet" : "\("commit \(commit)", .heading)"
    case .ended, .resumed, .discarded, .rolledBack, .wasReset: ""
    case .renamed(let name): "to \(name)"
    case .based(let object, let commit): "\(wording.name(object)) on commit \(commit)"
    case .inserted(let object), .deleted(let object): "\(wording.name(object))"
    case .set(let object, let key, let value), .setPrimitive(let object, let key, let value):
      "\(wording.name(object)) \(key, .key) = \(wording.text(value))"
    case .spliced(let object, let key, let splice):
      "\(wording.name(object)) \(key, .key) at \(splice.prefixCount): " + words(splice)
    case .membersChanged(let object, let key, let inserted, let removed):
      "\(wording.name(object)) \(key, .key)\(members(" +", inserted), .added)\(members(" -", removed), .removed)"
    case .stepEnded(let name): name.map { "\($0)" } ?? ""
    case .undoSwitched(let isOn): isOn ? "on" : "off"
    case .undone(let restored), .redone(let restored):
      "\(restored.map { wording.name($0.objectID) }.joined(separator: ", "))"
    case .refreshed(let objects, let keepingChanges, let commit):
      "\(objects.map(wording.name).joined(separator: ", ")) to commit \(commit)\(keepingChanges ? ", keeping changes" : "")"
    case .saveFailed(let reason): "\(reason, .warning)"
    case .reconciled(let object, let keys):
      "\(wording.name(object)) \(keys.joined(separator: ", "), .key)"
    case .tagged(let name, let commit):
      commit.map { "\(name, .strong) for commit \($0)" } ?? "\(name, .strong) for nothing"
    case .modelAdopted(let names): "\(names.joined(separator: ", "))"
    case .unknown(let kind): "of kind \(kind)"
    }
  }

  private func members(_ sign: String, _ objects: [ObjectID]) -> String {
    objects.map { sign + wording.name($0) }.joined()
  }

  private func json(_ event: StoreEvent) -> JSONValue {
    .document(
      "event",
      [
        ("event", .string(event.kind.name)), ("date", .string(Wording.exactTime(event.date))),
        (
          "context",
          event.context.map { .members([("number", .count($0.number)), ("name", .text($0.name))]) }
        ),
      ] + members(event.kind))
  }

  private func members(_ kind: StoreEvent.Kind) -> [(String, JSONValue?)] {
    func object(_ id: ObjectID) -> (String, JSONValue?) { ("object", .string(wording.name(id))) }
    func objects(_ ids: [ObjectID]) -> JSONValue { .array(ids.map { .string(wording.name($0)) }) }
    func commit(_ number: CommitNumber) -> (String, JSONValue?) {
      ("commit", .count(number.rawValue))
    }
    switch kind {
    case .began(let number), .merged(let number), .saved(let number): return [commit(number)]
    case .ended, .resumed, .discarded, .rolledBack, .wasReset: return []
    case .renamed(let name): return [("name", .string(name))]
    case .based(let id, let number): return [object(id), commit(number)]
    case .inserted(let id), .deleted(let id): return [object(id)]
    case .set(let id, let key, let value), .setPrimitive(let id, let key, let value):
      return [object(id), ("key", .string(key)), ("value", wording.json(value, key, of: id))]
    case .spliced(let id, let key, let splice):
      return [object(id), ("key", .string(key))] + members(splice, key, of: id)
    case .membersChanged(let id, let key, let inserted, let removed):
      return [
        object(id), ("key", .string(key)), ("inserted", objects(inserted)),
        ("removed", objects(removed)),
      ]
    case .stepEnded(let name): return [("name", .text(name))]
    case .undoSwitched(let isOn): return [("isOn", .boolean(isOn))]
    case .undone(let restored), .redone(let restored):
      return [("restored", .array(restored.map(json)))]
    case .refreshed(let ids, let keepingChanges, let number):
      return [
        ("objects", objects(ids)), ("keepingChanges", .boolean(keepingChanges)), commit(number),
      ]
    case .saveFailed(let reason): return [("reason", .string(reason))]
    case .reconciled(let id, let keys):
      return [object(id), ("keys", .array(keys.map { .string($0) }))]
    case .tagged(let name, let number):
      return [("tag", .string(name)), ("commit", number.map { .count($0.rawValue) })]
    case .modelAdopted(let names): return [("entities", .array(names.map { .string($0) }))]
    case .unknown(let kind): return [("number", .count(kind))]
    }
  }

  private func words(_ splice: Splice) -> Words {
    func middles(_ old: Value, _ new: Value) -> Words {
      "\(wording.text(old), .removed) → \(wording.text(new), .added)"
    }
    return splice.further.reduce(middles(splice.old, splice.new)) { words, part in
      words + ", and \(part.keptCount) further on: " + middles(part.old, part.new)
    }
  }

  private func json(_ restored: StoreEvent.Restored) -> JSONValue {
    .members([
      ("object", .string(wording.name(restored.objectID))), ("change", .string(restored.kind.name)),
      (
        "values",
        .members(
          restored.values.sorted { $0.key < $1.key }
            .map { ($0.key, wording.json($0.value, $0.key, of: restored.objectID)) })
      ),
      (
        "splices",
        restored.splices.isEmpty
          ? nil
          : .members(
            restored.splices.sorted { $0.key < $1.key }
              .map { ($0.key, .members(members($0.value, $0.key, of: restored.objectID))) })
      ),
    ])
  }

  private func members(
    _ splice: Splice, _ key: String, of object: ObjectID
  ) -> [(String, JSONValue?)] {
    [
      ("keptBefore", .count(UInt64(splice.prefixCount))),
      ("keptBehind", .count(UInt64(splice.suffixCount))),
      ("old", wording.json(splice.old, key, of: object)),
      ("new", wording.json(splice.new, key, of: object)),
      (
        "further",
        splice.further.isEmpty
          ? nil
          : .array(
            splice.further.map { part in
              .members([
                ("keptBefore", .count(UInt64(part.keptCount))),
                ("old", wording.json(part.old, key, of: object)),
                ("new", wording.json(part.new, key, of: object)),
              ])
            })
      ),
    ]
  }
}

/// What the kinds of events are called.
private enum EventName: String, CaseIterable {
  case began, ended, resumed, discarded, renamed, based, inserted, set, spliced, setPrimitive,
    membersChanged, deleted, stepEnded, undoSwitched, undone, redone, refreshed, merged, rolledBack,
    wasReset, saved, saveFailed, reconciled, tagged, modelAdopted, unknown
}

extension StoreEvent.Kind {
  /// What all kinds are called.
  package static let names = EventName.allCases.map(\.rawValue)

  /// What the kind is called.
  var name: String { eventName.rawValue }

  /// One of those that there are, so that none can be called what nobody can ask for.
  private var eventName: EventName {
    switch self {
    case .began: .began
    case .ended: .ended
    case .resumed: .resumed
    case .discarded: .discarded
    case .renamed: .renamed
    case .based: .based
    case .inserted: .inserted
    case .set: .set
    case .spliced: .spliced
    case .setPrimitive: .setPrimitive
    case .membersChanged: .membersChanged
    case .deleted: .deleted
    case .stepEnded: .stepEnded
    case .undoSwitched: .undoSwitched
    case .undone: .undone
    case .redone: .redone
    case .refreshed: .refreshed
    case .merged: .merged
    case .rolledBack: .rolledBack
    case .wasReset: .wasReset
    case .saved: .saved
    case .saveFailed: .saveFailed
    case .reconciled: .reconciled
    case .tagged: .tagged
    case .modelAdopted: .modelAdopted
    case .unknown: .unknown
    }
  }

  /// The objects it is about.
  var objects: [ObjectID] {
    switch self {
    case .based(let object, _), .inserted(let object), .deleted(let object),
      .set(let object, _, _), .spliced(let object, _, _), .setPrimitive(let object, _, _),
      .reconciled(let object, _):
      [object]
    case .membersChanged(let object, _, let inserted, let removed): [object] + inserted + removed
    case .undone(let restored), .redone(let restored): restored.map(\.objectID)
    case .refreshed(let objects, _, _): objects
    default: []
    }
  }
}
