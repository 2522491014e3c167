import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What cannot come back, as the model has its entity no more, is told when the rest is restored.
@Suite struct GoneEntityTests {
  private static func model(_ names: String..., attributes: Int) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: names.map { name in
        EntityDescription(
          name, attributes: (1...attributes).map { AttributeDescription("a\($0)", .string) })
      })
  }

  /// A commit under each model: of three entities, of the same with another attribute, and of one alone.
  private static func journal(through count: Int) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 6)
    let models = [
      try model("Book", "Desk", "Shelf", attributes: 1),
      try model("Book", "Desk", "Shelf", attributes: 2), try model("Book", attributes: 2),
    ]
    for model in models.prefix(count) {
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      for entity in model.entities.map(\.name).sorted() { context.insert(entity)["a1"] = "new" }
      try context.save()
      context.close()
      try store.close()
    }
    return disk
  }

  @Test func `what has gone with its entity is told, entity by entity, and the rest comes back`()
    throws
  {
    let disk = try Self.journal(through: 3)
    let run = Upkeep.run("restore 1", on: disk)
    #expect(run.status == .fine, "\(run)")
    let places = ["Desk/1", "Shelf/1"].map { run.errors.range(of: $0)?.lowerBound }
    let (desk, shelf) = (try #require(places[0], "\(run)"), try #require(places[1], "\(run)"))
    #expect(desk < shelf && !run.errors.contains("Book"), "\(run)")
    #expect(Upkeep.run("query Book --count", on: disk).output == "1\n")
  }

  @Test func `where the model has changed and nothing has gone, nothing is told`() throws {
    let disk = try Self.journal(through: 2)
    let run = Upkeep.run("restore 1", on: disk)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    for entity in ["Book", "Desk", "Shelf"] {
      #expect(Upkeep.run("query \(entity) --count", on: disk).output == "1\n")
    }
  }
}
