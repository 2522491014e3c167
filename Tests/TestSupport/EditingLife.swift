// A store whose contexts do at random whatever contexts do, each edit journaled as a program would.

package import DiskSimulation
internal import EventFold
package import ObjectModel
package import ObjectStore

/// A store, and programs that edit and save it in several contexts at once.
package struct EditingLife {
  /// A context, and what it holds.
  struct Editor {
    let context: LiveContext
    var content: ContextFold
  }

  package private(set) var disk: SimulatedDisk
  package private(set) var store: JournaledStore
  /// How often each thing was done.
  package private(set) var counts: [String: Int] = [:]
  var editors: [Editor] = []
  var dice: Dice
  private let options: StoreOptions

  package static let path = "Editing.xjournal"
  static let note = EntityNumber(rawValue: 0)

  package static func model(isNewer: Bool = false) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [
          isNewer
            ? AttributeDescription("head", .string, renamingIdentifier: "title")
            : AttributeDescription("title", .string),
          AttributeDescription("rank", isNewer ? .real : .integer, isIndexed: true),
          AttributeDescription("likes", .counter), AttributeDescription("tags", .set),
          AttributeDescription("mood", .dictionary, merging: .byKey),
          AttributeDescription("shout", .string, merging: .custom("longest")),
          AttributeDescription("passing", .string, isTransient: true),
        ]
          + (isNewer
            ? [AttributeDescription("state", .string, isOptional: false, defaultValue: "new")]
            : []),
        relationships: [
          RelationshipDescription("friends", to: "Note", isToMany: true),
          RelationshipDescription("row", to: "Note", isToMany: true, isOrdered: true),
        ])
    ])
  }

  package init(seed: UInt64, options: StoreOptions = .small) throws {
    disk = SimulatedDisk(seed: seed)
    dice = Dice(seed: seed)
    self.options = options
    store = try JournaledStore(
      on: disk, at: Self.path, model: try Self.model(), options: options)
  }

  mutating func count(_ name: String) { counts[name, default: 0] += 1 }

  /// One thing that a program may do.
  package mutating func move() throws {
    if editors.isEmpty { try begin() }
    let index = dice.pick(editors.count)
    switch dice.pick(60) {
    case 0..<36: try change(index)
    case 36..<39: try record(.stepEnded(name: nil), index)
    case 39, 40: try undo(index)
    case 41:
      try undo(index)
      try redo(index)
    case 42: try record(.undoSwitched(isOn: dice.pick(3) > 0), index)
    case 43, 44: try refresh(index)
    case 45: try record(.merged(store.lastCommit), index)
    case 46: try record([.rolledBack, .wasReset][dice.pick(2)], index)
    case 47: try record(.renamed("editor \(dice.pick(9))"), index)
    case 48: try workWithin(index)
    case 49 where editors.count < 4: try begin()
    case 50: try end(index)
    case 51: try commitDirectly()
    default: try save(index)
    }
  }

  private mutating func begin() throws {
    let last = store.lastCommit
    let base = dice.pick(3) == 0 && last > store.firstKeptCommit ? last.previous : last
    editors.append(
      Editor(
        context: try store.beginContext(name: "editor", on: base),
        content: ContextFold(
          ContextNumber(rawValue: 0), name: "editor", on: base,
          traits: [
            Self.note: KeyTraits(
              transient: [try store.key(named: "passing")], byKey: [try store.key(named: "mood")])
          ])))
  }

  private mutating func end(_ index: Int) throws {
    try store.endContext(editors.remove(at: index).context)
    count("end")
    guard dice.pick(2) == 0 else { return }
    let sessions = try store.sessions.filter { $0.hasAllEdits && $0.endDate != nil }
    guard !sessions.isEmpty else { return }
    do throws(StoreError) {
      let (context, content) = try store.resume(sessions[dice.pick(sessions.count)])
      // What it began on may have been dropped, if nothing of that was ever needed.
      guard content.base.next >= store.firstKeptCommit else {
        return try store.endContext(context)
      }
      editors.append(Editor(context: context, content: content))
      count("resume")
    } catch {
      // What its edits were made on may have been dropped.
      guard error.code == .commitMissing else { throw error }
    }
  }

  /// A commit of somebody who journals no edits.
  private mutating func commitDirectly() throws {
    let base = store.lastCommit
    let objects = try store.head.plain().keys.sorted()
    guard !objects.isEmpty else { return }
    let object = objects[dice.pick(objects.count)]
    let row = try store.head.row(of: object)
    var next = row ?? Row()
    next[try store.key(named: "extra")] = .integer(dice.pick(100))
    let context = try store.beginContext(name: "direct", on: base)
    _ = try store.commit(
      CommitRequest([.init(object, base: base, row, to: dice.pick(6) == 0 ? nil : next)]),
      by: context)
    try store.endContext(context)
    count("direct")
  }

  /// Records an edit, and follows it. Where the objects that it changes stand is recorded before it, unless that
  /// is where their context stands.
  mutating func record(_ edit: Edit, _ index: Int) throws {
    let (context, content) = (editors[index].context, editors[index].content)
    for object in edit.changedObjects where content.objects[object]?.isDirty != true {
      let base = content.base(of: object)
      if base != context.base { try follow(.based(object, on: base), index) }
    }
    try follow(try shortened(edit, index), index)
  }

  private mutating func follow(_ edit: Edit, _ index: Int) throws {
    try store.record(edit, by: editors[index].context)
    let store = store
    try editors[index].content.apply(edit) { (object, commit) throws(StoreError) in
      try store.row(of: object, at: commit)
    }
  }
}

extension Edit {
  fileprivate var changedObjects: [ObjectID] {
    switch self {
    case .set(let object, _, _), .setPrimitive(let object, _, _), .deleted(let object),
      .membersChanged(let object, _, _, _):
      [object]
    case .undone(let restorations), .redone(let restorations): restorations.map(\.object)
    default: []
    }
  }
}

// What happens to the store as a whole.
extension EditingLife {
  /// Closes the store with whatever is unsaved, or has its process end; some drafts are resumed then.
  package mutating func reopen(crashing: Bool, isNewer: Bool? = nil) throws {
    if crashing { disk = disk.imageAfterProcessDeath() } else { try store.close() }
    let model = try isNewer.map { try Self.model(isNewer: $0) }
    store = try JournaledStore(on: disk, at: Self.path, model: model, options: options)
    editors = []
    for draft in store.unsavedDrafts {
      if let problem = draft.problem {
        throw Fault(description: "a draft has a problem: \(problem)")
      }
      switch dice.pick(3) {
      case 0: try store.discard(draft)
      case 1: break
      default:
        let (context, content) = try store.resume(draft)
        editors.append(Editor(context: context, content: content))
        count("draft")
      }
    }
  }

  package struct Fault: Error, CustomStringConvertible { package let description: String }

  /// Keeps the house, in one way or another.
  package mutating func keepHouse() throws {
    switch dice.pick(6) {
    case 0: try store.beginSegment()
    case 1: try store.checkpoint()
    case 2: try store.compact(keeping: .everything)
    case 3: try reopen(crashing: true)
    case 4: try reopen(crashing: false)
    default: try store.tag("here")
    }
  }
}
