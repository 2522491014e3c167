import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Values of other kinds than their attributes, and names that begin alike.
@Suite struct PatchKindTests {
  private func book(_ id: String) -> PatchIdentity { PatchIdentity("Book", "guid", .string(id)) }

  private func shown(_ id: String, in context: ManagedObjectContext) throws -> ManagedObject? {
    try context.fetch(FetchRequest("Book")).first { $0.value(forKey: "guid") == .string(id) }
  }

  @Test func `a whole number is a real and a counter where the attribute is one`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    try Patch(objects: [
      ObjectPatch(
        creating: book("a"), new: ["pages": 12, "likes": 3, "score": .counter(4), "tags": .set([])])
    ]).apply(to: context)
    let made = try #require(try shown("a", in: context))
    #expect(made.value(forKey: "pages") == 12.0)
    #expect(made.value(forKey: "likes") == .counter(3))
    #expect(made.value(forKey: "score") == 4)
    // What it was is compared as what it would be.
    let update = Patch(objects: [
      ObjectPatch(updating: book("a"), old: ["pages": 12], new: ["pages": 13])
    ])
    let report = try update.apply(to: context)
    #expect(report.conflicts.isEmpty)
    #expect(made.value(forKey: "pages") == 13.0)
    // No real is exactly that.
    let error = #expect(throws: PatchError.self) {
      try Patch(objects: [
        ObjectPatch(updating: book("a"), old: [:], new: ["pages": .integer(1 << 53 + 1)])
      ]).apply(to: context)
    }
    #expect(error?.code == .wrongType)
    #expect(made.value(forKey: "pages") == 13.0)
  }

  @Test(arguments: [false, true])
  func `objects whose long identifiers begin alike are told apart`(isSaved: Bool) throws {
    let stage = try PatchStage()
    let context = stage.context()
    let ids = (1...3).map { String(repeating: "a long identifier ", count: 4) + "\($0)" }
    try Patch(objects: ids.map { ObjectPatch(creating: book($0), new: ["name": "new"]) })
      .apply(to: context)
    if isSaved { try context.save() }
    try Patch(objects: [
      ObjectPatch(updating: book(ids[1]), old: ["name": "new"], new: ["name": "second"])
    ]).apply(to: context)
    let names = try ids.map { try shown($0, in: context)?.value(forKey: "name") }
    #expect(names == ["new", "second", "new"])
  }

  @Test func `an object that comes twice, or is named by another's ID, is refused`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    try Patch(objects: ["a", "b"].map { ObjectPatch(creating: book($0), new: [:]) })
      .apply(to: context)
    let other = try #require(try shown("b", in: context)).objectID
    let twice = RelationshipPatch(.toMany, added: [.init(book("b")), .init(book("b"))])
    let patches: [(ObjectPatch, PatchError.Code)] = [
      (ObjectPatch(updating: book("a"), relationships: ["friends": twice]), .repeatedObject),
      (ObjectPatch(updating: PatchIdentity("Note", other), new: ["text": "t"]), .wrongIdentifier),
    ]
    for (patch, code) in patches {
      let error = #expect(throws: PatchError.self) {
        try Patch(objects: [patch]).apply(to: context)
      }
      #expect(error?.code == code, "\(String(describing: error))")
    }
  }
}
