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

  /// - Parameter isSaved: whether the large value is saved, of which the commit says only which edit has it.
  private static func reader(isSaved: Bool) throws -> StoreReader {
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
    var dice = Dice(seed: 31)
    note["picture"] = .data(Data((0..<200_000).map { _ in UInt8(dice.pick(256)) }))
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

  @Test func `where a commit names it, that is told to be too large, and not to be damage`() throws
  {
    let error = #expect(throws: StoreError.self) { try Self.reader(isSaved: true) }
    #expect(error?.code == .tooLarge, "\(error)")
  }
}
