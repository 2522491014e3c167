import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

/// Does what programs do, at random, in several contexts over one store.
final class RandomSession {
  let stage: Stage
  var dice: Dice
  private(set) var contexts: [ManagedObjectContext] = []
  /// What was done, for whoever has to find out why something differs.
  private(set) var story: [String] = []

  convenience init(seed: UInt64, contextCount: Int) throws {
    self.init(seed: seed, contextCount: contextCount, on: try Stage())
  }

  init(seed: UInt64, contextCount: Int, on stage: Stage) {
    self.stage = stage
    dice = Dice(seed: seed)
    for number in 0..<contextCount {
      let context = stage.context()
      context.name = "context \(number)"
      contexts.append(context)
    }
  }

  init(seed: UInt64, _ contexts: (Stage) -> [ManagedObjectContext]) throws {
    stage = try Stage()
    dice = Dice(seed: seed)
    self.contexts = contexts(stage)
  }

  /// The objects of an entity that a context can do something to.
  private func objects(_ entity: String, in context: ManagedObjectContext) -> [ManagedObject] {
    var found: Set<ManagedObject> = context.registeredObjects.filter {
      $0.entity.name == entity && !$0.isDeleted
    }
    for id in stage.objectIDs(entity) {
      guard let object = try? context.existingObject(with: id), !object.isDeleted else { continue }
      found.insert(object)
    }
    return found.sorted { $0.objectID < $1.objectID }
  }

  func pick(_ entity: String, in context: ManagedObjectContext) -> ManagedObject? {
    let objects = objects(entity, in: context)
    return objects.isEmpty ? nil : objects[dice.pick(objects.count)]
  }

  /// Tells what is done.
  func tell(_ what: String) { story.append(what) }

  /// Does one thing.
  func step() {
    let number = dice.pick(contexts.count)
    let context = contexts[number]
    func tell(_ what: String) { story.append("\(number): \(what)") }
    switch dice.pick(30) {
    case 0...2:
      let entity = ["Blog", "Post", "Comment", "Person"][dice.pick(4)]
      tell("insert \(context.insert(entity))")
    case 3...6:
      guard let post = pick("Post", in: context) else { return }
      let key = ["title", "author", "score", "scratch"][dice.pick(4)]
      let value: Value? =
        dice.pick(5) == 0
        ? Value.null
        : key == "score"
          ? .integer(dice.pick(4))
          : .string(key == "author" ? "t\(dice.pick(4))" : dice.shortOrLong())
      tell("set \(post).\(key) = \(value ?? .null)")
      post.setValue(value, forKey: key)
    case 7, 8:
      guard let post = pick("Post", in: context) else { return }
      let key = ["mood", "color"][dice.pick(2)]
      let value: Value? = dice.pick(4) == 0 ? Value.null : .integer(dice.pick(3))
      tell("set \(post)[\(key)] = \(value ?? .null)")
      post[key] = value
    case 9:
      guard let post = pick("Post", in: context) else { return }
      let likes = (post.value(forKey: "likes")?.counter ?? 0) + dice.pick(5) - 1
      tell("set \(post).likes = \(likes)")
      post.setValue(.counter(likes), forKey: "likes")
    case 10:
      guard let post = pick("Post", in: context) else { return }
      var tags = post.value(forKey: "tags")?.set ?? []
      let tag = Value.string("tag\(dice.pick(4))")
      if tags.remove(tag) == nil { tags.insert(tag) }
      tell("set \(post).tags = \(tags.count)")
      post.setValue(.set(tags), forKey: "tags")
    case 11, 12:
      guard let post = pick("Post", in: context) else { return }
      let blog = pick("Blog", in: context)
      tell("set \(post).blog = \(String(describing: blog))")
      post.setValue(blog.map { .reference($0.objectID) }, forKey: "blog")
    case 13:
      guard let blog = pick("Blog", in: context) else { return }
      let posts = objects("Post", in: context).filter { _ in dice.pick(2) == 0 }
      tell("set \(blog).posts = \(posts.count)")
      blog.setValue(.set(Set(posts.map { .reference($0.objectID) })), forKey: "posts")
    case 14:
      guard let post = pick("Post", in: context) else { return }
      var comments = objects("Comment", in: context).filter { _ in dice.pick(2) == 0 }
      comments.shuffle(using: &dice)
      tell("set \(post).comments = \(comments.count)")
      post.setValue(.array(comments.map { .reference($0.objectID) }), forKey: "comments")
    case 15:
      guard let person = pick("Person", in: context) else { return }
      let posts = objects("Post", in: context).filter { _ in dice.pick(2) == 0 }
      tell("set \(person).reads = \(posts.count)")
      person.setValue(.set(Set(posts.map { .reference($0.objectID) })), forKey: "reads")
    case 28, 29:
      guard let post = pick("Post", in: context) else { return }
      tell("type in \(post)")
      for _ in 0...dice.pick(3) {
        post.setValue(.string(dice.text(of: 80)), forKey: "title")
        if dice.chance(2) { context.processPendingChanges() }
      }
    case 16:
      let entity = ["Blog", "Post", "Comment", "Person"][dice.pick(4)]
      guard let object = pick(entity, in: context) else { return }
      tell("delete \(object)")
      context.delete(object)
    case 17:
      tell("process")
      context.processPendingChanges()
    case 18, 19:
      tell("undo")
      context.undo()
    case 20:
      tell("redo")
      context.redo()
    case 21:
      guard let post = pick("Post", in: context) else { return }
      let keeping = dice.pick(3) > 0
      tell("refresh \(post) keeping \(keeping)")
      context.refresh(post, mergeChanges: keeping)
    case 22:
      if dice.pick(3) == 0 {
        tell("rollback")
        context.rollback()
      } else {
        tell("refresh all")
        context.refreshAllObjects()
      }
    case 23:
      guard let post = pick("Post", in: context) else { return }
      tell("primitive \(post).scratch")
      post.setPrimitiveValue(.string("p\(dice.pick(3))"), forKey: "scratch")
    case 24:
      guard let post = pick("Post", in: context) else { return }
      tell("reconcile \(post)")
      post.reconcileChanges()
    default:
      context.mergePolicy =
        [
          .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
        ][dice.pick(5)]
      do {
        let commit = try context.save()
        tell("save \(commit.map { "\($0.number)" } ?? "nothing")")
      } catch {
        tell("save failed: \(error)")
      }
    }
  }
}
