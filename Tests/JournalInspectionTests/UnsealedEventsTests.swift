import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// Edits that no frame holds yet are events as all others.
@Suite struct UnsealedEventsTests {
  @Test
  func
    `what a program that died had not saved is among the events, as it is when it is opened again`()
    throws
  {
    let disk = try Journals.killed()
    let before = Run("events", on: disk)
    #expect(before.status == .fine && before.errors.isEmpty, "\(before)")
    for words in ["\"Hello, moon\"", "mood = \"curious\"", "\"Never saved\"", "sketch  began"] {
      #expect(before.output.contains(words), "\(words): \(before.output)")
    }
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let after = Run("events", on: disk).output
    #expect(after.hasPrefix(before.output), "\(after)")
    try store.close()
    for line in ["replay", "export --format events"] {
      #expect(Run(line, on: try Journals.killed()).output.contains("Never saved"), "\(line)")
    }
    let until = Run("events --until head", on: try Journals.killed()).output
    #expect(!until.contains("Never saved"), "\(until)")
  }

  @Test func `edits of a running program are told once, with keys that nobody had before`() throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store, isolation: nil)
    let post = try #require(try context.fetch(FetchRequest("Post")).first)
    for round in 1...50 {
      post["neverThere"] = .integer(round)
      context.processPendingChanges()
      if round % 10 == 0 { try context.save() }
      let events = try StoreReader(on: disk, at: Journals.path).events()
      let told = events.compactMap { event -> Int? in
        guard case .set(_, "neverThere", .integer(let number)) = event.kind else { return nil }
        return number
      }
      #expect(told == Array(1...round), "\(round)")
    }
    try store.close()
  }

  @Test func `what was never saved in a new journal is told by the names of its model`() throws {
    let disk = SimulatedDisk(seed: 1)
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", allowsAnyKey: true)])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    context.insert("Note")["text"] = "first"
    context.processPendingChanges()
    let image = disk.imageAfterProcessDeath()
    let run = Run("events", on: image)
    #expect(run.output.contains("modelAdopted  Note\n"), "\(run)")
    #expect(run.output.contains("Note/1 text = \"first\""), "\(run)")
    #expect(run.status == .fine)
    let words = [
      "drafts": "draft 1", "drafts show 1": "+ Note/1", "info": "entities  Note",
      "stats": "Note/1  2 events", "schema": "Note  other keys too",
    ]
    for (line, words) in words {
      let run = Run(line, on: image)
      #expect(run.status == .fine && run.output.contains(words), "\(line): \(run)")
    }
    try store.close()
  }

  @Test func `what was never saved under a later model is told by the names of that`() throws {
    let disk = SimulatedDisk(seed: 1)
    let note = EntityDescription("Note", attributes: [AttributeDescription("text", .string)])
    let page = EntityDescription(
      "Page", attributes: [AttributeDescription("words", .string, renamingIdentifier: "text")],
      renamingIdentifier: "Note")
    for (entity, key) in [(note, "text"), (page, "words")] {
      let model = try ManagedObjectModel(entities: [entity])
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      let object = try context.fetch(FetchRequest(entity.name)).first ?? context.insert(entity.name)
      object[key] = .string("by \(key)")
      if key == "text" {
        try context.save()
        context.close()
      } else {
        context.processPendingChanges()
        let run = Run("drafts show 2", on: disk.imageAfterProcessDeath())
        #expect(run.status == .fine && run.output.contains("~ Page/1"), "\(run)")
        for words in ["words", "by text", "by words"] {
          #expect(run.output.contains(words), "\(run)")
        }
      }
      try store.close()
    }
  }
}
