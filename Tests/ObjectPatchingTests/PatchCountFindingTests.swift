import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What is told beforehand of how many objects relationships would lead to, and of deletions that are denied.
@Suite struct PatchCountFindingTests {
  private let store: JournaledStore
  private let context: ManagedObjectContext

  /// A club with a chair, and with three members in two teams.
  init() throws {
    store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: Self.model())
    context = ManagedObjectContext(store, isolation: nil)
    let club = make("Club", "c")
    let teams = ["t", "u"].map { make("Team", $0) }
    for (guid, team) in [("k", 0), ("l", 0), ("m", 1)] {
      let member = make("Member", guid)
      member.setValue(.reference(club.objectID), forKey: "club")
      member.setValue(.set([.reference(teams[team].objectID)]), forKey: "teams")
      if guid == "k" { member.setValue(.reference(club.objectID), forKey: "chairs") }
    }
    try context.save()
  }

  private static func model() throws -> ManagedObjectModel {
    let guid = AttributeDescription("guid", .string, isIdentifier: true)
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Club", attributes: [guid, AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription(
            "members", to: "Member", inverse: "club", isToMany: true, isOptional: false,
            minCount: 2, maxCount: 3, deleteRule: .deny),
          RelationshipDescription("chair", to: "Member", inverse: "chairs", isOptional: false),
        ]),
      EntityDescription(
        "Member", attributes: [guid],
        relationships: [
          RelationshipDescription("club", to: "Club", inverse: "members"),
          RelationshipDescription("chairs", to: "Club", inverse: "chair"),
          RelationshipDescription("teams", to: "Team", inverse: "players", isToMany: true),
          RelationshipDescription("badges", to: "Badge", isToMany: true, deleteRule: .cascade),
        ]),
      EntityDescription(
        "Team", attributes: [guid],
        relationships: [
          RelationshipDescription(
            "players", to: "Member", inverse: "teams", isToMany: true, isOptional: false)
        ]),
      EntityDescription("Badge", attributes: [guid]),
    ])
  }

  private func make(_ entity: String, _ guid: String) -> ManagedObject {
    let object = context.insert(entity)
    object.setValue(.string(guid), forKey: "guid")
    return object
  }

  private static func name(_ entity: String, _ guid: String) -> PatchIdentity {
    PatchIdentity(entity, "guid", .string(guid))
  }

  private static func link(
    _ kind: RelationshipPatch.Kind, removed: [PatchIdentity] = [], added: [PatchIdentity] = []
  ) -> RelationshipPatch {
    RelationshipPatch(kind, removed: removed.map { .init($0) }, added: added.map { .init($0) })
  }

  private static func deletion(_ guid: String) -> ObjectPatch {
    ObjectPatch(deleting: name("Member", guid), old: [:])
  }

  private static func leaving(_ guid: String, to club: PatchIdentity? = nil) -> ObjectPatch {
    ObjectPatch(
      updating: name("Member", guid),
      relationships: [
        "club": link(.toOne, removed: [name("Club", "c")], added: club.map { [$0] } ?? [])
      ])
  }

  private static func creation(_ guid: String, chairs: Bool = false) -> ObjectPatch {
    let club = link(.toOne, added: [name("Club", "c")])
    return ObjectPatch(
      creating: name("Member", guid), new: [:],
      relationships: chairs ? ["club": club, "chairs": club] : ["club": club])
  }

  private static let club = name("Club", "c")
  private static let second = ObjectPatch(
    creating: name("Club", "d"), new: [:],
    relationships: [
      "members": link(.toMany, added: [name("Member", "l"), name("Member", "m")]),
      "chair": link(.toOne, added: [name("Member", "l")]),
    ])

  /// Patches, and what is wrong with them: by paths, or by keys of what they do not speak of.
  private static let cases: [(objects: [ObjectPatch], findings: [String])] = [
    ([leaving("l")], []),
    ([leaving("l"), leaving("m")], ["members tooFew"]),
    ([leaving("k"), leaving("l"), leaving("m")], ["members missing"]),
    ([creation("n")], ["members tooMany"]),
    ([creation("n"), leaving("l")], []),
    ([creation("n", chairs: true), leaving("k")], []),
    ([deletion("l")], []),
    ([deletion("m")], ["players missing"]),
    ([deletion("k")], ["chair missing"]),
    ([deletion("l"), deletion("m")], ["members tooFew", "players missing"]),
    ([ObjectPatch(deleting: club, old: [:])], ["/0/members denied"]),
    (
      [leaving("k"), leaving("l"), leaving("m"), ObjectPatch(deleting: club, old: [:])], []
    ),
    (
      [deletion("k"), deletion("l"), leaving("m"), ObjectPatch(deleting: club, old: [:])],
      ["players missing"]
    ),
    ([second], ["members tooFew"]),
    (
      [ObjectPatch(creating: name("Club", "e"), new: [:])],
      ["/0/members missing", "/0/chair missing"]
    ),
    (
      [
        ObjectPatch(
          updating: club, old: ["name": .null], new: ["name": "n"],
          relationships: ["chair": link(.toOne, removed: [name("Member", "k")])])
      ], ["/0/chair missing"]
    ),
    (
      [
        ObjectPatch(
          updating: name("Team", "t"),
          relationships: ["players": link(.toMany, added: [name("Member", "m")])]),
        ObjectPatch(
          updating: name("Member", "m"),
          relationships: ["teams": link(.toMany, removed: [name("Team", "u")])]),
      ], ["players missing"]
    ),
  ]

  private func told(_ findings: [PatchFinding]) -> [String] {
    findings.map { finding in
      let kind =
        switch finding.kind {
        case .missing: "missing"
        case .tooFew: "tooFew"
        case .tooMany: "tooMany"
        case .denied: "denied"
        default: "\(finding.kind)"
        }
      let place = finding.path.components.isEmpty ? finding.key ?? "" : "\(finding.path)"
      return "\(place) \(kind)"
    }
  }

  @Test(arguments: cases.indices)
  func `S81: how many a relationship would lead to is told as a save finds it`(index: Int) throws {
    let (objects, expected) = Self.cases[index]
    let patch = Patch(objects: objects)
    let report = try patch.report(applyingTo: context)
    #expect(told(report.findings) == expected)
    // What a save finds is the same.
    try patch.apply(to: context)
    if expected.isEmpty {
      try context.save()
      return
    }
    let errors = #expect(throws: ValidationErrors.self) { try context.save() }
    context.rollback()
    #expect(Set(errors?.failures.map(\.kind) ?? []) == Set(report.findings.map(\.kind)))
    #expect(
      Set(errors?.failures.map(\.key) ?? []) == Set(report.findings.map(\.key)))
    // A store refuses it before anything is done.
    let events = try store.events().count
    let error = #expect(throws: InvalidPatch.self) { try patch.apply(to: store) }
    #expect(error?.findings == report.findings)
    #expect(try store.events().count == events && store.unsavedDrafts.isEmpty)
  }

  /// A club whose members leave when it goes.
  private final class Guild: ManagedObject {
    @Attribute("guid", .identifier) var guid: String?
    @Relationship("members", inverse: "guild", deleteRule: .deny) var members: Set<Guildsman>

    override func prepareForDeletion() { members = [] }
  }

  private final class Guildsman: ManagedObject {
    @Attribute("guid", .identifier) var guid: String?
    @Relationship("guild", inverse: "members") var guild: Guild?
  }

  @Test func `what a hook of a class may still change is left to the save`() throws {
    let store = try JournaledStore(
      on: SimulatedDisk(seed: 2), at: "store",
      model: ManagedObjectModel(Guild.self, Guildsman.self))
    let context = ManagedObjectContext(store, isolation: nil)
    let (guild, man) = (context.insert(Guild.self), context.insert(Guildsman.self))
    (guild.guid, man.guid, man.guild) = ("g", "m", guild)
    try context.save()
    let patch = Patch(objects: [ObjectPatch(deleting: Self.name("Guild", "g"), old: [:])])
    #expect(try patch.report(applyingTo: context).findings.isEmpty)
    #expect(try patch.apply(to: store)?.number == 2)
  }
}
