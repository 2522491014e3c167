import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

/// Stores in memory with things that refer to each other in every way there is, and a way to look at them.
struct PatchStage {
  let disk: SimulatedDisk
  let store: JournaledStore

  init(seed: UInt64 = 1) throws {
    disk = SimulatedDisk(seed: seed)
    store = try JournaledStore(on: disk, at: "store", model: try Self.model(), options: .light)
  }

  /// A copy of the store as it is.
  func copy() throws -> JournaledStore {
    try JournaledStore(
      on: disk.imageAfterProcessDeath(), at: "store", model: try Self.model(), options: .light)
  }

  func context() -> ManagedObjectContext { ManagedObjectContext(store, isolation: nil) }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Thing", isAbstract: true,
        attributes: [
          AttributeDescription("guid", .string, isIdentifier: true),
          AttributeDescription("name", .string, defaultValue: "new"),
          AttributeDescription("score", .integer),
          AttributeDescription("likes", .counter, isOptional: false),
          AttributeDescription("tags", .set, isOptional: false),
          AttributeDescription("shade", .transformed(by: "Shade")),
          AttributeDescription("scratch", .string, isTransient: true),
        ],
        relationships: [
          RelationshipDescription("parent", to: "Thing", inverse: "children"),
          RelationshipDescription("children", to: "Thing", inverse: "parent", isToMany: true),
          RelationshipDescription("owner", to: "Thing", inverse: "owned"),
          RelationshipDescription(
            "owned", to: "Thing", inverse: "owner", isToMany: true, deleteRule: .cascade),
          RelationshipDescription("boss", to: "Thing", inverse: "deputy"),
          RelationshipDescription("deputy", to: "Thing", inverse: "boss"),
          RelationshipDescription("friends", to: "Thing", inverse: "fans", isToMany: true),
          RelationshipDescription("fans", to: "Thing", inverse: "friends", isToMany: true),
          RelationshipDescription(
            "items", to: "Thing", inverse: "holders", isToMany: true, isOrdered: true),
          RelationshipDescription("holders", to: "Thing", inverse: "items", isToMany: true),
          RelationshipDescription("whole", to: "Thing", inverse: "parts"),
          RelationshipDescription(
            "parts", to: "Thing", inverse: "whole", isToMany: true, isOrdered: true,
            deleteRule: .cascade),
          RelationshipDescription("see", to: "Thing"),
          RelationshipDescription("path", to: "Thing", isToMany: true, isOrdered: true),
          RelationshipDescription("marks", to: "Thing", inverse: "marking", isToMany: true),
          RelationshipDescription(
            "marking", to: "Thing", inverse: "marks", isToMany: true, deleteRule: .noAction),
          RelationshipDescription(
            "notes", to: "Note", inverse: "about", isToMany: true, deleteRule: .cascade),
        ]),
      EntityDescription(
        "Book", parent: "Thing",
        attributes: [
          AttributeDescription("pages", .real), AttributeDescription("due", .date),
        ]),
      EntityDescription(
        "Film", parent: "Thing",
        attributes: [
          AttributeDescription("still", .data), AttributeDescription("id", .uuid),
          AttributeDescription("facts", .dictionary, merging: .byKey),
        ]),
      EntityDescription(
        "Note", attributes: [AttributeDescription("text", .string)],
        relationships: [
          RelationshipDescription("about", to: "Thing", inverse: "notes"),
          RelationshipDescription("next", to: "Note", inverse: "previous"),
          RelationshipDescription("previous", to: "Note", inverse: "next"),
        ]),
    ])
  }
}

/// All that a context shows, with objects by what a patch names them by.
struct GraphPicture: Equatable, CustomStringConvertible {
  struct Content: Equatable {
    var values: [String: Value] = [:]
    var links: [String: [String]] = [:]
  }

  private(set) var objects: [String: Content] = [:]

  static let dynamicKeys = ["mood", "plan"]

  init(_ context: ManagedObjectContext) throws {
    for entity in ["Book", "Film", "Note"] {
      for object in try context.fetch(FetchRequest(entity)) {
        objects[Self.name(of: object)] = try Self.content(of: object, context)
      }
    }
  }

  static func name(of object: ManagedObject) -> String {
    let guid = object.entity.name == "Note" ? nil : object.value(forKey: "guid")?.string
    return "\(object.entity.name) \(guid ?? object.objectID.uri)"
  }

  private static func content(
    of object: ManagedObject, _ context: ManagedObjectContext
  ) throws -> Content {
    var content = Content()
    let thing = object.entity.parent == nil ? nil : "Thing"
    for description in try PatchStage.model().descriptions
    where description.name == object.entity.name || description.name == thing {
      for attribute in description.attributes where !attribute.isTransient {
        content.values[attribute.name] = object.value(forKey: attribute.name)
      }
      for relationship in description.relationships {
        let ids: [ObjectID]
        switch object.value(forKey: relationship.name) {
        case .reference(let id)?: ids = [id]
        case .set(let members)?: ids = members.compactMap(\.reference)
        case .array(let members)?: ids = members.compactMap(\.reference)
        default: ids = []
        }
        let names = ids.compactMap { try? context.existingObject(with: $0) }
          .filter { !$0.isDeleted }.map(name)
        if !names.isEmpty {
          content.links[relationship.name] = relationship.isOrdered ? names : names.sorted()
        }
      }
    }
    for key in dynamicKeys { content.values[key] = object[key] }
    return content
  }

  var description: String { "\(objects.count) objects" }

  /// Relationships that nobody clears when what they lead to goes.
  static let deadEnds = ["see", "path", "marks", "marking"]

  /// The picture without what leads to objects that may have gone, and come again as others.
  var withoutDeadEnds: GraphPicture {
    var picture = self
    for name in objects.keys {
      for key in Self.deadEnds { picture.objects[name]?.links[key] = nil }
    }
    return picture
  }

  /// A connection that does not lead back.
  var oneSided: String? {
    let inverses = [
      "parent": "children", "boss": "deputy", "friends": "fans", "items": "holders",
      "whole": "parts", "owner": "owned", "about": "notes", "next": "previous",
    ]
    for (name, content) in objects {
      for (key, inverse) in inverses.map({ ($0, $1) }) + inverses.map({ ($1, $0) }) {
        for other in content.links[key] ?? []
        where objects[other]?.links[inverse]?.contains(name) != true {
          return "\(name).\(key) leads to \(other), whose \(inverse) does not lead back"
        }
      }
    }
    return nil
  }

  /// What differs, for a message.
  func difference(from other: GraphPicture) -> String? {
    var lines: [String] = []
    for name in Set(objects.keys).union(other.objects.keys).sorted() {
      let (one, two) = (objects[name], other.objects[name])
      guard one != two else { continue }
      guard let one, let two else {
        lines.append("\(name) \(one == nil ? "missing" : "too many")")
        continue
      }
      for key in Set(one.values.keys).union(two.values.keys).sorted()
      where one.values[key] != two.values[key] {
        lines.append("\(name).\(key) \(one.values[key] ?? .null) not \(two.values[key] ?? .null)")
      }
      for key in Set(one.links.keys).union(two.links.keys).sorted()
      where one.links[key] != two.links[key] {
        lines.append("\(name).\(key) \(one.links[key] ?? []) not \(two.links[key] ?? [])")
      }
    }
    return lines.isEmpty ? nil : lines.prefix(6).joined(separator: "\n    ")
  }
}
