import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Clubs and their members, who say which club they are in.
enum Clubs {
  static func model(
    deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minCount: Int? = nil,
    maxCount: Int? = nil
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Club", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription(
            "members", to: "Member", inverse: "club", isToMany: true, isOptional: isOptional,
            minCount: minCount, maxCount: maxCount, deleteRule: deleteRule)
        ]),
      EntityDescription(
        "Member", attributes: [AttributeDescription("name", .string)],
        relationships: [RelationshipDescription("club", to: "Club", inverse: "members")]),
    ])
  }
}

@Suite struct CountTests {
  @Test func `S62: how many lead to an object is checked when members come and go`() throws {
    let stage = try Stage(Clubs.model(isOptional: false, minCount: 1, maxCount: 2))
    let context = stage.context()
    let club = context.insert("Club")
    let members = (0..<3).map { _ in context.insert("Member") }
    members[0].setValue(club.reference, forKey: "club")
    try context.save()
    func kinds() throws -> [ValidationFailure.Kind] {
      let errors = try #require(throws: ValidationErrors.self) { try context.save() }
      #expect(errors.failures.allSatisfy { $0.objectID == club.objectID && $0.key == "members" })
      return errors.failures.map(\.kind)
    }
    members[0].setValue(nil, forKey: "club")
    #expect(try kinds() == [.missing])
    context.rollback()
    context.delete(members[0])
    #expect(try kinds() == [.missing])
    context.rollback()
    for member in members { member.setValue(club.reference, forKey: "club") }
    #expect(try kinds() == [.tooMany(3, maximum: 2)])
    context.rollback()
    club.setValue(.set(Set(members.map(\.reference))), forKey: "members")
    #expect(try kinds() == [.tooMany(3, maximum: 2)])
    // Of an object that is saved itself it is told once.
    club.setValue("full", forKey: "name")
    #expect(try kinds() == [.tooMany(3, maximum: 2)])
    context.delete(members[2])
    try context.save()
  }

  @Test func `S62: a class is asked about what its relationships lead to`() throws {
    let stage = try Stage(
      ManagedObjectModel(entities: Stage.model().descriptions, classes: [AskedPost.self]))
    let context = stage.context()
    let (post, blog) = (context.insert(AskedPost.self), context.insert("Blog"))
    post.setValue(blog.reference, forKey: "blog")
    try context.save()
    #expect(post.asked["blog"] == blog.reference && post.asked["comments"] == .array([]))
    post.refused = "readers"
    post.setValue("changed", forKey: "title")
    let errors = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(errors.failures.map(\.key) == ["readers"])
  }
}

private final class AskedPost: ManagedObject {
  override class var entityName: String { "Post" }

  struct Refusal: Error {}

  var asked: [String: Value] = [:]
  var refused = ""

  override func validateValue(_ value: Value?, forKey key: String) throws {
    asked[key] = value
    if key == refused { throw Refusal() }
  }
}
