import ManagedObjects
import ObjectModel

// What `awakeFromFetch` gives lies under what is set, which covers it until it is taken back.
extension NaiveContext {
  /// What an object is at the head, which its hook is told of.
  func fetched(_ id: ObjectID) -> Object {
    var object = Object(base: world.head, world.row(id, at: world.head))
    guard world.givesValues, world.entity(id) == "Post", let row = object.snapshot else {
      return object
    }
    readingCount += 1
    object.reading = readingCount
    object.given["scratch"] = .string("of \(row["title"]?.string ?? "nothing")")
    if row["author"] == nil { object.given["author"] = "nobody" }
    return object
  }
}

extension NaiveContext.Object {
  /// What programs see: what was given, unless something is set over it, also what the store has.
  func shown(_ key: String) -> Value? {
    guard isThere else { return nil }
    return isSetOver(key) ? now?[key] : given[key] ?? now?[key]
  }

  private func isSetOver(_ key: String) -> Bool { set.contains(key) || over[key] == reading }

  /// Whether a key that was set is not as it was read, or not as it was given.
  func isChanged(_ key: String) -> Bool {
    now?[key] != snapshot?[key] || given[key].map { $0 != now?[key] } ?? false
  }

  /// Whether something that was given is shown.
  var isShowingGiven: Bool { given.keys.contains { !isSetOver($0) } }

  /// Whether something that was given is not shown, though nothing is set.
  var isCovering: Bool { given.keys.contains { !set.contains($0) && isSetOver($0) } }

  /// The same with what another was given.
  func given(asBy other: Self) -> Self {
    var object = self
    (object.given, object.reading, object.over) = (other.given, other.reading, other.over)
    return object
  }
}

/// A post that is given values when it is read.
final class GivenPost: ManagedObject {
  override class var entityName: String { "Post" }

  override func awakeFromFetch() {
    let title = value(forKey: "title")?.string ?? "nothing"
    setPrimitiveValue(.string("of \(title)"), forKey: "scratch")
    if value(forKey: "author") == nil { setValue("nobody", forKey: "author") }
  }

  /// A model whose posts are such.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: Stage.model().descriptions, classes: [GivenPost.self])
  }
}
