import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What is said of work that was not saved, where frames are lost that may have had some of it.
@Suite struct LostDraftTests {
  private static let lost = "what was not saved when the journal was used last"

  /// A journal of which the second segment is damaged: a context that has edited before it saves behind it, and another
  /// edits in it and no more.
  private static func disk(edits: Bool) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 14)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Note", attributes: [AttributeDescription("text", .string)])
      ]))
    let contexts = ["saver", "later", "editor"].map { name in
      let context = ManagedObjectContext(store, isolation: nil)
      context.name = name
      return context
    }
    func write(_ text: String, _ place: Int) {
      contexts[place].insert("Note")["text"] = .string(text)
      contexts[place].processPendingChanges()
    }
    write("first", 0)
    try contexts[0].save()
    write("saved behind the damage", 1)
    // Seals what was edited.
    try store.tag("one")
    try store.beginSegment()
    if edits { write("never saved", 2) }
    write("second", 0)
    try contexts[0].save()
    try store.beginSegment()
    try contexts[1].save()
    contexts[1].close()
    contexts[0].close()
    if !edits { contexts[2].close() }
    try store.tag("two")
    let image = disk.imageAfterProcessDeath()
    try PassedDamageTests.damage(2, on: image)
    return image
  }

  @Test func `who has saved since has no draft of before, when that is made again`() throws {
    let disk = try Self.disk(edits: false)
    let plain = Upkeep.run("repair -s Notes.xjournal -o Plain.xjournal", on: disk)
    #expect(plain.status == .fine, "\(plain)")
    // As it was before the damage.
    let before = Upkeep.run("drafts -s Plain.xjournal", on: disk)
    #expect(before.output.contains("later"), "\(before)")
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    let drafts = Upkeep.run("drafts -s New.xjournal", on: disk)
    #expect(drafts.status == .fine && drafts.output.isEmpty, "\(drafts)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    let found = Upkeep.run(
      "query 'Note WHERE text BEGINSWITH \"saved\"' --count -s New.xjournal", on: disk)
    #expect(found.output == "1\n", "\(found)")
  }

  @Test(arguments: ["", "--salvage"])
  func `that there may have been a draft is said where nothing says that it was saved`(
    option: String
  )
    throws
  {
    let disk = try Self.disk(edits: true)
    let run = Upkeep.run("repair \(option) -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(run.errors.contains("lost: \(Self.lost), if there was anything"), "\(run)")
  }
}
