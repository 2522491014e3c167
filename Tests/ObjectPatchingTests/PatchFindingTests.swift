import DiskSimulation
import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Patches that make what cannot be saved.
@Suite struct PatchFindingTests {
  private let store: JournaledStore
  private let context: ManagedObjectContext

  init() throws {
    store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: Self.model())
    context = ManagedObjectContext(store, isolation: nil)
    for guid in ["c", "d"] {
      let club = context.insert("Club")
      club.setValue(.string(guid), forKey: "guid")
    }
    let member = context.insert("Member")
    member.setValue("m", forKey: "guid")
    member.setValue("Ann", forKey: "name")
    member.setValue(.reference(try club().objectID), forKey: "club")
    try context.save()
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Member",
        attributes: [
          AttributeDescription("guid", .string, isIdentifier: true),
          AttributeDescription("name", .string, isOptional: false),
          AttributeDescription("age", .integer, validation: [.minimum(0), .maximum(150)]),
        ],
        relationships: [
          RelationshipDescription("club", to: "Club", inverse: "members", isOptional: false)
        ]),
      EntityDescription(
        "Club", attributes: [AttributeDescription("guid", .string, isIdentifier: true)],
        relationships: [
          RelationshipDescription(
            "members", to: "Member", inverse: "club", isToMany: true, deleteRule: .deny)
        ]),
    ])
  }

  private func club() throws -> ManagedObject {
    try #require(try context.fetch(FetchRequest("Club", where: "guid == 'c'")).first)
  }

  private func identity(_ entity: String, _ guid: String) -> PatchIdentity {
    PatchIdentity(entity, "guid", .string(guid))
  }

  private var inClub: [String: RelationshipPatch] {
    ["club": RelationshipPatch(.toOne, added: [.init(identity("Club", "c"))])]
  }

  private func invalid() -> (patch: Patch, findings: [String: ValidationFailure.Kind]) {
    let patch = Patch(objects: [
      ObjectPatch(
        updating: identity("Member", "m"), old: ["name": "Ann", "age": .null],
        new: ["name": .null, "age": 200]),
      ObjectPatch(
        updating: identity("Club", "c"),
        relationships: [
          "members": RelationshipPatch(
            .toMany,
            patches: [
              ObjectPatch(
                creating: identity("Member", "n"), new: ["age": -1], relationships: inClub)
            ])
        ]),
      ObjectPatch(
        creating: identity("Member", "o"), new: ["name": "Bob", "age": 7], relationships: inClub),
    ])
    return (
      patch,
      [
        "/0/name": .missing, "/0/age": .breaksRule(200, .maximum(150)),
        "/1/members/0/name": .missing, "/1/members/0/age": .breaksRule(-1, .minimum(0)),
      ]
    )
  }

  private func kinds(_ findings: [PatchFinding]) -> [String: ValidationFailure.Kind] {
    Dictionary(findings.map { ($0.path.description, $0.kind) }) { first, _ in first }
  }

  @Test
  func `S81: values that cannot be saved are told with their paths, before the journal has any`()
    throws
  {
    let (patch, expected) = invalid()
    let events = try store.events().count
    let error = #expect(throws: InvalidPatch.self) { try patch.apply(to: store) }
    let findings = try #require(error?.findings)
    #expect(kinds(findings) == expected && findings.count == expected.count)
    #expect(findings.allSatisfy { $0.key == $0.path.components.last && $0.identity != nil })
    #expect(
      error?.description.contains("/0/age of Member (guid \"m\") is 200 and must be at most 150.")
        == true)
    #expect(try store.events().count == events && store.lastCommit == 1)
    #expect(store.unsavedDrafts.isEmpty)
    // So is a patch that conflicts.
    let conflicting = Patch(objects: [
      ObjectPatch(updating: identity("Member", "m"), old: ["name": "Bea"], new: ["name": "Cy"])
    ])
    #expect(throws: PatchConflicts.self) { try conflicting.apply(to: store) }
    #expect(try store.events().count == events)
  }

  @Test func `a report says what could not be saved, and a context takes it all the same`() throws {
    let (patch, expected) = invalid()
    let report = try patch.report(applyingTo: context)
    #expect(kinds(report.findings) == expected && report.objects.count == 3)
    #expect(!context.hasChanges)
    try patch.apply(to: context)
    #expect(throws: ValidationErrors.self) { try context.save() }
    let member = try #require(try context.fetch(FetchRequest("Member", where: "guid == 'm'")).first)
    member.setValue("Ann", forKey: "name")
    member.setValue(7, forKey: "age")
    let other = try #require(try context.fetch(FetchRequest("Member", where: "guid == 'n'")).first)
    other.setValue("Ben", forKey: "name")
    other.setValue(.null, forKey: "age")
    #expect(try context.save()?.number == 2)
  }

  @Test func `S81: relationships and denied deletions are told before the journal has any`() throws
  {
    let events = try store.events().count
    let homeless = Patch(objects: [
      ObjectPatch(creating: identity("Club", "e"), new: [:]),
      ObjectPatch(creating: identity("Member", "n"), new: ["name": "Ben"]),
    ])
    let error = #expect(throws: InvalidPatch.self) { try homeless.apply(to: store) }
    #expect(kinds(error?.findings ?? []) == ["/1/club": .missing])
    #expect(error?.findings.first?.identity == identity("Member", "n"))
    let members = try context.fetch(FetchRequest("Member")).map(\.objectID)
    let denied = Patch(objects: [ObjectPatch(deleting: identity("Club", "c"), old: [:])])
    let denial = #expect(throws: InvalidPatch.self) { try denied.apply(to: store) }
    #expect(kinds(denial?.findings ?? []) == ["/0/members": .denied(members)])
    #expect(try store.events().count == events)
    #expect(try ManagedObjectContext(reading: store).count(FetchRequest("Club")) == 2)
  }

  /// An object that has something against being made.
  private final class Refuser: ManagedObject {
    @Attribute("guid", .identifier) var guid: String?

    override func validateValue(_ value: Value?, forKey key: String) throws { throw Refusal() }

    struct Refusal: Error {}
  }

  @Test func `what only a save finds is told with its path, and nothing is left of it`() throws {
    let store = try JournaledStore(
      on: SimulatedDisk(seed: 4), at: "store", model: ManagedObjectModel(Refuser.self))
    let patch = Patch(objects: [ObjectPatch(creating: identity("Refuser", "r"), new: [:])])
    let error = #expect(throws: InvalidPatch.self) { try patch.apply(to: store) }
    #expect(kinds(error?.findings ?? []) == ["/0/guid": .refused("Refusal()")])
    #expect(error?.findings.first?.identity == identity("Refuser", "r"))
    #expect(store.lastCommit == 0 && store.unsavedDrafts.isEmpty)
  }

  @Test func `what a delegate makes may have what the patch does not say`() throws {
    struct Naming: PatchDelegate {
      let name: Value?

      func makeObject(
        for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
      ) throws -> ManagedObject? {
        let object = context.insert(patch.entityName)
        object.setValue(name, forKey: "name")
        return object
      }
    }
    let patch = Patch(objects: [
      ObjectPatch(creating: identity("Member", "n"), new: ["age": 7], relationships: inClub)
    ])
    #expect(throws: InvalidPatch.self) { try patch.apply(to: store) }
    let error = #expect(throws: InvalidPatch.self) {
      try patch.apply(to: store, delegate: Naming(name: nil))
    }
    #expect(kinds(error?.findings ?? []) == ["/0/name": .missing])
    #expect(try patch.apply(to: store, delegate: Naming(name: "Ben"))?.number == 2)
    // What it says itself stands, whoever makes the object.
    let old = Patch(objects: [
      ObjectPatch(
        creating: identity("Member", "o"), new: ["name": .null], relationships: inClub)
    ])
    let events = try store.events().count
    #expect(throws: InvalidPatch.self) { try old.apply(to: store, delegate: Naming(name: "Cy")) }
    #expect(try store.events().count == events)
  }

  /// An object that gives itself what it must have.
  private final class Ticket: ManagedObject {
    @Attribute("guid", .identifier) var guid: String?
    @Attribute("code", .required, .minLength(3)) var code: String?

    override func awakeFromInsert() { code = "none" }
  }

  @Test func `what a class gives its objects is not looked for in the patch`() throws {
    let store = try JournaledStore(
      on: SimulatedDisk(seed: 2), at: "store", model: ManagedObjectModel(Ticket.self))
    let patch = Patch(objects: [
      ObjectPatch(creating: identity("Ticket", "t"), new: [:])
    ])
    #expect(try patch.apply(to: store)?.number == 1)
    let short = Patch(objects: [ObjectPatch(creating: identity("Ticket", "u"), new: ["code": "x"])])
    let error = #expect(throws: InvalidPatch.self) { try short.apply(to: store) }
    #expect(kinds(error?.findings ?? []) == ["/0/code": .breaksRule("x", .minLength(3))])
  }

  @Test func `a report names what cascades take along, and by JSON Patch that is a conflict`()
    throws
  {
    let store = try JournaledStore(on: SimulatedDisk(seed: 3), at: "store", model: articleModel())
    let context = ManagedObjectContext(store, isolation: nil)
    let (person, child, toy) = (
      context.insert("Person"), context.insert("Child"), context.insert("Toy")
    )
    for (object, guid) in [(person, "p"), (child, "c"), (toy, "t")] {
      object.setValue(.string(guid), forKey: "guid")
    }
    child.setValue(.reference(person.objectID), forKey: "carer")
    toy.setValue(.reference(child.objectID), forKey: "owner")
    try context.save()
    let patch = try Patch(
      jsonPatch: Data(#"[{"op":"remove","path":"/Person/p"}]"#.utf8), against: context)
    let error = #expect(throws: PatchConflicts.self) { try patch.report(applyingTo: context) }
    #expect(error?.conflicts.map(\.key) == ["children"])
    let report = try patch.report(applyingTo: context, policy: .force)
    #expect(report.objects.map(\.objectID) == [person.objectID])
    #expect(report.deletedAlong == [child.objectID, toy.objectID].sorted())
    #expect(try patch.apply(to: context, policy: .force).deletedAlong == report.deletedAlong)
    #expect(context.deletedObjects == [person, child, toy])
    context.undo()
    // All of it may be taken out, and is no conflict then.
    let whole = try Patch(
      jsonPatch: Data(
        #"[{"op":"remove","path":"/Toy/t"},{"op":"remove","path":"/Child/c"},{"op":"remove","path":"/Person/p"}]"#
          .utf8), against: context)
    let all = try whole.apply(to: context)
    #expect(all.objects.count == 3 && all.deletedAlong.isEmpty)
    #expect(context.deletedObjects == [person, child, toy])
  }
}
