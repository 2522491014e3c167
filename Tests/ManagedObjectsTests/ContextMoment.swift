import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore

/// What a context is at a moment: as it says itself, or as its events add up to.
struct ContextMoment {
  /// An object that has something to save.
  struct Changed: Equatable {
    enum Standing { case inserted, updated, deleted }

    let standing: Standing
    let changed: [String: Value]
  }

  /// A step that can be undone or redone.
  struct Step: Equatable {
    let name: String?
    let keys: [ObjectID: Set<String>]
    let comeAndGone: Set<ObjectID>
  }

  /// The number that its events carry.
  let number: ContextNumber
  let name: String
  let hasChanges: Bool
  let changed: [ObjectID: Changed]
  /// What objects have: of a replay, those that are not as in the store.
  let values: [ObjectID: [String: Value]]
  let undoSteps: [Step]
  let redoSteps: [Step]
  let canUndo: Bool
  let canRedo: Bool

  /// What a context says of itself.
  init(_ context: ManagedObjectContext) {
    var values: [ObjectID: [String: Value]] = [:]
    var changed: [ObjectID: Changed] = [:]
    // What no save takes stays also where nobody holds the object.
    let kept = context.fold.objects.filter { $0.value.isThere }.keys.map(context.object(with:))
    let objects = context.registeredObjects.union(kept)
    for object in objects.sorted(by: { $0.objectID < $1.objectID }) {
      var shown: [String: Value] = [:]
      for attribute in object.entity.attributes { shown[attribute.name] = object[attribute.name] }
      for relationship in object.entity.relationships
      where !Self.isAnsweredFromInverse(relationship.name) {
        shown[relationship.name] = Self.held(object[relationship.name])
      }
      for key in ["mood", "color"] { shown[key] = object[key] }
      if !object.isDeleted { values[object.objectID] = shown }
      let standing: Changed.Standing? =
        object.isInserted
        ? .inserted
        : object.isUpdated ? .updated : object.hasChanges && object.isDeleted ? .deleted : nil
      guard let standing else { continue }
      changed[object.objectID] = Changed(
        standing: standing,
        changed: standing == .deleted ? [:] : object.changedValues().mapValues { $0.held })
    }
    self.values = values
    self.changed = changed
    number = context.fold.number
    name = context.name
    hasChanges = context.hasChanges
    var steps = context.undoSteps.map(Self.step)
    // The events know what a step is called when it ends.
    if context.fold.hasOpenStep, let open = steps.popLast() {
      steps.append(Step(name: nil, keys: open.keys, comeAndGone: open.comeAndGone))
    }
    undoSteps = steps
    redoSteps = context.redoSteps.map(Self.step)
    canUndo = context.canUndo
    canRedo = context.canRedo
  }

  private static func step(_ step: UndoableStep) -> Step {
    Step(name: step.name, keys: step.keys, comeAndGone: step.insertedOrDeletedObjects)
  }

  /// What events have added up to.
  init(_ fold: ContextFold, of store: ReadableStore) {
    func name(_ key: KeyNumber) -> String { store.name(of: key) ?? "" }
    func step(_ step: UndoStep) -> Step {
      Step(
        name: step.name,
        keys: Dictionary(
          step.objects.map { ($0.object, Set($0.entries.map { name($0.key) })) },
          uniquingKeysWith: { one, _ in one }),
        comeAndGone: Set(step.objects.filter { $0.kind != .updated }.map(\.object)))
    }
    var values: [ObjectID: [String: Value]] = [:]
    var changed: [ObjectID: Changed] = [:]
    for (object, draft) in fold.objects {
      if let row = draft.row {
        let entries = row.entries.map { (name($0.key), Self.held($0.value)) }
        values[object] = Dictionary(entries) { one, _ in one }.compactMapValues { $0 }
      }
      let standing: Changed.Standing? =
        switch draft.kind {
        case .unchanged: nil
        case .inserted: .inserted
        case .updated: .updated
        case .deleted: .deleted
        }
      guard let standing else { continue }
      var differing: [String: Value] = [:]
      for (key, value) in draft.delta where draft.isThere {
        let isDynamic = ["mood", "color"].contains(name(key))
        guard isDynamic || value != draft.baseRow?[key] else { continue }
        differing[name(key)] = (value ?? .null).held
      }
      changed[object] = Changed(standing: standing, changed: differing)
    }
    self.values = values
    self.changed = changed
    number = fold.number
    self.name = fold.name
    hasChanges = fold.hasChanges
    let open = fold.openStep.map { [$0] } ?? []
    undoSteps = Self.named((fold.undoSteps + open).map(step))
    redoSteps = Self.named(fold.redoSteps.reversed().map(step)).reversed()
    canUndo = fold.hasOpenStep || !fold.undoSteps.isEmpty
    canRedo = !fold.hasOpenStep && !fold.redoSteps.isEmpty
  }

  /// Steps in the order in which they were done: what has the empty name is called as what came before it.
  private static func named(_ steps: [Step]) -> [Step] {
    var name: String?
    return steps.map { step in
      if step.name != "" { name = step.name }
      return Step(name: name, keys: step.keys, comeAndGone: step.comeAndGone)
    }
  }

  /// A relationship that leads to none has no value.
  static func held(_ value: Value?) -> Value? {
    value == .some(.set([])) || value == .some(.array([])) ? Value?.none : value
  }

  private static func isAnsweredFromInverse(_ key: String) -> Bool { key == "posts" }

  /// The first thing in which what events add up to is not as the context was.
  func difference(_ replayed: ContextMoment) -> String? {
    func told<Answer: Equatable>(_ what: String, _ was: Answer, _ is: Answer) -> String? {
      was == `is` ? nil : "\(what) is \(`is`), and was \(was)"
    }
    if let difference = told("hasChanges", hasChanges, replayed.hasChanges)
      ?? told("name", name, replayed.name)
    {
      return difference
    }
    for object in Set(changed.keys).union(replayed.changed.keys).sorted() {
      let (was, now) = (changed[object], replayed.changed[object])
      if let difference = told("\(object)", was, now) { return difference }
    }
    for (object, row) in replayed.values {
      guard let shown = values[object] else { return "\(object) is there, and was not" }
      for key in Set(row.keys).union(shown.keys).sorted() {
        let (was, now) = (Self.held(shown[key]), Self.held(row[key]))
        if let difference = told("\(object).\(key)", was, now) { return difference }
      }
    }
    return told("what can be undone", undoSteps, replayed.undoSteps)
      ?? told("what can be redone", redoSteps, replayed.redoSteps)
      ?? told("canUndo", canUndo, replayed.canUndo) ?? told("canRedo", canRedo, replayed.canRedo)
  }
}

extension Value {
  /// The value of a relationship that leads to none is none.
  fileprivate var held: Value { ContextMoment.held(self) ?? .null }
}
