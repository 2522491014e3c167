import EventFold
import ObjectModel
import ObjectStore

/// What the contexts of a store were, from its events alone: each is folded by its own, one event after the other.
struct EventReplay {
  /// An event that does not follow from those before it.
  struct Contradiction: Error {
    let sentence: String
  }

  let store: ReadableStore
  private(set) var contexts: [UInt64: ContextFold] = [:]
  /// How many events there were, by kind.
  private(set) var counts: [String: Int] = [:]

  init(_ store: ReadableStore) { self.store = store }

  mutating func take(_ event: StoreEvent) throws {
    let word = "\(event.kind)".prefix { $0.isLetter }
    counts[String(word), default: 0] += 1
    guard let number = event.context?.number else { return }
    switch event.kind {
    case .began(let commit):
      contexts[number] = ContextFold(
        ContextNumber(rawValue: number), name: event.context?.name ?? "", on: commit,
        traits: store.head.era.map { store.traits(of: $0) } ?? [:])
    case .ended, .discarded: contexts[number] = nil
    default: try take(event.kind, of: number)
    }
  }

  private mutating func take(_ kind: StoreEvent.Kind, of number: UInt64) throws {
    guard let fold = contexts[number], let edit = try edit(kind, in: fold) else {
      throw Contradiction(sentence: "\(kind) of a context that never began")
    }
    do {
      try contexts[number]?.apply(edit) { (object, commit) throws(StoreError) in
        try store.row(of: object, at: commit)
      }
    } catch {
      throw Contradiction(sentence: "\(kind): \(error)")
    }
  }

  /// What a context did, from what its event says, and from what it could undo and redo.
  private func edit(_ kind: StoreEvent.Kind, in fold: ContextFold) throws -> Edit? {
    func key(_ name: String) throws -> KeyNumber {
      guard let key = store.existingKey(named: name) else {
        throw Contradiction(sentence: "nobody knows ‘\(name)’")
      }
      return key
    }
    switch kind {
    case .renamed(let name): return .renamed(name)
    case .based(let object, let commit): return .based(object, on: commit)
    case .inserted(let object): return .inserted(object)
    case .set(let object, let name, let value): return .set(object, try key(name), value)
    case .spliced(let object, let name, let splice):
      return .spliced(object, try key(name), splice)
    case .setPrimitive(let object, let name, let value):
      return .setPrimitive(object, try key(name), value)
    case .membersChanged(let object, let name, let inserted, let removed):
      return .membersChanged(object, try key(name), inserted: inserted, removed: removed)
    case .deleted(let object): return .deleted(object)
    case .stepEnded(let name): return .stepEnded(name: name)
    case .undoSwitched(let isOn): return .undoSwitched(isOn: isOn)
    case .undone(let restored):
      return .undone(try restorations(of: fold.undoSteps.last, restored, in: fold))
    case .redone(let restored):
      return .redone(try restorations(of: fold.redoSteps.last, restored, in: fold))
    case .refreshed(let objects, let keepingChanges, let commit):
      return .refreshed(objects, keepingChanges: keepingChanges, at: commit)
    case .merged(let commit): return .merged(commit)
    case .rolledBack: return .rolledBack
    case .wasReset: return .wasReset
    case .saved(let commit): return .saved(commit)
    case .saveFailed(let reason): return .saveFailed(reason)
    case .reconciled(let object, let names):
      return .reconciled(object, try names.map { try key($0) })
    case .began, .ended, .resumed, .discarded, .tagged, .modelAdopted, .unknown: return nil
    }
  }

  /// What an event says that was brought back, which is what the step brings back that was next.
  private func restorations(
    of step: UndoStep?, _ restored: [StoreEvent.Restored], in fold: ContextFold
  ) throws -> [Restoration] {
    guard let step else { throw Contradiction(sentence: "there is no step to take back") }
    let expected = try fold.restorations(of: step) { (object, commit) throws(StoreError) in
      try store.row(of: object, at: commit)
    }
    let relationships = Set(
      (store.head.era?.entities ?? []).flatMap(\.description.relationships).map(\.name))
    let next = expected.map { restoration in
      // A relationship that leads to none has no value.
      let entries = restoration.entries.map { entry in
        let isRelationship = store.name(of: entry.key).map(relationships.contains) ?? false
        guard isRelationship, case .value(let value) = entry.content else { return entry }
        return Restoration.Entry(entry.key, ContextMoment.held(value))
      }
      return Restoration(restoration.object, restoration.kind, entries)
    }
    let told = try restored.map { each in
      var entries = each.values.compactMap { name, value in
        store.existingKey(named: name).map { Restoration.Entry($0, Optional(value).stored) }
      }
      for (name, splice) in each.splices {
        guard let key = store.existingKey(named: name) else { continue }
        // Its middle belongs into the value as the fold has it.
        let value =
          try fold.objects[each.objectID].map { $0.value(of: key) }
          ?? store.row(of: each.objectID, at: fold.base(of: each.objectID))?[key]
        entries.append(Restoration.Entry(key, value.flatMap(splice.applied)))
      }
      return Restoration(each.objectID, each.kind.folded, entries.sorted { $0.key < $1.key })
    }
    guard told == next else {
      throw Contradiction(sentence: "another step was taken back: \(told), and not \(next)")
    }
    return told
  }
}

extension Commit.Kind {
  /// The kind as folds know it.
  fileprivate var folded: Restoration.Kind {
    switch self {
    case .inserted: .inserted
    case .updated: .updated
    case .deleted: .deleted
    }
  }
}
