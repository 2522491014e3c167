import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

/// The same random steps in contexts of the library and of the naive model, side by side.
///
/// Each step has dice of its own, so that what is left means the same when others are left out.
final class SessionPair {
  let stage: Stage
  let world: NaiveWorld
  private(set) var sides: [Side] = []
  /// What was done, for whoever has to find out why something differs.
  private(set) var story: [String] = []
  /// What differed first.
  private(set) var difference: String?
  /// How often the contexts have told what, and how often something was so that is to be seen.
  private(set) var told: [String: Int] = [:]
  var dice = Dice(seed: 0)

  /// A context, and what it should be like. All objects that were seen are held.
  final class Side {
    let number: Int
    let context: ManagedObjectContext
    let naive: NaiveContext
    var objects: [ObjectID: ManagedObject] = [:]
    let heard: HeardNotifications
    /// How many groups of undo steps were begun and not ended by who began them.
    var groupCount = 0

    init(_ number: Int, _ stage: Stage, _ world: NaiveWorld) {
      self.number = number
      context = stage.context()
      context.name = "context \(number)"
      naive = NaiveContext(world)
      heard = HeardNotifications(context)
    }
  }

  /// Plays steps until one differs.
  init(seed: UInt64, steps: [Int]) throws {
    var dice = Dice(seed: seed)
    let count = 2 + dice.pick(2)
    let levels = dice.pick(3) == 0 ? 3 : 0
    world = NaiveWorld(givingValues: dice.pick(2) == 0)
    stage = try Stage(world.givesValues ? GivenPost.model() : Stage.model())
    for number in 0..<count { sides.append(Side(number, stage, world)) }
    for side in sides {
      side.context.levelsOfUndo = levels
      side.naive.history.levels = levels
    }
    for number in steps where difference == nil {
      self.dice = Dice(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
      if number < Self.openingCount { open(number, count) } else { step() }
    }
    for side in sides where difference == nil { compare(side) }
    let findings = try stage.store.verify(deep: true)
    if !findings.isEmpty { differs("\(findings)") }
  }

  static let openingCount = 4

  /// A session's steps as random numbers would have them, and those of them that are needed for it to differ.
  static func shrunk(seed: UInt64, stepCount: Int) throws -> SessionPair {
    var steps = Array(0..<stepCount)
    var pair = try SessionPair(seed: seed, steps: steps)
    var chunk = steps.count / 2
    while pair.difference != nil, chunk > 0 {
      var start = 0
      while start < steps.count {
        let fewer = Array(steps[..<start] + steps[min(start + chunk, steps.count)...])
        let other = try SessionPair(seed: seed, steps: fewer)
        if other.difference != nil { (steps, pair) = (fewer, other) } else { start += chunk }
      }
      chunk /= 2
    }
    return pair
  }

  func tell(_ side: Side, _ what: String) { story.append("\(side.number): \(what)") }

  func note(_ notifications: [NaiveNotification]) {
    for word in notifications.flatMap(\.words) { note(word) }
  }

  func note(_ word: String) { told[word, default: 0] += 1 }

  func differs(_ what: String) { if difference == nil { difference = what } }

  // MARK: Objects

  /// Has a side hold an object.
  @discardableResult
  func hold(_ side: Side, _ id: ObjectID) -> ManagedObject {
    if let object = side.objects[id] { return object }
    let object = side.context.object(with: id)
    side.objects[id] = object
    return object
  }

  /// The objects of an entity that a context has and that are there.
  func objects(_ entity: String, _ side: Side) -> [ObjectID] {
    side.naive.objects.filter { $0.value.isThere && world.entity($0.key) == entity }.keys.sorted()
  }

  func pick(_ entity: String, _ side: Side) -> ObjectID? {
    let objects = objects(entity, side)
    return objects.isEmpty ? nil : objects[dice.pick(objects.count)]
  }

  /// Some objects of an entity, in a random order.
  func some(_ entity: String, _ side: Side) -> [ObjectID] {
    objects(entity, side).filter { _ in dice.pick(2) == 0 }.shuffled(using: &dice)
  }
}
