import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

// What programs do, at random.
extension SessionPair {
  private static let entities = ["Blog", "Post", "Comment", "Person"]

  /// The first steps make a few objects that all contexts know.
  func open(_ number: Int, _ count: Int) {
    let side = sides[0]
    switch number {
    case 0: for entity in Self.entities + ["Post"] { insert(side, entity) }
    case 1: for _ in 0..<3 { relate(side) }
    case 2: save(side, .error)
    default:
      for side in sides.dropFirst() {
        for id in world.commits[world.head].keys.sorted() { look(side, id) }
      }
    }
  }

  func step() {
    let side = sides[dice.pick(sides.count)]
    if world.givesValues, dice.pick(8) == 0 {
      setOverGiven(side)
      return compare(side)
    }
    switch dice.pick(47) {
    case 0...2: insert(side, Self.entities[dice.pick(4)])
    case 3...8: setPlain(side)
    case 9...11: setDynamic(side)
    case 12, 13: addLikes(side)
    case 14, 15: toggleTag(side)
    case 16...20: relate(side)
    case 21: delete(side)
    case 22: process(side)
    case 23...25: undo(side)
    case 26, 27: redo(side)
    case 28, 29: refresh(side)
    case 30: giveUp(side)
    case 31: refreshAll(side)
    case 32: if dice.pick(2) == 0 { rollback(side) }
    case 33: setPrimitive(side)
    case 34: reconcile(side)
    case 35: lookAtOne(side)
    case 36, 37: saveAgain(side)
    case 38: refreshOne(side)
    case 39: mergeLast(side)
    case 44: beginGroup(side)
    case 45, 46: endGroup(side)
    default: save(side, dice.pick(2) == 0 ? .error : NaivePolicy.allCases[dice.pick(5)])
    }
    compare(side)
  }

  // MARK: Objects

  private func insert(_ side: Side, _ entity: String) {
    let object = side.context.insert(entity)
    tell(side, "insert \(object)")
    side.objects[object.objectID] = object
    side.naive.insert(object.objectID, entity)
  }

  private func delete(_ side: Side) {
    guard let id = pick(Self.entities[dice.pick(4)], side) else { return }
    tell(side, "delete \(hold(side, id))")
    side.context.delete(hold(side, id))
    side.naive.delete(id)
  }

  /// Has a context read an object of the store that it may not have.
  private func look(_ side: Side, _ id: ObjectID) {
    tell(side, "look at \(hold(side, id))")
    let isThere = (try? side.context.existingObject(with: id)) != nil
    if isThere != side.naive.isThere(id) { differs("\(id) is there: \(isThere)") }
  }

  private func lookAtOne(_ side: Side) {
    let ids = world.commits[world.head].keys.filter { side.naive.objects[$0] == nil }.sorted()
    guard !ids.isEmpty else { return }
    look(side, ids[dice.pick(ids.count)])
  }

  // MARK: Values

  private func set(_ side: Side, _ id: ObjectID, _ key: String, _ value: Value?) {
    tell(side, "set \(hold(side, id)).\(key) = \(value.map { "\($0)" } ?? "nil")")
    if world.key(key, of: id).kind == .dynamic {
      hold(side, id)[key] = value
    } else {
      hold(side, id).setValue(value, forKey: key)
    }
    side.naive.set(id, key, value)
  }

  private func setPlain(_ side: Side) {
    guard let id = pick(dice.pick(6) == 0 ? "Blog" : "Post", side) else { return }
    let key =
      world.entity(id) == "Blog" ? "name" : ["title", "author", "score", "scratch"][dice.pick(4)]
    if dice.pick(key == "title" ? 20 : 5) == 0 { return set(side, id, key, nil) }
    let isLong = key == "author" && dice.pick(12) == 0
    let text =
      isLong ? "far too long a name" : key == "author" ? "t\(dice.pick(4))" : dice.shortOrLong()
    set(side, id, key, key == "score" ? .integer(dice.pick(4)) : .string(text))
  }

