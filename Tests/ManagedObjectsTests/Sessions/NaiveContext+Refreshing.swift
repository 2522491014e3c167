import ObjectModel

// Reading objects anew.
extension NaiveContext {
  /// Gives up the changes of an object and reads it again; one that was made here alone is left alone.
  func giveUp(_ id: ObjectID) {
    let object = read(id)
    guard object.snapshot != nil || world.row(id, at: world.head) != nil else { return }
    reading([id]) {
      forgetPosts(of: id)
      // A blog is asked for its posts anew when one of them is given up.
      if let blog = object.now?["blog"]?.reference { forgetPosts(of: blog) }
      forget(id)
      put(id, fetched(id))
    }
  }

  /// Has objects stand on the head. What was changed is put on what the store has now; what was set as it was
  /// is kept of dynamic attributes only. An object that is gone there is gone here, with its changes; one that was
  /// made here alone is left alone, and so is one that is gone, unless somebody has brought it back.
  func refresh(_ ids: Set<ObjectID>) {
    let shown = ids.filter {
      let object = read($0)
      let isStored = world.row($0, at: world.head) != nil
      return object.snapshot != nil || isStored && (object.isThere || !object.isDirty)
    }
    reading(shown) { for id in shown { readAnew(id) } }
  }

  func refresh(_ id: ObjectID) { refresh([id]) }

  func refreshAll() { refresh(Set(objects.keys)) }

  /// Brings in a commit: what was read before it is read anew. Of what was not read here it is told that it came,
  /// and blogs follow it that were asked for their posts.
  func merge(from commit: Int) {
    let (before, after) = (world.commits[commit - 1], world.commits[commit])
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    let old = changed.filter { objects[$0].map { $0.base < commit } ?? false }
    reading(old) { for id in old { readAnew(id) } }
    stand(on: commit)
    for id in changed where objects[id] == nil {
      // A later commit may have led it elsewhere, and blogs may have been asked since.
      let now = world.row(id, at: world.head)?["blog"]?.reference
      notePost(id, from: before[id]?["blog"]?.reference, to: now)
      notePost(id, from: after[id]?["blog"]?.reference, to: now)
    }
    tell(came: changed.filter { objects[$0] == nil && before[$0] == nil })
  }

  func readAnew(_ id: ObjectID) {
    let old = read(id)
    forgetPosts(of: id)
    put(id, readAnew(old, id))
  }

  /// What an object is that is read at the head, with what was changed of it here.
  ///
  /// - Parameter isTold: whether the object is told of it by `awakeFromFetch`.
  func readAnew(_ old: Object, _ id: ObjectID, telling isTold: Bool = true) -> Object {
    var new =
      isTold
      ? fetched(id) : Object(base: world.head, world.row(id, at: world.head)).given(asBy: old)
    guard new.snapshot != nil else { return new }
    new.remains = old.remains
    if !old.isThere {
      // What is gone comes back with others' commits; what is deleted here stays so.
      if old.isDirty { (new.now, new.isDirty) = (nil, true) }
      return new
    }
    for key in old.set {
      let info = world.key(key, of: id)
      let isChanged = info.kind == .dynamic || old.now?[key] != old.snapshot?[key]
      guard isChanged else { continue }
      // What came back on both sides nobody has added to anything.
      let isWhole = old.snapshot == nil && info.kind == .counter
      new.now?[key] =
        isWhole
        ? old.now?[key]
        : info.put(old.now?[key], madeOf: old.snapshot?[key], on: new.snapshot?[key])
      new.set.insert(key)
    }
    new.quiet = old.quiet.intersection(new.set)
    new.isDirty = old.isDirty && new.asksForSave
    return new
  }
}
