import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

/// A context whose things come, go, change and are connected by dice.
struct RandomGraph {
  /// What is done now and then besides.
  enum Habit {
    /// Names are swapped, passed on, and given again.
    case reusingNames
    /// Things come without names, get names and lose them.
    case losingNames
    /// Things lead to others by relationships that nobody clears.
    case leavingDeadEnds
  }

  let stage: PatchStage
  let context: ManagedObjectContext
  /// Whether there are only things that have identifiers.
  let isNamed: Bool
  private var dice: Dice
  private var nameCount = 0
  private let habits: [Habit]
  private var namesUsed: Set<String> = []

  init(seed: UInt64, isNamed: Bool, habits: [Habit] = []) throws {
    self.habits = habits
    stage = try PatchStage(seed: seed)
    context = stage.context()
    self.isNamed = isNamed
    dice = Dice(seed: seed)
  }

  /// Makes some changes and saves.
  ///
  /// - Returns: the last commit.
  mutating func goOn(_ count: Int) throws -> CommitNumber {
    for _ in 0..<count {
      try change()
      // What goes may come again at once, under the same name.
      if roll(4) == 0 { context.processPendingChanges() }
    }
    try context.save()
    return stage.store.lastCommit
  }

  private mutating func roll(_ count: Int) -> Int { Int(dice.next() % UInt64(count)) }

  private func objects(_ entity: String) throws -> [ManagedObject] {
    try context.fetch(FetchRequest(entity)).sorted { $0.objectID < $1.objectID }
  }

  private mutating func one(_ entity: String) throws -> ManagedObject? {
    let all = try objects(entity)
    return all.isEmpty ? nil : all[roll(all.count)]
  }

  private mutating func freeName() throws -> Value? {
    if habits.contains(.losingNames) { return newName() }
    let taken = Set(try objects("Thing").compactMap { $0.value(forKey: "guid")?.string })
    let free = (0..<14).map { "g\($0)" }.filter { !taken.contains($0) }
    return free.isEmpty ? nil : .string(free[roll(free.count)])
  }

  private mutating func newName() -> Value {
    nameCount += 1
    return .string("r\(nameCount)")
  }

  private mutating func change() throws {
    if !habits.isEmpty, roll(3) == 0 {
      switch habits[roll(habits.count)] {
      case .reusingNames: try reuseName()
      case .losingNames: try changeName()
      case .leavingDeadEnds: try leadToDeadEnd()
      }
      return
    }
    switch roll(16) {
    case 0, 1, 2:
      guard let name = try freeName() else { return }
      let object = context.insert(roll(2) == 0 ? "Book" : "Film")
      object.setValue(name, forKey: "guid")
      if roll(3) > 0 { try connect(object) }
    case 3: if !isNamed { context.insert("Note").setValue(text(), forKey: "text") }
    case 4: if let object = try one("Thing") { context.delete(object) }
    case 5: if let note = try one("Note") { context.delete(note) }
    case 6:
      // A name that nothing had before: two that change names would look as if they had not.
      let name = newName()
      if let object = try one("Thing") { object.setValue(name, forKey: "guid") }
    case 7, 8, 9, 10: if let object = try one("Thing") { try set(object) }
    case 11:
      guard let note = try one("Note") else { return }
      switch roll(3) {
      case 0: note.setValue(text(), forKey: "text")
      case 1: note.setValue(try one("Thing").map { .reference($0.objectID) }, forKey: "about")
      default: note.setValue(try one("Note").map { .reference($0.objectID) }, forKey: "next")
      }
    default: if let object = try one("Thing") { try connect(object) }
    }
  }

  private mutating func reuseName() throws {
    // A name is that of one entity's objects.
    let all = try objects(roll(2) == 0 ? "Book" : "Film")
    let taken = Set(all.compactMap { $0.value(forKey: "guid")?.string })
    namesUsed.formUnion(taken)
    guard all.count > 1 else { return }
    let (one, other) = (all[roll(all.count)], all[roll(all.count)])
    let (name, otherName) = (one.value(forKey: "guid"), other.value(forKey: "guid"))
    switch roll(3) {
    case 0:
      one.setValue(otherName, forKey: "guid")
      other.setValue(name, forKey: "guid")
    case 1:
      other.setValue(newName(), forKey: "guid")
      if one !== other { one.setValue(otherName, forKey: "guid") }
    default:
      let free = namesUsed.subtracting(taken).sorted()
      if !free.isEmpty { one.setValue(.string(free[roll(free.count)]), forKey: "guid") }
    }
  }

  private mutating func changeName() throws {
    switch roll(3) {
    case 0: try connect(context.insert(roll(2) == 0 ? "Book" : "Film"))
    case 1:
      let unnamed = try objects("Thing").filter { $0.value(forKey: "guid") == nil }
      if !unnamed.isEmpty { unnamed[roll(unnamed.count)].setValue(newName(), forKey: "guid") }
    default: try one("Thing")?.setValue(nil, forKey: "guid")
    }
  }

  private mutating func leadToDeadEnd() throws {
    guard let object = try one("Thing") else { return }
    let others = try objects("Thing").map { Value.reference($0.objectID) }
    var some = others.filter { _ in roll(3) == 0 }
    switch roll(3) {
    case 0: object.setValue(some.first, forKey: "see")
    case 1: object.setValue(.set(Set(some)), forKey: "marks")
    default:
      some.shuffle(using: &dice)
      object.setValue(.array(some), forKey: "path")
    }
  }

  private mutating func text() -> Value { .string("t\(roll(4))") }

  private mutating func set(_ object: ManagedObject) throws {
    switch roll(10) {
    case 0: object.setValue(roll(4) == 0 ? nil : text(), forKey: "name")
    case 1: object.setValue(roll(4) == 0 ? nil : .integer(roll(5)), forKey: "score")
    case 2: object.setValue(.counter(roll(9) - 4), forKey: "likes")
    case 3: object.setValue(.set(Set((0..<roll(4)).map { _ in text() })), forKey: "tags")
    case 4: object.setValue(roll(4) == 0 ? nil : [.integer(roll(3)), "x"], forKey: "shade")
    case 5: object["mood"] = roll(4) == 0 ? nil : text()
    case 6: object["plan"] = roll(4) == 0 ? nil : ["a": .integer(roll(3)), "b": [text(), true]]
    default:
      if object.entity.name == "Book" {
        object.setValue(.real(Double(roll(5)) / 3), forKey: "pages")
        object.setValue(.date(Date(timeIntervalSince1970: Double(roll(3)))), forKey: "due")
      } else {
        object.setValue(.data(Data([UInt8(roll(4))])), forKey: "still")
        object.setValue(["k": text(), "\(roll(3))": 1], forKey: "facts")
      }
    }
  }

  private mutating func connect(_ object: ManagedObject) throws {
    let key = [
      "parent", "boss", "deputy", "friends", "fans", "items", "holders", "whole", "parts", "owner",
    ][roll(10)]
    let others = try objects("Thing")
    switch key {
    case "parent", "boss", "deputy", "whole", "owner":
      object.setValue(
        roll(4) == 0 ? nil : .reference(others[roll(others.count)].objectID), forKey: key)
    case "items", "parts":
      var members = others.filter { _ in roll(3) == 0 }.map { Value.reference($0.objectID) }
      members.shuffle(using: &dice)
      object.setValue(.array(members), forKey: key)
    default:
      let members = others.filter { _ in roll(3) == 0 }.map { Value.reference($0.objectID) }
      object.setValue(.set(Set(members)), forKey: key)
    }
  }
}
