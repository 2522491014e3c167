import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// What it costs that objects leave what goes, or stay with what stays.
@Suite struct PatchStayingCostTests {
  private func name(_ guid: String, _ entity: String = "Book") -> PatchIdentity {
    PatchIdentity(entity, "guid", .string(guid))
  }

  private func owned(_ guids: [String]) -> [String: RelationshipPatch] {
    ["owned": RelationshipPatch(.toMany, added: guids.map { .init(name($0)) })]
  }

  /// Owners that each own a book, which changes, and are made anew under their names.
  private func owners(
    _ prefix: String, _ count: Int, in context: ManagedObjectContext,
    taking next: (Int) -> [String]
  ) -> [ObjectPatch] {
    (0..<count).flatMap { number in
      let (owner, owned) = (context.insert("Book"), context.insert("Book"))
      let (guid, other) = ("\(prefix)\(number)", "\(prefix)-\(number)")
      owner.setValue(.string(guid), forKey: "guid")
      owned.setValue(.string(other), forKey: "guid")
      owned.setValue(.reference(owner.objectID), forKey: "owner")
      return [
        ObjectPatch(deleting: name(guid), old: ["name": "new"]),
        ObjectPatch(
          creating: name(guid), new: ["name": "again"], relationships: self.owned(next(number))),
        ObjectPatch(updating: name(other), old: ["name": "new"], new: ["name": "changed"]),
      ]
    }
  }

  @Test(arguments: [false, true])
  func `S81: under keepOurs what stays as another stays costs what the patch is`(
    isReversed: Bool
  ) throws {
    func time(_ count: Int) throws -> UInt64 {
      let context = try PatchStage().context()
      // What the first has, has not left: it stays, so that no other is made, so that what the next has stays, and so on.
      var objects = owners("o", count, in: context) { number in
        number + 1 < count ? ["o-\(number + 1)"] : []
      }
      if isReversed { objects.reverse() }
      try context.save()
      let patch = Patch(objects: objects)
      let begin = threadTime()
      let report = try patch.report(applyingTo: context, policy: .keepOurs)
      let time = threadTime() - begin
      #expect(report.objects.count == count && report.objects.allSatisfy { $0.kind == .update })
      return time
    }
    let growth = try growth(from: 25, to: 200, of: time)
    // Eight times, where not all is planned anew for each.
    #expect(growth < 24)
  }

  @Test func `S81: what has ever more stay, as several are not made, is refused with its path`()
    throws
  {
    let (context, count) = (try PatchStage().context(), 40)
    // Two rows of owners, of which each is to get what the next of both has.
    func next(_ number: Int) -> [String] {
      number + 1 < count ? ["a-\(number + 1)", "b-\(number + 1)"] : []
    }
    let objects =
      owners("a", count, in: context, taking: next) + owners("b", count, in: context, taking: next)
    try context.save()
    let before = try GraphPicture(context)
    let error = #expect(throws: PatchError.self) {
      try Patch(objects: objects).apply(to: context, policy: .keepOurs)
    }
    #expect(error?.code == .tooLarge && error?.path.components.isEmpty == false)
    #expect(try GraphPicture(context).difference(from: before) == nil && !context.hasChanges)
    // A short row is kept as a whole.
    let short = objects[..<30] + objects[(3 * count)..<(3 * count + 30)]
    let report = try Patch(objects: Array(short)).report(applyingTo: context, policy: .keepOurs)
    #expect(report.objects.allSatisfy { $0.kind == .update })
  }

  @Test(arguments: [PatchPolicy.refuse, .force])
  func `S81: members that leave what goes cost what they are`(policy: PatchPolicy) throws {
    let guid = AttributeDescription("guid", .string, isIdentifier: true)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Folder", attributes: [guid],
        relationships: [
          RelationshipDescription("pages", to: "Page", isToMany: true, deleteRule: .cascade),
          RelationshipDescription(
            "sheets", to: "Page", inverse: "folder", isToMany: true, isOrdered: true,
            deleteRule: .cascade),
        ]),
      EntityDescription(
        "Page", attributes: [guid, AttributeDescription("name", .string)],
        relationships: [RelationshipDescription("folder", to: "Folder", inverse: "sheets")]),
    ])
    func time(_ count: Int) throws -> UInt64 {
      let store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      let folder = context.insert("Folder")
      folder.setValue("f", forKey: "guid")
      let pages = (0..<count).map { number in
        let page = context.insert("Page")
        page.setValue(.string("\(number)"), forKey: "guid")
        return Value.reference(page.objectID)
      }
      let isForced = policy == .force
      if isForced {
        folder.setValue(.array(pages), forKey: "sheets")
      } else {
        folder.setValue(.set(Set(pages)), forKey: "pages")
      }
      try context.save()
      var deletion = ObjectPatch(deleting: name("f", "Folder"), old: ["guid": "f"])
      var objects: [ObjectPatch] = []
      if isForced {
        // What goes along, and is changed by the patch, leaves before.
        objects = (0..<count).map {
          ObjectPatch(updating: name("\($0)", "Page"), old: ["name": .null], new: ["name": "n"])
        }
      } else {
        deletion.relationships["pages"] = RelationshipPatch(
          .toMany, removed: (0..<count).map { .init(name("\($0)", "Page")) })
      }
      let begin = threadTime()
      let report = try Patch(objects: [deletion] + objects)
        .report(applyingTo: context, policy: policy)
      let time = threadTime() - begin
      #expect(report.objects.count == 1 + objects.count && report.deletedAlong.isEmpty)
      return time
    }
    let growth = try growth(from: 1_000, to: 8_000, of: time)
    // Eight times, where not all members are copied for each.
    #expect(growth < 24)
  }
}
