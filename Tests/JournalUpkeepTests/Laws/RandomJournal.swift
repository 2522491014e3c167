import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import ToolSupport

/// A journal as people may have one, which follows from a seed: of a few segments, compacted on the way and written on,
/// with tags that were moved, commits that were taken back, and work that was never saved.
struct RandomJournal {
  static func make(seed: UInt64) throws -> SimulatedDisk {
    var life = try RandomJournal(seed: seed)
    let count = 8 + life.dice.pick(18)
    for _ in 0..<count { try life.goOn() }
    if life.dice.chance(2) { try life.leaveUnsaved() }
    return life.disk.imageAfterProcessDeath()
  }

  private var dice: Dice
  private var disk: SimulatedDisk
  private var store: JournaledStore
  private var context: ManagedObjectContext
  /// A context whose edits nobody saves.
  private var other: ManagedObjectContext?
  private var number = 0

  private init(seed: UInt64) throws {
    dice = Dice(seed: seed)
    disk = SimulatedDisk(seed: seed)
    disk.setWallClock(Self.start)
    store = try JournaledStore(on: disk, at: Journals.path, model: Self.model())
    context = ManagedObjectContext(store, isolation: nil)
  }

  private static let start: Int64 = 1_795_168_800_000_000_000

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Book", allowsAnyKey: true,
        attributes: [
          AttributeDescription("title", .string, isIndexed: true),
          AttributeDescription("copies", .counter), AttributeDescription("tags", .set),
        ],
        relationships: [RelationshipDescription("shelf", to: "Shelf", inverse: "books")]),
      EntityDescription(
        "Shelf", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("books", to: "Book", inverse: "shelf", isToMany: true)
        ]),
    ])
  }

  private mutating func goOn() throws {
    number += 1
    disk.setWallClock(Self.start + Int64(number) * 60_000_000_000)
    switch dice.pick(100) {
    case ..<52: try save()
    case ..<62: try store.beginSegment()
    case ..<70: try tag()
    case ..<73: try store.tags.keys.sorted().first.map { try store.removeTag($0) }
    case ..<78: try store.checkpoint()
    case ..<86: try compact()
    case ..<91: try restore()
    case ..<94: try leaveUnsaved()
    default: try die()
    }
  }

  private mutating func save() throws {
    context.name = dice.chance(2) ? "writer" : "editor"
    context.mergePolicy = .overwrite
    for _ in 0...dice.pick(4) { try edit(in: context) }
    if dice.chance(4) {
      context.processPendingChanges()
      context.undo()
      if dice.chance(2) { context.redo() }
    }
    try context.save(author: dice.chance(2) ? "ann" : "bob", message: "step \(number)")
  }

  private mutating func edit(in context: ManagedObjectContext) throws {
    let books = try context.fetch(FetchRequest("Book"))
    let shelves = try context.fetch(FetchRequest("Shelf"))
    guard let book = books.randomElement(using: &dice), !dice.chance(4) else {
      guard dice.chance(4) else {
        context.insert("Book")["title"] = .string(dice.shortOrLong())
        return
      }
      context.insert("Shelf")["name"] = .string("shelf \(number)")
      return
    }
    switch dice.pick(7) {
    case 0: context.delete(dice.chance(3) ? shelves.randomElement(using: &dice) ?? book : book)
    case 1: book["copies"] = .counter(dice.pick(100))
    case 2: book["tags"] = .set(Set((0..<dice.pick(4)).map { _ in Value.integer(dice.pick(5)) }))
    case 3: book["dynamic\(dice.pick(3))"] = dice.chance(3) ? nil : .integer(dice.pick(9))
    case 4: book["shelf"] = shelves.randomElement(using: &dice).map { .reference($0.objectID) }
    default: book["title"] = .string("\(dice.shortOrLong()), \(number)")
    }
  }

  private mutating func leaveUnsaved() throws {
    let unsaved = other ?? ManagedObjectContext(store, isolation: nil)
    other = unsaved
    unsaved.name = "unsaved"
    try edit(in: unsaved)
    unsaved.processPendingChanges()
  }

  /// A commit whose state can be told.
  private mutating func anyCommit() -> CommitNumber {
    let base = max(store.firstKeptCommit, CommitNumber(rawValue: 1)).rawValue - 1
    let count = max(store.lastCommit.rawValue, base) - base
    return CommitNumber(rawValue: base + UInt64(dice.pick(Int(count) + 1)))
  }

  private mutating func tag() throws {
    guard store.lastCommit > .none else { return }
    try store.tag("v\(dice.pick(4))", anyCommit())
  }

  private mutating func compact() throws {
    // What a context has done is kept as long as it is there.
    context.close()
    if dice.chance(2) {
      other?.close()
      other = nil
    }
    let since = anyCommit()
    let isSince = !dice.chance(4) && since >= store.firstKeptCommit
    try store.compact(keeping: isSince ? .commits(since: since) : .latest)
    context = ManagedObjectContext(store, isolation: nil)
  }

  private mutating func restore() throws {
    let commit = anyCommit()
    try die()
    let line =
      dice.chance(2) && commit >= store.firstKeptCommit ? "\(commit) --only --force" : "\(commit)"
    context.close()
    try store.close()
    _ = Upkeep.run("restore \(line) --author eve -s \(Journals.path)", on: disk)
    try open()
  }

  private mutating func die() throws {
    disk = disk.imageAfterProcessDeath()
    other = nil
    try open()
    for draft in store.unsavedDrafts {
      switch dice.pick(3) {
      case 0: try store.discard(draft)
      case 1:
        let recovered = try ManagedObjectContext(recovering: draft, in: store)
        recovered.mergePolicy = .overwrite
        try recovered.save(author: "eve", message: "recovered \(number)")
        recovered.close()
      default: break
      }
    }
  }

  private mutating func open() throws {
    store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    context = ManagedObjectContext(store, isolation: nil)
  }
}