  /// Sets what was given, also to what the store has, step by step, and undoes some of it.
  private func setOverGiven(_ side: Side) {
    guard let id = pick("Post", side) else { return }
    let key = dice.pick(2) == 0 ? "scratch" : "author"
    for _ in 0...dice.pick(3) {
      if dice.pick(2) == 0 {
        set(side, id, key, nil)
      } else {
        set(side, id, key, .string(key == "author" ? "t\(dice.pick(4))" : dice.shortOrLong()))
      }
      if dice.pick(4) > 0 { process(side) }
    }
    for _ in 0..<dice.pick(3) { undo(side) }
  }

  private func setDynamic(_ side: Side) {
    guard let id = pick("Post", side) else { return }
    let key = ["mood", "color"][dice.pick(2)]
    if dice.pick(4) == 0 {
      set(side, id, key, nil)
    } else {
      set(side, id, key, .integer(dice.pick(3)))
    }
  }

  private func addLikes(_ side: Side) {
    guard let id = pick("Post", side) else { return }
    let likes = side.naive.value(id, "likes")?.counter ?? 0
    set(side, id, "likes", .counter(likes + dice.pick(5) - 1))
  }

  private func toggleTag(_ side: Side) {
    guard let id = pick("Post", side) else { return }
    var tags = side.naive.value(id, "tags")?.set ?? []
    let tag = Value.string("tag\(dice.pick(4))")
    if tags.remove(tag) == nil { tags.insert(tag) }
    set(side, id, "tags", .set(tags))
  }

  private func setPrimitive(_ side: Side) {
    guard let id = pick("Post", side) else { return }
    let value = Value.string("p\(dice.pick(3))")
    let key = dice.pick(2) == 0 ? "scratch" : "author"
    tell(side, "primitive \(hold(side, id)).\(key) = \(value)")
    hold(side, id).setPrimitiveValue(value, forKey: key)
    side.naive.setPrimitive(id, key, value)
  }

  private func reconcile(_ side: Side) {
    guard let id = pick("Post", side) else { return }
    tell(side, "reconcile \(hold(side, id))")
    hold(side, id).reconcileChanges()
    side.naive.reconcile(id)
  }

  // MARK: Relationships

  private func relate(_ side: Side) {
    func one(_ entity: String) -> Value? {
      guard dice.pick(5) > 0, let id = pick(entity, side) else { return nil }
      return .reference(id)
    }
    func set(_ ids: [ObjectID]) -> Value { .set(Set(ids.map(Value.reference))) }
    let choices: [(String, String, () -> Value?)] = [
      ("Post", "blog", { one("Blog") }), ("Comment", "post", { one("Post") }),
      ("Blog", "editor", { one("Person") }), ("Person", "edits", { one("Blog") }),
      ("Blog", "posts", { set(self.some("Post", side)) }),
      ("Post", "readers", { set(self.some("Person", side)) }),
      ("Person", "reads", { set(self.some("Post", side)) }),
      ("Post", "comments", { .array(self.some("Comment", side).map(Value.reference)) }),
    ]
    let (entity, key, value) = choices[dice.pick(choices.count)]
    guard let id = pick(entity, side) else { return }
    if let members = Self.members[key], dice.pick(3) == 0 {
      return changeMember(side, id, key, of: members)
    }
    self.set(side, id, key, value())
  }

  private static let members = [
    "posts": "Post", "readers": "Person", "reads": "Post", "comments": "Comment",
  ]

  /// Puts one member in that is not there, or takes one out that is: as setting all, and where these are answered from
  /// what leads back, as setting that.
  private func changeMember(_ side: Side, _ id: ObjectID, _ key: String, of entity: String) {
    guard let member = pick(entity, side) else { return }
    // Of what is answered from what leads back nothing is read.
    let isAnswered = key == "posts"
    let held = isAnswered ? [] : side.naive.value(id, key).destinations
    let isThere =
      isAnswered ? side.naive.value(member, "blog") == .reference(id) : held.contains(member)
    tell(side, "\(isThere ? "remove" : "insert") \(member) of \(hold(side, id)).\(key)")
    if isThere {
      hold(side, id).remove(hold(side, member), from: key)
    } else {
      hold(side, id).insert(hold(side, member), into: key)
    }
    if isAnswered { return side.naive.set(member, "blog", isThere ? nil : .reference(id)) }
    let members = (isThere ? held.filter { $0 != member } : held + [member]).map(Value.reference)
    side.naive.set(id, key, key == "comments" ? .array(members) : .set(Set(members)))
  }
}
