internal import DiskAccess
package import DiskSimulation
internal import Foundation
internal import Journaling
internal import ManagedObjects
internal import ObjectModel
package import ObjectStore

/// A journal with values of every kind, and with everything that contexts do.
package enum VariedJournal {
  package static func make() throws -> SimulatedDisk { try make(of: StoreOptions()) }

  package static func make(of options: StoreOptions) throws -> SimulatedDisk {
    try MadeOnce.disk("\(options.journal.halfByteCount)") { try live(options) }
  }

  private static func live(_ options: StoreOptions) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 7)
    disk.setWallClock(1_795_168_800_000_000_000)
    let store = try JournaledStore(on: disk, at: Journals.path, model: model(), options: options)
    try fill(store)
    try contend(store)
    // Somebody is killed, and what is left is given up, or goes on.
    let (left, other) = (ManagedObjectContext(store), ManagedObjectContext(store))
    (left.name, other.name) = ("left", "given up")
    for context in [left, other] {
      context.insert("Thing")["title"] = .string(context.name)
      context.processPendingChanges()
    }
    let image = disk.imageAfterProcessDeath()
    let again = try JournaledStore(on: image, at: Journals.path, model: nil, options: options)
    for draft in again.unsavedDrafts {
      if draft.contextName == "given up" {
        try again.discard(draft)
      } else {
        try ManagedObjectContext(recovering: draft, in: again).save(author: "eve")
      }
    }
    try again.checkpoint()
    try again.beginSegment()
    try again.tag("end")
    try again.removeTag("end")
    try again.close()
    return image
  }

  private static func fill(_ store: JournaledStore) throws {
    let context = ManagedObjectContext(store)
    context.name = "first name"
    let thing = context.insert("Thing")
    context.name = "second name"
    let part = context.insert("Part")
    part["title"] = "a part"
    thing["title"] = "quotes ' and \", commas, <tags> & lines\nand\ttabs"
    thing["yes"] = true
    thing["half"] = 0.5
    thing["much"] = .real(.infinity)
    thing["exact"] = .decimal(Decimal(string: "123456789.125") ?? 0)
    thing["bytes"] = .data(Data(repeating: 0xAB, count: 300))
    thing["few"] = .data(Data([1, 2, 3]))
    thing["far"] = .date(Date(timeIntervalSinceReferenceDate: 1e13))
    thing["near"] = .date(Date(timeIntervalSinceReferenceDate: 0.25))
    thing["where"] = .url(URL(filePath: "/tmp/x"))
    thing["list"] = [1, "two", [3.5, true]]
    thing["long"] = .array((0..<100).map { .integer($0) })
    thing["map"] = ["one": 1, "two": ["deep": [1, 2]]]
    thing["text"] = .string(String(repeating: "long ", count: 500))
    thing["zero"] = "a\0b"
    thing["small"] = .integer(.min)
    thing["object"] = 4
    thing["parts"] = .set([.reference(part.objectID)])
    thing["row"] = .array([.reference(part.objectID)])
    try context.save(author: "ann", message: "", userInfo: ["of": "everything"])
    thing["parts"] = .set([])
    context.processPendingChanges()
    context.setActionName("empty")
    context.undo()
    context.redo()
    try context.save()
    thing["title"] = "given up"
    context.processPendingChanges()
    context.rollback()
    thing["title"] = "forgotten"
    context.processPendingChanges()
    context.reset()
    context.close()
  }

  /// Two contexts, of which one is refused, and follows the other.
  private static func contend(_ store: JournaledStore) throws {
    let (one, other) = (ManagedObjectContext(store), ManagedObjectContext(store))
    (one.name, other.name) = ("one", "other")
    let id = try one.objectIDs(FetchRequest("Part"))[0]
    try one.existingObject(with: id)["title"] = "mine"
    let theirs = try other.existingObject(with: id)
    theirs["title"] = "theirs"
    let commit = try one.save(author: "one")
    do { try other.save(author: "other") } catch is MergeConflicts {}
    if let commit { other.merge(from: commit) }
    other.refresh(theirs, mergeChanges: true)
    other.disableUndoRegistration()
    theirs["title"] = "both"
    other.enableUndoRegistration()
    other.mergePolicy = .overwrite
    try other.save(author: "other")
    one.close()
    other.close()
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Thing", allowsAnyKey: true,
        attributes: [
          AttributeDescription("title", .string), AttributeDescription("yes", .boolean),
          AttributeDescription("half", .real), AttributeDescription("exact", .decimal),
          AttributeDescription("bytes", .data), AttributeDescription("near", .date),
          AttributeDescription("where", .url), AttributeDescription("map", .dictionary),
          AttributeDescription("small", .integer),
        ],
        relationships: [
          RelationshipDescription("parts", to: "Thing", inverse: "wholes", isToMany: true),
          RelationshipDescription("wholes", to: "Thing", inverse: "parts", isToMany: true),
          RelationshipDescription(
            "row", to: "Thing", isToMany: true, isOrdered: true, deleteRule: .noAction),
        ]),
      EntityDescription("Part", parent: "Thing", allowsAnyKey: true),
      EntityDescription("Shape", isAbstract: true),
    ])
  }
}
