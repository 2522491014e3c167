import ObjectModel

/// A context of the naive model: objects as they were read, and as they are now.
final class NaiveContext {
  typealias Values = NaiveWorld.Values

  /// An object that the context has read or made.
  struct Object {
    /// The commit that it stands on.
    var base: Int
    /// What the store has of it there; nil where it has none.
    var snapshot: Values?
    /// What it has here; nil where it is deleted, or gone.
    var now: Values?
    /// The keys that were set, also to what they were.
    var set: Set<String> = []
    /// Those of them that ask for no save: they were set without a change, or kept by a save.
    var quiet: Set<String> = []
    /// Whether a save would take it.
    var isDirty = false
    /// What it had when it was deleted here.
    var remains: Values?
    /// What `awakeFromFetch` has given it.
    var given: Values = [:]
    /// Which time that was among all; 0 where it was not.
    var reading = 0
    /// The keys that were set, and over which reading.
    var over: [String: Int] = [:]

    init(base: Int, _ snapshot: Values?) {
      (self.base, self.snapshot, now) = (base, snapshot, snapshot)
    }

    var isThere: Bool { now != nil }
    var asksForSave: Bool { (now == nil) != (snapshot == nil) || !set.isSubset(of: quiet) }
    /// Whether it is not as it was read, or was set so.
    var differs: Bool { isThere != (snapshot != nil) || !set.isEmpty }
    var isInserted: Bool { isDirty && now != nil && snapshot == nil }
    var isUpdated: Bool { isDirty && now != nil && snapshot != nil }
    var isDeletedHere: Bool { isDirty && now == nil && snapshot != nil }
  }

  let world: NaiveWorld
  private(set) var objects: [ObjectID: Object] = [:]
  /// The posts of the blogs that were asked for them.
  private(set) var derived: [ObjectID: Set<ObjectID>] = [:]
  var history = NaiveHistory()
  /// How often `awakeFromFetch` was called.
  var readingCount = 0
  /// Deleted objects whose rules are to run, in the order of their deletion.
  var pendingDeletions: [ObjectID] = []
  /// What others have had lead to deleted objects since these were deleted, by key of these.
  var late: [ObjectID: [String: Set<ObjectID>]] = [:]
  /// What has happened since it was told of last.
  var event = NaiveEvent()
  /// What was told.
  var notifications: [NaiveNotification] = []

  init(_ world: NaiveWorld) { self.world = world }

  var hasChanges: Bool { objects.values.contains { $0.isDirty } }

  // MARK: Reading

  /// An object, which is read at the head of the store if it was not yet.
  func read(_ id: ObjectID) -> Object {
    if let object = objects[id] { return object }
    let object = fetched(id)
    put(id, object)
    return object
  }

  func isThere(_ id: ObjectID) -> Bool { read(id).isThere }

  /// A value as programs see it: a relationship to many always has one.
  func value(_ id: ObjectID, _ key: String) -> Value? {
    let object = read(id)
    switch world.key(key, of: id).kind {
    case .derived: return object.isThere ? .set(Set(posts(of: id).map(Value.reference))) : nil
    case .toMany: return object.isThere ? object.now?[key] ?? .set([]) : nil
    case .ordered: return object.isThere ? object.now?[key] ?? .array([]) : nil
    default: return object.shown(key)
    }
  }

  /// The posts that belong to a blog. When they are asked for first, they are those that the store says belong to
  /// it, without those that this context knows to belong elsewhere, and with those that it has set so. From then on
  /// they follow what becomes of posts in this context; what others do they do not follow.
  func posts(of blog: ObjectID) -> Set<ObjectID> {
    if let posts = derived[blog] { return posts }
    var posts = world.posts(of: blog).filter { objects[$0] == nil || belongs($0, to: blog) }
    for (id, object) in objects where object.set.contains("blog") && belongs(id, to: blog) {
      posts.insert(id)
    }
    derived[blog] = posts
    return posts
  }

  private func belongs(_ post: ObjectID, to blog: ObjectID) -> Bool {
    objects[post]?.now?["blog"] == .reference(blog)
  }

  /// Has an object be another; also where it has just been read.
  func put(_ id: ObjectID, _ object: Object) {
    let old = objects[id]?.now?["blog"]?.reference
    let new = object.now?["blog"]?.reference
    let isRead = objects[id] == nil
    objects[id] = object
    guard old != new else { return }
    if let old {
      touchOwner(old)
      derived[old]?.remove(id)
    }
    if let new {
      // To read a post is no change of its blog, unless this was asked for its posts and did not know it.
      if !isRead || derived[new]?.contains(id) == false { touchOwner(new) }
      derived[new]?.insert(id)
    }
  }

  private func touchOwner(_ blog: ObjectID) {
    if objects[blog]?.isThere ?? false { touch(blog) }
  }

