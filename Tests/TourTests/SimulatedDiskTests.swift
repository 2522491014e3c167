import DiskSimulation
import Testing
import XJournal

/// What the page on durability shows for a program's own tests.
@Suite struct SimulatedDiskTests {
  @Test func `a program's own test lets its process die, and the power end`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("Note")])

    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(on: disk, at: "Notes.xjournal", model: model)
    let context = ManagedObjectContext(store)
    context.insert("Note")["text"] = "saved"
    try context.save()
    context.insert("Note")["text"] = "not saved"

    let restarted = disk.imageAfterProcessDeath()
    let again = try JournaledStore(on: restarted, at: "Notes.xjournal", model: model)
    #expect(again.unsavedDrafts.count == 1)

    for state in disk.powerLossStates(limit: 100, seed: 2) {
      let kept = try JournaledStore(
        on: disk.image(after: state), at: "Notes.xjournal", model: model)
      let notes = try ManagedObjectContext(kept).values(of: ["text"], FetchRequest("Note"))
      #expect(notes.map { $0["text"] } == ["saved"])
    }
    try store.close()
  }
}
