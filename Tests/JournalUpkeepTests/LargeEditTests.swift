import DiskSimulation
import Foundation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// Edits with more bytes than are held at once: who only looks does without them.
@Suite struct LargeEditTests {
  private static let limits = HoldingLimits(
    valueCount: .max, objectCount: .max, editByteCount: 10_000)

  private static let picture: Value = {
    var dice = Dice(seed: 31)
    return .data(Data((0..<200_000).map { _ in UInt8(dice.pick(256)) }))
  }()

  /// - Parameter isSaved: whether the large value is saved, of which the commit says only which edit has it.
  private static func reader(
    isSaved: Bool, _ limits: HoldingLimits = limits
  ) throws -> StoreReader {
    let disk = SimulatedDisk(seed: 31)
    var options = StoreOptions.small
    // What is saved stays in the journal alone.
    options.unflushedByteCount = 16 << 20
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [EntityDescription("Note", allowsAnyKey: true)]),
      options: options)
    let context = ManagedObjectContext(store, isolation: nil)
    context.name = "writer"
    let note = context.insert("Note")
    note["name"] = "first"
    try context.save()
    note["name"] = "second"
    context.processPendingChanges()
    note["picture"] = picture
    context.processPendingChanges()
    if isSaved { try context.save() }
    return try StoreReader(
      on: disk.imageAfterProcessDeath(), at: Journals.path, limits: limits)
  }

  @Test func `what does not ask for one that is not saved is told`() throws {
    let reader = try Self.reader(isSaved: false)
    #expect(reader.lastCommit.rawValue == 1)
    #expect(try reader.asOf(.head).count(FetchRequest("Note")) == 1)
    let draft = try #require(try reader.unsavedWork().first)
    #expect(draft.contextName == "writer")
    #expect(draft.problem?.code == .tooLarge)
    let words = draft.problem?.description ?? ""
    #expect(words.contains("is more than the 10000 that are held here at once"), "\(words)")
  }

  @Test func `who holds as much reads one that is in no frame, of the pieces that have it`() throws
  {
    let reader = try Self.reader(isSaved: false, .none)
    let draft = try #require(try reader.unsavedWork().first)
    #expect(draft.problem == nil && draft.changes.count == 1)
    #expect(draft.changes.first?.values["picture"]?.new == Self.picture)
    #expect(draft.changes.first?.values["name"]?.new == "second")
    let told = try reader.events().compactMap { event in
      if case .set(_, "picture", let value) = event.kind { value } else { nil }
    }
    #expect(told == [Self.picture])
  }

  @Test func `where a commit names it, that is told to be too large, and not to be damage`() throws
  {
    let error = #expect(throws: StoreError.self) { try Self.reader(isSaved: true) }
    #expect(error?.code == .tooLarge, "\(error)")
  }

  /// How much comes to be unsaved, in parts that are each less than is held.
  enum Much: CaseIterable {
    case arrays, sets, dictionaries, primitives, middles, undone, replaced, objects

    var isTooMuch: Bool { self != .replaced }
  }

  private static let many: [Value] = (0..<300).map { .string("member number \($0)") }

  private static func value(_ much: Much, _ number: Int) -> Value {
    switch much {
    case .sets: .set(Set(many + [.integer(number)]))
    case .dictionaries:
      .dictionary(
        Dictionary(uniqueKeysWithValues: many.enumerated().map { ("\($0)", $1) }))
    default: .array(many + [.integer(number)])
    }
  }

  /// A note of which four keys have many values, or one key had them one after the other.
  private static func edit(_ note: ManagedObject, _ much: Much) throws {
    let context = try #require(note.context)
    for number in 1...4 {
      let key =
        switch much {
        case .replaced: "list"
        case .sets: "set\(number)"
        default: "list\(number)"
        }
      switch much {
      case .primitives: note.setPrimitiveValue(value(much, number), forKey: key)
      case .objects: for _ in 0..<30 { context.insert("Note")["name"] = "one of many" }
      default: note[key] = value(much, number)
      }
      context.processPendingChanges()
    }
    if [.middles, .undone].contains(much) { try context.save() }
    note["name"] = "changed"
    context.processPendingChanges()
    guard [.middles, .undone].contains(much) else { return }
    for number in 1...4 {
      note["list\(number)"] = much == .undone ? nil : .array(many + ["more", .integer(number)])
      context.processPendingChanges()
    }
    if much == .undone { for _ in 1...4 { context.undo() } }
  }

  @Test(arguments: Much.allCases)
  func `who only looks is told where more values are unsaved than it holds, and a program has them`(
    much: Much
  ) throws {
    let disk = SimulatedDisk(seed: 32)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription(
          "Note", allowsAnyKey: true,
          attributes: (1...4).map { AttributeDescription("set\($0)", .set) })
      ]))
    let context = ManagedObjectContext(store, isolation: nil)
    let note = context.insert("Note")
    note["name"] = "first"
    try context.save()
    try Self.edit(note, much)
    let keys = ["name", "list"] + (1...4).flatMap { ["list\($0)", "set\($0)"] }
    let shown = keys.map { note[$0] }
    let image = disk.imageAfterProcessDeath()
    let limits = HoldingLimits(valueCount: 1000, objectCount: 100, editByteCount: .max)
    let looking = try StoreReader(on: image, at: Journals.path, limits: limits)
    let told = try #require(try looking.unsavedWork().first)
    #expect((told.problem?.code == .tooLarge) == much.isTooMuch, "\(told)")
    let words = "100 objects and 1000 values"
    #expect((told.problem?.description.contains(words) ?? false) == much.isTooMuch, "\(told)")
    let all = try #require(
      try StoreReader(on: image, at: Journals.path).unsavedWork().first)
    #expect(all.problem == nil && all.editCount >= told.editCount)
    let again = try JournaledStore(on: image, at: Journals.path, model: nil)
    let draft = try #require(again.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again, isolation: nil)
    let found = try recovered.existingObject(with: note.objectID)
    #expect(keys.map { found[$0] } == shown)
    try again.close()
  }
}
