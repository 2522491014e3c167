import ManagedObjects
import ObjectModel
import Testing
import XJournal

/// A value that its type stores, and does not read again.
private struct Riddle: AttributeConvertible {
  static let attributeType = AttributeType.string
  var storedValue: Value? { "stored" }
  init() {}
  init?(storedValue: Value?) { return nil }
}

/// Stores colours, and reads none.
private struct OneWay: ValueTransformer {
  func encode(_ color: Color) throws -> Value { "a colour" }
  func decode(_ value: Value) throws -> Color { throw ColorTransformer.TooRed() }
}

private final class Sphinx: ManagedObject {
  @Attribute("riddle") var riddle: Riddle = Riddle()
  @Attribute("ground", .transformed(by: OneWay())) var ground: Color = Color(blue: 9)
  @Attribute("cover", .transformed(by: ColorTransformer())) var cover: Color?
}

private final class Home: ManagedObject {}

private final class Note: ManagedObject {
  @Relationship("home", inverse: "notes") var home: Home?
}

/// What a program does that it must not, and what it is told when it ends by that.
@Suite struct MisuseTests {
  enum Misuse: String, CaseIterable, Codable, Sendable {
    case unknownClass, misspeltEntity, strangeEntity, deletionElsewhere, undoElsewhere
    case objectOfNoEntity, noTransformer, otherType, computedSet, misspeltKey, computedMisfit
    case primitiveMisfit, valueMisfit, keyOfAnother, destinationWithoutClass, defaultUnread
    case defaultUndecoded, strangeCommit

    var words: String {
      switch self {
      case .unknownClass: "Note is not in the model that the store was opened with."
      case .misspeltEntity: "the model has no entity ‘Pots’; did you mean ‘Post’?"
      case .strangeEntity: "the model has no entity ‘Zeppelin’."
      case .deletionElsewhere: "is an object of another context; delete it there."
      case .undoElsewhere: "is an object of another context; undo it there."
      case .objectOfNoEntity: "is not an object of this store, or of no entity that it has."
      case .noTransformer:
        "Sphinx.riddle has no transformer; give the model one, or use value(forKey:)."
      case .otherType: "the transformer of Sphinx.cover makes no Int."
      case .computedSet: "Post.headline is computed and cannot be set."
      case .misspeltKey: "Post has no key ‘titel’; did you mean ‘title’?"
      case .computedMisfit: "Post.byline cannot be set to 5; it takes a String."
      case .primitiveMisfit: "Post.title cannot hold 3; it takes values of type string."
      case .valueMisfit:
        "Post.title cannot be set to 3, which is integer; it takes values of type string."
      case .keyOfAnother: "the key ‘name’ was looked up for Blog, not for"
      case .destinationWithoutClass: "give the model Home, too."
      case .defaultUnread: "Sphinx.riddle has no value, and its default cannot be read."
      case .defaultUndecoded: "Sphinx.ground has no value, and its default cannot be read."
      case .strangeCommit: "a commit of another store is brought in"
      }
    }

    func commit() throws {
      let stage = try Stage(Headlines.model())
      let (context, other) = (stage.context(), stage.context())
      defer { withExtendedLifetime((context, other)) {} }
      switch self {
      case .unknownClass: context.insert(Note.self)
      case .misspeltEntity: context.insert("Pots")
      case .strangeEntity: context.insert("Zeppelin")
      case .deletionElsewhere: context.delete(other.insert("Post"))
      case .undoElsewhere: try context.undo(other.insert("Post"))
      case .objectOfNoEntity: _ = context.object(with: MisuseTests.objectOfNoEntity(context))
      case .computedSet: context.insert("Post").setValue("x", forKey: "headline")
      case .misspeltKey: _ = context.insert("Post").value(forKey: "titel")
      case .computedMisfit: context.insert("Post").setValue(5, forKey: "byline")
      case .primitiveMisfit: context.insert("Post").setPrimitiveValue(3, forKey: "title")
      case .valueMisfit: context.insert("Post").setValue(3, forKey: "title")
      case .keyOfAnother:
        guard let key = context.resolvedKey("name", of: "Blog") else { return }
        _ = context.insert("Post")[key]
      case .strangeCommit:
        let strange = try Stage(seed: 2).context()
        strange.insert("Blog")
        if let commit = try strange.save() { context.merge(from: commit) }
      case .noTransformer, .otherType, .defaultUnread, .defaultUndecoded: try ask()
      case .destinationWithoutClass: try leadToHome()
      }
    }

