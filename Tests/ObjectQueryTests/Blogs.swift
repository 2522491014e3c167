import FoundationEssentials
import ObjectModel
import ObjectQuery
import Testing

/// A model with a key of every type, and objects of it in memory.
enum Blogs {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog", attributes: [AttributeDescription("title", .string)],
        relationships: [
          RelationshipDescription("posts", to: "Post", inverse: "blog", isToMany: true)
        ]),
      EntityDescription(
        "Post", allowsAnyKey: true,
        attributes: [
          AttributeDescription("flag", .boolean), AttributeDescription("likes", .integer),
          AttributeDescription("score", .real), AttributeDescription("price", .decimal),
          AttributeDescription("title", .string), AttributeDescription("bytes", .data),
          AttributeDescription("postDate", .date), AttributeDescription("number", .uuid),
          AttributeDescription("link", .url), AttributeDescription("settings", .dictionary),
          AttributeDescription("views", .counter), AttributeDescription("tags", .set),
          AttributeDescription("shape", .transformed(by: "shape")),
        ],
        relationships: [
          RelationshipDescription("blog", to: "Blog", inverse: "posts"),
          RelationshipDescription("comments", to: "Comment", inverse: "post", isToMany: true),
        ]),
      EntityDescription(
        "Comment",
        attributes: [
          AttributeDescription("text", .string), AttributeDescription("likes", .integer),
        ],
        relationships: [RelationshipDescription("post", to: "Post", inverse: "comments")]),
    ])
  }

  /// The numbers of all keys, in alphabetical order.
  static let keys = [
    "blog", "bytes", "comments", "flag", "likes", "link", "mood", "number", "post", "postDate",
    "posts", "price", "rank", "score", "settings", "shape", "tags", "text", "title", "views",
  ]
  static func key(_ name: String) -> KeyNumber {
    KeyNumber(rawValue: UInt32(keys.firstIndex(of: name) ?? 999))
  }

  static func id(_ entity: String, _ number: Int) -> ObjectID {
    let place = ["Blog", "Post", "Comment"].firstIndex(of: entity) ?? 0
    return ObjectID(
      entity: EntityNumber(rawValue: UInt16(place)), number: UInt64(number),
      store: StoreTag(rawValue: 7))
  }
}

/// Knows the keys of the model, the dynamic keys `mood` and `rank`, and the virtual key `double`.
struct BlogKeys: KeyResolver {
  var allowsUnusedKeys = false

  func resolve(_ key: String, of entity: ModelEntity) -> ResolvedKey? {
    if entity.name == "Post", key == "double" { return .virtual(2) }
    let isDynamic = entity.name == "Post" && (key == "mood" || key == "rank")
    guard isDynamic || entity.property(key) != nil else { return nil }
    return .stored(Blogs.key(key))
  }

  func otherKeys(of entity: ModelEntity) -> [String] { entity.name == "Post" ? ["double"] : [] }
}

/// An object in memory. It leads to others by name, and its relationships can be empty.
final class Thing: QueryObject {
  /// What a value that is not to be read throws.
  struct Unreadable: Error {}

  let objectID: ObjectID
  var values: [KeyNumber: Value]
  var one: [KeyNumber: Thing] = [:]
  var many: [KeyNumber: [Thing]] = [:]

  init(_ entity: String, _ number: Int, _ values: [String: Value] = [:]) {
    objectID = Blogs.id(entity, number)
    self.values = [:]
    for (name, value) in values { self.values[Blogs.key(name)] = value }
  }

  func value(of key: KeyNumber) throws(Unreadable) -> Value {
    if let destination = one[key] { return .reference(destination.objectID) }
    return values[key] ?? .null
  }

  /// Twice the likes.
  func virtualValue(_ number: Int) throws(Unreadable) -> Value {
    try value(of: Blogs.key("likes")).integer.map { .integer($0 * number) } ?? .null
  }

  func related(by key: KeyNumber) throws(Unreadable) -> Thing? { one[key] }

  func forEachRelated(
    by key: KeyNumber, _ body: (Thing) throws(Unreadable) -> Bool
  ) throws(Unreadable) {
    for thing in many[key, default: []] where try !body(thing) { return }
  }

  func countOfRelated(by key: KeyNumber) throws(Unreadable) -> Int { many[key, default: []].count }
}

extension Filter {
  /// The filter bound to posts, or to another entity.
  func bound(
    _ entity: String = "Post", text: String? = nil, _ keys: BlogKeys = BlogKeys()
  ) throws -> BoundFilter {
    let model = try Blogs.model()
    let found = try #require(model.entity(named: entity))
    return try bound(to: found, of: model, keys, text: text)
  }
}

/// Whether a post with some values passes a filter.
func admits(_ text: String, _ values: [String: Value] = [:]) throws -> Bool {
  try Filter(text).bound().admits(Thing("Post", 1, values))
}
