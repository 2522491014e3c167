import FoundationEssentials
import ObjectModel
import ObjectQuery
import ObjectStore
import TestSupport

/// Clubs and their members by dice, and what they can be asked for.
enum RandomClubs {
  /// The model at first, and after it has changed.
  static func model(isLater: Bool) throws -> ManagedObjectModel {
    var attributes = [
      AttributeDescription("name", .string, isIndexed: true),
      AttributeDescription("age", .integer, isIndexed: true),
      AttributeDescription("score", .real, isIndexed: isLater),
      AttributeDescription("joined", .date), AttributeDescription("wins", .counter),
      AttributeDescription("tags", .set),
      AttributeDescription("passing", .string, isTransient: true),
    ]
    if isLater {
      attributes.append(AttributeDescription("alias", .string, renamingIdentifier: "nick"))
      attributes.append(
        AttributeDescription("rank", .integer, isOptional: false, defaultValue: 2, isIndexed: true))
    } else {
      attributes.append(AttributeDescription("nick", .string))
    }
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Club", attributes: [AttributeDescription("name", .string, isIndexed: true)],
        relationships: [
          RelationshipDescription("members", to: "Person", inverse: "club", isToMany: true),
          RelationshipDescription("fans", to: "Person", inverse: "idols", isToMany: true),
        ]),
      EntityDescription(
        "Person", allowsAnyKey: true, attributes: attributes,
        relationships: [
          RelationshipDescription("club", to: "Club", inverse: "members"),
          RelationshipDescription("idols", to: "Club", inverse: "fans", isToMany: true),
          RelationshipDescription("boss", to: "Person", inverse: "staff"),
          RelationshipDescription("staff", to: "Person", inverse: "boss", isToMany: true),
          RelationshipDescription(
            "heroes", to: "Person", isToMany: true, isOrdered: true),
        ]),
      EntityDescription(
        "Pilot", parent: "Person", allowsAnyKey: true,
        attributes: [AttributeDescription("licence", .string)]),
    ])
  }

  static func keys(isLater: Bool) -> [String] {
    ["name", "age", "score", "joined", "wins", "tags", "club", "idols", "boss", "heroes", "mood"]
      + (isLater ? ["alias", "rank"] : ["nick"])
  }

  private static func texts(_ dice: inout Dice) -> String {
    let beginning = dice.pick(3) == 0 ? String(repeating: "long", count: 7) : ""
    return beginning + ["", "a", "ab", "b", "é", "Ab"][dice.pick(6)]
  }

  // MARK: Objects

  /// A value for a key, often none.
  static func value(_ key: String, _ known: [ObjectID], _ dice: inout Dice) -> Value? {
    if key != "rank", dice.pick(5) == 0 { return .none }
    func references(_ entities: [UInt16]) -> [Value] {
      known.filter { entities.contains($0.entity.rawValue) }.map { .reference($0) }
    }
    func some(of values: [Value]) -> [Value] {
      values.isEmpty ? [] : (0..<dice.pick(4)).map { _ in values[dice.pick(values.count)] }
    }
    switch key {
    case "age", "rank": return .some(.integer(dice.pick(7) - 1))
    case "score": return .some(.real([0, -0.0, .nan, 1.5, -2, .infinity][dice.pick(6)]))
    case "joined":
      return .some(.date(Date(timeIntervalSinceReferenceDate: Double(dice.pick(4) * 43_200))))
    case "wins": return .some(.counter(dice.pick(5)))
    case "tags": return .some(.set(Set((0..<dice.pick(3)).map { _ in .string(texts(&dice)) })))
    case "club": return some(of: references([0])).first
    case "idols": return .some(.set(Set(some(of: references([0])))))
    case "boss": return some(of: references([1, 2])).first
    case "heroes":
      var heroes: [Value] = []
      for hero in some(of: references([1, 2])) where !heroes.contains(hero) { heroes.append(hero) }
      return .some(.array(heroes))
    case "mood":
      let moods: [Value] = ["sunny", 3, true, .real(0.5), ["a", 1]]
      return .some(moods[dice.pick(moods.count)])
    default: return .some(.string(texts(&dice)))
    }
  }

  /// What some objects are to be: new ones, changed ones and deleted ones.
  static func changes(
    of life: ModelLife, _ state: NamedState, isLater: Bool, count: Int, _ dice: inout Dice
  ) throws -> [ObjectID: [String: Value]?] {
    var changes: [ObjectID: [String: Value]?] = [:]
    var known = state.keys.sorted()
    for _ in 0..<count {
      let isNew = known.isEmpty || dice.pick(3) == 0
      let object =
        isNew
        ? try life.store.newObject(of: EntityNumber(rawValue: UInt16(dice.pick(3))))
        : known[dice.pick(known.count)]
      if !isNew, dice.pick(4) == 0 {
        changes[object] = .some(nil)
        continue
      }
      var values = changes[object].flatMap { $0 } ?? state[object] ?? [:]
      let keys = object.entity.rawValue == 0 ? ["name"] : keys(isLater: isLater)
      for key in keys where isNew || dice.pick(4) == 0 {
        values[key] = value(key, known, &dice)
      }
      changes[object] = .some(values)
      if isNew { known.append(object) }
    }
    return changes
  }

  // MARK: Queries

  static func query(
    _ known: [ObjectID], isLater: Bool, _ dice: inout Dice, hasVirtual: Bool = false
  ) -> String {
    let entity = ["Person", "Person", "Person", "Pilot", "Club"][dice.pick(5)]
    var text = entity
    if dice.pick(8) > 0 {
      text += " where " + filter(entity, known, isLater, hasVirtual, &dice, depth: 2)
    }
    let keys =
      entity == "Club"
      ? ["name", "members.@count"]
      : [
        "name", "-name", "age", "-age", "-score", "joined", "club.name", "name[c]", "staff.@count",
        "mood", isLater ? "alias" : "-nick", "wins",
      ]
    if dice.pick(3) > 0 {
      text +=
        " sort "
        + (0...dice.pick(2)).map { _ in keys[dice.pick(keys.count)] }.joined(
          separator: ", ")
    }
    if dice.pick(2) == 0 { text += " limit \(dice.pick(9))" }
    if dice.pick(3) == 0 { text += " offset \(dice.pick(5))" }
    return text
  }

  private static func filter(
    _ entity: String, _ known: [ObjectID], _ isLater: Bool, _ hasVirtual: Bool, _ dice: inout Dice,
    depth: Int
  ) -> String {
    func part() -> String {
      filter(entity, known, isLater, hasVirtual, &dice, depth: depth - 1)
    }
    switch depth > 0 ? dice.pick(7) : 6 {
    case 0, 1: return "(\(part()) AND \(part()))"
    case 2, 3: return "(\(part()) OR \(part()))"
    case 4: return "NOT (\(part()))"
    default: break
    }
    let number = dice.pick(7) - 1
    let order = ["==", "!=", "<", "<=", ">", ">="][dice.pick(6)]
    let match = ["==", "!=", "<", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "==[c]"][dice.pick(8)]
    let quantifier = ["ANY", "ALL", "NONE"][dice.pick(3)]
    let text = "'\(texts(&dice))'"
    let object = known.isEmpty ? "null" : "object('\(known[dice.pick(known.count)].uri)')"
    if entity == "Club" {
      let parts = [
        "name \(match) \(text)", "members.@count \(order) \(number)", "fans.@count \(order) 1",
        "\(quantifier) members.age \(order) \(number)", "\(quantifier) fans.name \(match) \(text)",
        "members CONTAINS \(object)", "\(quantifier) members (age > \(number) AND wins < 3)",
        "ANY members.staff.age \(order) \(number)", "objectID == \(object)",
      ]
      return parts[dice.pick(parts.count)]
    }
    var parts = [
      "name \(match) \(text)", "name IN {\(text), 'a'}", "name LIKE 'long*a'",
      "age \(order) \(number)", "age BETWEEN {\(number), 4}", "age IN {1, \(number)}",
      "(age == \(number) OR name == \(text))", "(club == \(object) OR name >= \(text) OR age > 4)",
      "age == null", "score \(order) 1.5", "score \(order) 0", "joined > 2001-01-01T12:00:00Z",
      "wins \(order) \(number)", "wins + age > \(number)", "ANY tags \(match) \(text)",
      "tags CONTAINS \(text)", "tags.@count \(order) 1", "club == \(object)", "club == null",
      "club.name \(match) \(text)", "boss.club.name \(match) \(text)",
      "boss.age \(order) \(number)",
      "\(quantifier) staff.age \(order) \(number)", "staff.@count \(order) 1",
      "\(quantifier) heroes.age \(order) \(number)", "heroes.@count > 1",
      "\(quantifier) idols.name \(match) \(text)", "idols CONTAINS \(object)",
      "mood \(order) 3", "mood == 'sunny'", "unheardOf == null", "passing == null",
      "objectID \(["==", "!="][dice.pick(2)]) \(object)", "ANY club.members.age \(order) \(number)",
      isLater ? "alias \(match) \(text)" : "nick \(match) \(text)",
      isLater ? "rank \(order) \(number)" : "age \(order) 2",
    ]
    if hasVirtual { parts += ["fifth \(order) \(number)", "ANY staff.fifth == 1"] }
    return parts[dice.pick(parts.count)]
  }
}

/// The keys of a store, and a virtual one, the rest of the object's number by five.
struct KeysWithVirtual: KeyResolver {
  let stored: StoredKeys
  var allowsUnusedKeys: Bool { true }

  func resolve(_ key: String, of entity: ModelEntity) -> ResolvedKey? {
    if key == "fifth", entity.name != "Club" { return .virtual(5) }
    return stored.resolve(key, of: entity)
  }
}