  /// Has an object be as if it was never read.
  func forget(_ id: ObjectID) { objects[id] = nil }

  /// Notes that a post belongs to a blog, also where it did before and nobody knew.
  func notePost(_ post: ObjectID, of blog: ObjectID) { derived[blog]?.insert(post) }

  /// Notes that a post does not belong to a blog, also where it did not before and nobody knew.
  func notePost(_ post: ObjectID, goneFrom blog: ObjectID) {
    guard derived[blog]?.contains(post) ?? false else { return }
    touchOwner(blog)
    derived[blog]?.remove(post)
  }

  /// Notes that a post that was not read belongs to another blog.
  func notePost(_ post: ObjectID, from old: ObjectID?, to new: ObjectID?) {
    guard old != new else { return }
    // A blog that has it already gets nothing by it.
    if old == nil, let new, derived[new]?.contains(post) ?? false { return }
    for blog in [old, new].compactMap(\.self) { touchOwner(blog) }
    if let old { derived[old]?.remove(post) }
    if let new { derived[new]?.insert(post) }
  }

  /// Has everything that is changed stand on a commit, unless others have changed some of it.
  func stand(on commit: Int) {
    let early = objects.filter { $0.value.differs && $0.value.base < commit }
    guard early.allSatisfy({ !world.isChanged($0.key, after: $0.value.base) }) else { return }
    for id in early.keys { objects[id]?.base = commit }
  }

  /// Has a blog be asked for its posts anew.
  func forgetPosts(of blog: ObjectID) { derived[blog] = nil }

  // MARK: Changing

  /// Makes a new object.
  func insert(_ id: ObjectID, _ entity: String) {
    world.entities[id] = entity
    put(id, Object(base: world.head, nil))
    let defaults = NaiveKey.defaults(entity)
    change(id, nil) {
      $0.now = defaults
      $0.set = Set(defaults.keys)
      $0.isDirty = true
    }
  }

  /// Deletes an object; its rules run with the pending changes.
  func delete(_ id: ObjectID) {
    guard isThere(id) else { return }
    if world.entity(id) == "Blog" { _ = posts(of: id) }
    change(id, nil) {
      $0.remains = $0.now
      $0.now = nil
      ($0.set, $0.quiet) = ([], [])
      $0.isDirty = $0.snapshot != nil
    }
    late[id] = nil
    pendingDeletions.append(id)
  }

  /// Sets a value, also one that is there already: that dirties, can be undone, and ends what could be redone.
  func set(_ id: ObjectID, _ key: String, _ value: Value?) {
    guard isThere(id) else { return }
    if world.key(key, of: id).isRelationship { return relate(id, key, value) }
    hold(id, key, value)
  }

  /// Has an object hold a value by itself, without what leads back.
  func hold(_ id: ObjectID, _ key: String, _ value: Value?) {
    guard isThere(id) else { return }
    let held = world.key(key, of: id).held(value)
    change(id, key) {
      $0.now?[key] = held
      $0.over[key] = $0.reading
      $0.set.insert(key)
      $0.quiet.remove(key)
      $0.isDirty = true
    }
  }

  /// Sets a value without a change: a key counts as set if it differs, or the object has changes anyway.
  func setPrimitive(_ id: ObjectID, _ key: String, _ value: Value?) {
    var object = read(id)
    guard object.isThere else { return }
    object.now?[key] = value
    object.given[key] = nil
    if object.isDirty || object.now?[key] != object.snapshot?[key] {
      if object.set.insert(key).inserted { object.quiet.insert(key) }
    } else {
      object.set.remove(key)
      object.quiet.remove(key)
    }
    put(id, object)
  }

  /// Changes an object so that it can be undone: one key, or whether it is there.
  private func change(_ id: ObjectID, _ key: String?, _ body: (inout Object) -> Void) {
    var object = read(id)
    touch(id)
    let before = object
    body(&object)
    put(id, object)
    history.note(id, world.entity(id), key, before, object.now)
  }

  /// What a save would change, by equality; of dynamic attributes what was set.
  func changedValues(_ id: ObjectID) -> [String: Value?] {
    let object = read(id)
    guard object.isThere else { return [:] }
    var changed: [String: Value?] = [:]
    for key in object.set {
      let isDynamic = world.key(key, of: id).kind == .dynamic
      guard isDynamic || object.now?[key] != object.snapshot?[key] else { continue }
      changed.updateValue(object.now?[key], forKey: key)
    }
    return changed
  }

  /// No longer counts as set what is as it was, and shows it without being set.
  func reconcile(_ id: ObjectID) {
    var object = read(id)
    object.set = object.set.filter { object.isChanged($0) }
    object.quiet.formIntersection(object.set)
    object.isDirty = object.isDirty && object.asksForSave
    put(id, object)
  }
}
