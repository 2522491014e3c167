import ObjectModel

/// What the store and its contexts should hold, kept as whole rows in dictionaries: slow, and plainly right.
///
/// It was written from docs/semantics.md alone and knows of the library only the values and IDs. Where the
/// statements leave a choice, a sentence here says what was chosen.
final class NaiveWorld {
  /// What an object has by key; what is absent is no value.
  typealias Values = [String: Value]

  /// The rows of every commit, from nothing on.
  private(set) var commits: [[ObjectID: Values]] = [[:]]
  /// Whether posts are given values when they are read.
  let givesValues: Bool
  /// The entities of all objects that were ever made.
  var entities: [ObjectID: String] = [:]

  init(givingValues givesValues: Bool) { self.givesValues = givesValues }

  var head: Int { commits.count - 1 }

  func row(_ object: ObjectID, at commit: Int) -> Values? { commits[commit][object] }

  /// Whether a commit after another has changed an object, also where it has been changed back.
  func isChanged(_ object: ObjectID, after commit: Int) -> Bool {
    zip(commits[commit...], commits[(commit + 1)...]).contains { $0[object] != $1[object] }
  }

  /// Makes a commit; nil where no row differs from what there was.
  func commit(_ rows: [ObjectID: Values?]) -> Int? {
    let differing = rows.filter { row($0.key, at: head) != $0.value }
    guard !differing.isEmpty else { return nil }
    var state = commits[head]
    for (object, row) in differing { state[object] = row }
    commits.append(state)
    return head
  }

  func entity(_ object: ObjectID) -> String { entities[object] ?? "" }

  func key(_ name: String, of object: ObjectID) -> NaiveKey { .of(entity(object), name) }

  /// The posts that say at the head that they belong to a blog.
  func posts(of blog: ObjectID) -> Set<ObjectID> {
    Set(commits[head].filter { $0.value["blog"] == .reference(blog) }.keys)
  }
}

/// How a key of the stage's model behaves.
struct NaiveKey {
  enum Kind { case plain, transient, dynamic, counter, set, toOne, toMany, ordered, derived }

  let kind: Kind
  /// The key that leads back.
  var inverse = ""

  /// Whether what two contexts do to it always goes together.
  var merges: Bool {
    switch kind {
    case .counter, .set, .toMany, .ordered: true
    case .plain, .transient, .dynamic, .toOne, .derived: false
    }
  }

  /// Whether it leads to objects.
  var isRelationship: Bool { !inverse.isEmpty }

  /// A value as it is held here: a relationship without destinations has none.
  func held(_ value: Value?) -> Value? {
    guard isRelationship else { return value?.kind == .null ? nil : value }
    return NaiveContext.objects(value).isEmpty ? nil : value
  }

  static let model: [String: [String: NaiveKey]] = [
    "Blog": [
      "name": NaiveKey(kind: .plain),
      // Not held by the blog: a blog is not changed by posts that come and go.
      "posts": NaiveKey(kind: .derived, inverse: "blog"),
      "editor": NaiveKey(kind: .toOne, inverse: "edits"),
    ],
    "Post": [
      "title": NaiveKey(kind: .plain), "author": NaiveKey(kind: .plain),
      "likes": NaiveKey(kind: .counter), "tags": NaiveKey(kind: .set),
      "score": NaiveKey(kind: .plain), "scratch": NaiveKey(kind: .transient),
      "blog": NaiveKey(kind: .toOne, inverse: "posts"),
      "comments": NaiveKey(kind: .ordered, inverse: "post"),
      "readers": NaiveKey(kind: .toMany, inverse: "reads"),
    ],
    "Comment": [
      "text": NaiveKey(kind: .plain), "post": NaiveKey(kind: .toOne, inverse: "comments"),
    ],
    "Person": [
      "name": NaiveKey(kind: .plain), "reads": NaiveKey(kind: .toMany, inverse: "readers"),
      "edits": NaiveKey(kind: .toOne, inverse: "editor"),
    ],
  ]

  /// What becomes of what a relationship of a deleted object leads to.
  static func rule(_ key: String) -> DeleteRule {
    ["comments": .cascade, "edits": .deny][key] ?? .nullify
  }

  static func of(_ entity: String, _ name: String) -> NaiveKey {
    model[entity]?[name] ?? NaiveKey(kind: .dynamic)
  }

  /// What a new object has: also counters and sets that must have a value begin with none and nothing.
  static func defaults(_ entity: String) -> NaiveWorld.Values {
    entity == "Post" ? ["title": "Untitled", "likes": .counter(0), "tags": .set([])] : [:]
  }

  // MARK: Merging

  /// What became `ours` of `base`, put on `theirs`, which others have made of it. Nil is no value.
  func put(_ ours: Value?, madeOf base: Value?, on theirs: Value?) -> Value? {
    if base == theirs || !merges { return ours }
    if base == ours { return theirs }
    return held(merged(ours, base, theirs))
  }

  private func merged(_ ours: Value?, _ base: Value?, _ theirs: Value?) -> Value? {
    switch kind {
    case .counter:
      let amount = (ours?.counter ?? 0) - (base?.counter ?? 0)
      return .counter((theirs?.counter ?? 0) + amount)
    case .ordered:
      let (ours, base, theirs) = (ours?.array ?? [], base?.array ?? [], theirs?.array ?? [])
      return Self.order(ours, base, theirs)
    default:
      let (ours, base, theirs) = (ours?.set ?? [], base?.set ?? [], theirs?.set ?? [])
      return .set(theirs.subtracting(base.subtracting(ours)).union(ours.subtracting(base)))
    }
  }

  /// Members as of sets. Their order is theirs where they have moved what was there, and else ours; what the other
  /// side inserted stands behind what it stood behind there, or at the beginning.
  static func order(_ ours: [Value], _ base: [Value], _ theirs: [Value]) -> Value {
    let members = Set(theirs).subtracting(Set(base).subtracting(ours))
      .union(Set(ours).subtracting(base))
    func common(_ side: [Value], _ other: [Value]) -> [Value] {
      side.filter { other.contains($0) }
    }
    let theyMoved = common(theirs, base) != common(base, theirs)
    let (leading, following) = theyMoved ? (theirs, ours) : (ours, theirs)
    var order = leading.filter { members.contains($0) }
    for (place, member) in following.enumerated()
    where members.contains(member) && !order.contains(member) {
      let before = following[..<place].last { order.contains($0) }
      let index = before.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      order.insert(member, at: index)
    }
    return .array(order)
  }
}
