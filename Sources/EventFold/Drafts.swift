package import ObjectModel

/// What a context has of objects, so that saving and merging cost what is changed: those of which only values are left
/// that no save takes lie apart from the others, and all can be brought to a later commit at once.
///
/// Costs: of an object one draft, and a few words more where it stands behind the others.
package struct Drafts: Sendable {
  /// Those that may have something to save.
  private var active: [ObjectID: ObjectDraft] = [:]
  /// Those that had nothing more to save at the last save, and have not been changed since.
  private var resting: [ObjectID: ObjectDraft] = [:]
  /// The commit that objects have been brought to: what was noted to stand on an earlier one stands on this.
  package private(set) var floor: CommitNumber
  /// The objects that stand on an earlier one all the same.
  package private(set) var behind: Set<ObjectID> = []

  init(on floor: CommitNumber) { self.floor = floor }

  package var count: Int { active.count + resting.count }
  package var isEmpty: Bool { active.isEmpty && resting.isEmpty }
  package var keys: [ObjectID] { Array(active.keys) + Array(resting.keys) }
  package var values: [ObjectDraft] { map(\.value) }

  /// Those of which something holds.
  package func filter(
    _ isWanted: (Element) throws -> Bool
  ) rethrows -> [ObjectID: ObjectDraft] {
    var wanted: [ObjectID: ObjectDraft] = [:]
    for (object, draft) in self where try isWanted((object, draft)) { wanted[object] = draft }
    return wanted
  }

  /// Those that a save would take, and some that it would not.
  package var mayBeDirty: Iterator { Iterator(self, active, [:]) }

  // MARK: One by one

  package internal(set) subscript(object: ObjectID) -> ObjectDraft? {
    get {
      // Where there is nothing, as for who only reads, the object is not hashed.
      if !active.isEmpty, let draft = active[object] { return lifted(draft, object) }
      guard !resting.isEmpty, let draft = resting[object] else { return nil }
      return lifted(draft, object)
    }
    set {
      note(newValue?.base, of: object)
      if !resting.isEmpty, let index = resting.index(forKey: object) {
        if let newValue, !newValue.isDirty {
          resting.values[index] = newValue
          return
        }
        resting.remove(at: index)
      }
      active[object] = newValue
    }
  }

  /// The commit that an object stands on; nil where there is nothing of it.
  package func base(of object: ObjectID) -> CommitNumber? {
    guard let base = active[object]?.base ?? resting[object]?.base else { return nil }
    return base >= floor || behind.contains(object) ? base : floor
  }

  /// The value of a key as an object has it now; nil where there is nothing of the object.
  package func value(of key: KeyNumber, of object: ObjectID) -> Value?? {
    if let index = active.index(forKey: object) { return active.values[index].value(of: key) }
    guard !resting.isEmpty, let index = resting.index(forKey: object) else { return nil }
    return resting.values[index].value(of: key)
  }

  /// What a save would make of an object, and whether it has to be saved; nil where there is nothing of it.
  package func kind(of object: ObjectID) -> (kind: ObjectDraft.Kind, isDirty: Bool)? {
    if let index = active.index(forKey: object) {
      return (active.values[index].kind, active.values[index].isDirty)
    }
    return resting[object].map { ($0.kind, $0.isDirty) }
  }

  /// Where the draft of an object lies, to be changed there; nil where there is none.
  mutating func index(of object: ObjectID) -> Dictionary<ObjectID, ObjectDraft>.Index? {
    if let index = active.index(forKey: object) { return index }
    guard !resting.isEmpty, let draft = resting.removeValue(forKey: object) else { return nil }
    active[object] = draft
    return active.index(forKey: object)
  }

  /// The draft that lies somewhere. It is not asked here which commit it stands on.
  subscript(index: Dictionary<ObjectID, ObjectDraft>.Index) -> ObjectDraft {
    get { active.values[index] }
    _modify { yield &active.values[index] }
  }

  // MARK: All at once

  mutating func removeAll() {
    (active, resting, behind) = ([:], [:], [])
  }

  /// Has all objects that stand on an earlier commit stand on this one, but those that stand behind the others: nobody has
  /// changed them in between.
  mutating func raise(to commit: CommitNumber) { floor = Swift.max(floor, commit) }

  /// Has nothing be left of what may have had something to save but this, which has not.
  mutating func settle(_ left: [ObjectID: ObjectDraft]) {
    for object in active.keys where left.isEmpty || left[object] == nil { note(nil, of: object) }
    active = [:]
    for (object, draft) in left {
      note(draft.base, of: object)
      resting[object] = draft
    }
  }

  // MARK: Standing

  /// Notes whether an object stands behind the others; it does not where there is nothing of it.
  private mutating func note(_ base: CommitNumber?, of object: ObjectID) {
    if let base, base < floor {
      behind.insert(object)
    } else if !behind.isEmpty {
      behind.remove(object)
    }
  }

  fileprivate func lifted(_ draft: ObjectDraft, _ object: ObjectID) -> ObjectDraft {
    if draft.base >= floor || behind.contains(object) { return draft }
    var lifted = draft
    lifted.base = floor
    return lifted
  }
}

extension Drafts: Sequence {
  package typealias Element = (key: ObjectID, value: ObjectDraft)

  package func makeIterator() -> Iterator { Iterator(self, active, resting) }

  package struct Iterator: IteratorProtocol, Sequence {
    private let drafts: Drafts
    private var first: Dictionary<ObjectID, ObjectDraft>.Iterator
    private var last: Dictionary<ObjectID, ObjectDraft>.Iterator

    fileprivate init(
      _ drafts: Drafts, _ first: [ObjectID: ObjectDraft], _ last: [ObjectID: ObjectDraft]
    ) {
      self.drafts = drafts
      (self.first, self.last) = (first.makeIterator(), last.makeIterator())
    }

    package mutating func next() -> Drafts.Element? {
      guard let (object, draft) = first.next() ?? last.next() else { return nil }
      return (object, drafts.lifted(draft, object))
    }
  }
}

extension Drafts: Equatable {
  /// Whether both have the same of the same objects, however they hold it.
  package static func == (one: Drafts, other: Drafts) -> Bool {
    one.count == other.count && one.allSatisfy { other[$0.key] == $0.value }
  }
}