    private func ask() throws {
      let context = try Stage(ManagedObjectModel(Sphinx.self)).context()
      let sphinx = context.insert(Sphinx.self)
      defer { withExtendedLifetime(context) {} }
      switch self {
      case .noTransformer: _ = try sphinx.transformedValue(forKey: "riddle", as: Color.self)
      case .otherType:
        sphinx.cover = Color(red: 1)
        _ = try sphinx.transformedValue(forKey: "cover", as: Int.self)
      case .defaultUnread: _ = sphinx.riddle
      default: _ = sphinx.ground
      }
    }

    /// The model has the entity of homes, and not their class.
    private func leadToHome() throws {
      let model = try ManagedObjectModel(
        entities: [
          EntityDescription(
            "Home",
            relationships: [
              RelationshipDescription("notes", to: "Note", inverse: "home", isToMany: true)
            ])
        ], classes: [Note.self])
      let context = try Stage(model).context()
      defer { withExtendedLifetime(context) {} }
      let (note, home) = (context.insert(Note.self), context.insert("Home"))
      note.setValue(home.reference, forKey: "home")
      _ = note.home
    }
  }

  /// What could be the ID of an object, if there were more entities.
  private static func objectOfNoEntity(_ context: ManagedObjectContext) -> ObjectID {
    let id = context.insert("Post").objectID
    return ObjectID(
      origin: id.origin, entity: EntityNumber(rawValue: 99), number: 1, store: id.store)
  }

  @Test(arguments: Misuse.allCases)
  func `S7, S17, S18, S36, S43: a misuse ends the program, with a word that says what to do`(
    misuse: Misuse
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse] in try misuse.commit()
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(misuse.words), "\(said)")
  }

  @Test func `S6, S7: an object of no entity is not there, and asking for it throws`() throws {
    let stage = try Stage()
    let context = stage.context()
    let id = Self.objectOfNoEntity(context)
    #expect(throws: ContextError.objectMissing(id)) { try context.existingObject(with: id) }
    #expect(context.registeredObject(for: id) == nil)
    #expect(try context.rowShown(of: id) == nil && !context.isShown(id))
  }

  @Test
  func `S17: a key is looked up for an entity or a class, where no accessor stands before it`()
    throws
  {
    let stage = try Stage(ManagedObjectModel(Blog.self, Post.self, Comment.self))
    let context = stage.context()
    let post = context.insert(Post.self)
    let title = try #require(context.resolvedKey("title", of: Post.self))
    #expect(title.name == "title" && post[title] == "Untitled")
    post[title] = "By the key"
    #expect(post.title == "By the key" && post.changedValues()["title"] == "By the key")
    #expect(context.resolvedKey("headline", of: Post.self) == nil)
    #expect(context.resolvedKey("titel", of: "Post") == nil)
    #expect(context.resolvedKey("title", of: "Pots") == nil)
    #expect(context.resolvedKey("title", of: Note.self) == nil)
  }

  @Test func `S17: an entity may take any key as a dynamic attribute`() throws {
    let stage = try Stage(
      ManagedObjectModel(entities: [EntityDescription("Bag", allowsAnyKey: true)]))
    let context = stage.context()
    let bag = context.insert("Bag")
    #expect(bag.value(forKey: "apples") == nil)
    bag.setValue(3, forKey: "apples")
    try context.save()
    let other = stage.context()
    let found = try other.existingObject(with: bag.objectID)
    #expect(found.value(forKey: "apples") == 3 && found["apples"] == 3)
    #expect(found.primitiveValue(forKey: "apples") == 3)
  }
}
