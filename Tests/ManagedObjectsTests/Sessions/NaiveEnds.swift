import ObjectModel

/// What a commit of the naive world has to change besides for both ends of all relationships to lead to each other,
/// found by looking at all pairs of objects.
///
/// Chosen where the statements leave it open: a comment says which post it belongs to, unless only the post was led
/// elsewhere by who saves. Of other pairs the end of an object that others have changed meanwhile says so, then the one
/// that who saves has changed; and what nobody stands for is not.
struct NaiveEnds {
  typealias Values = NaiveWorld.Values

  /// An object that is saved: as it was read, and as it is to be.
  struct Asked {
    let base: Values?
    let row: Values?
  }

  private static let pairs = [
    (entity: "Post", key: "comments"), (entity: "Blog", key: "editor"),
    (entity: "Post", key: "readers"),
  ]

  /// The rows that the commit changes.
  private(set) var kept: [ObjectID: Values?]
  /// What is to be deleted, and led to by what is not saved.
  private(set) var stillLedTo: Set<ObjectID> = []
  private let world: NaiveWorld
  private let asked: [ObjectID: Asked]
  private var state: [ObjectID: Values]

  init(_ world: NaiveWorld, _ rows: [ObjectID: Values?], _ asked: [ObjectID: Asked]) {
    (self.world, kept, self.asked) = (world, rows, asked)
    state = world.commits[world.head]
    for (id, row) in rows { state[id] = row }
    findLedTo()
    guard stillLedTo.isEmpty else { return }
    dropDead()
    agree()
    for (id, row) in state where row != world.row(id, at: world.head) {
      kept.updateValue(row, forKey: id)
    }
    for id in rows.keys { kept.updateValue(state[id], forKey: id) }
  }

  private mutating func findLedTo() {
    let head = world.commits[world.head]
    for (id, row) in head {
      for (key, value) in row where world.key(key, of: id).isRelationship {
        for other in NaiveContext.objects(value) where head[other] != nil && state[other] == nil {
          guard leads(id, key, to: other) else { continue }
          if let asked = asked[id] {
            // Nothing in the model has to lead somewhere.
            let isNullified = NaiveKey.rule(world.key(key, of: id).inverse) == .nullify
            if asked.row == nil || isNullified || asked.row?[key] != asked.base?[key] { continue }
          }
          stillLedTo.insert(other)
        }
      }
    }
  }

  private mutating func dropDead() {
    for (id, row) in state {
      for (key, value) in row where world.key(key, of: id).isRelationship {
        for other in NaiveContext.objects(value) where state[other] == nil { take(other, id, key) }
      }
    }
  }

  private mutating func agree() {
    var links: [(isRuled: Bool, one: ObjectID, key: String, other: ObjectID)] = []
    for (entity, key) in Self.pairs {
      let back = NaiveKey.of(entity, key).inverse
      for one in state.keys.sorted() where world.entity(one) == entity {
        for other in state.keys.sorted() where NaiveKey.model[world.entity(other)]?[back] != nil {
          let (leads, leadsBack) = (leads(one, key, to: other), leads(other, back, to: one))
          if leads == leadsBack { continue }
          if isToBe(one, key, other, back, leads) {
            links.append((isRuled(one) || isRuled(other), one, key, other))
          } else {
            take(other, one, key)
            take(one, other, back)
          }
        }
      }
    }
    func place(_ link: (isRuled: Bool, one: ObjectID, key: String, other: ObjectID)) -> (
      Int, ObjectID, ObjectID
    ) {
      (link.isRuled ? 1 : 0, min(link.one, link.other), max(link.one, link.other))
    }
    for link in links.sorted(by: { place($0) < place($1) }) {
      give(link.other, link.one, link.key)
      give(link.one, link.other, NaiveKey.of(world.entity(link.one), link.key).inverse)
    }
  }

  private func isToBe(
    _ one: ObjectID, _ key: String, _ other: ObjectID, _ back: String, _ leads: Bool
  ) -> Bool {
    let (isEdited, isBackEdited) = (isEdited(one, key, other), isEdited(other, back, one))
    let (isRuled, isBackRuled) = (isRuled(one), isRuled(other))
    if key == "comments" {
      return isBackEdited || isBackRuled || !isEdited ? !leads : leads
    }
    if isRuled != isBackRuled { return isRuled ? leads : !leads }
    if isEdited == isBackEdited { return false }
    return isEdited ? leads : !leads
  }

  /// Whether others have made it another than it was read.
  private func isRuled(_ id: ObjectID) -> Bool {
    guard let asked = asked[id] else { return false }
    return world.row(id, at: world.head) != asked.base
  }

  private func isEdited(_ id: ObjectID, _ key: String, _ other: ObjectID) -> Bool {
    guard let asked = asked[id] else { return false }
    return NaiveContext.objects(asked.row?[key]).contains(other)
      != NaiveContext.objects(asked.base?[key]).contains(other)
  }

  private func leads(_ id: ObjectID, _ key: String, to other: ObjectID) -> Bool {
    NaiveContext.objects(state[id]?[key]).contains(other)
  }

  private mutating func take(_ other: ObjectID, _ id: ObjectID, _ key: String) {
    set(NaiveContext.objects(state[id]?[key]).filter { $0 != other }, id, key)
  }

  private mutating func give(_ other: ObjectID, _ id: ObjectID, _ key: String) {
    let former = NaiveContext.objects(state[id]?[key])
    if former.contains(other) { return }
    guard NaiveKey.of(world.entity(id), key).kind == .toOne else {
      return set(former + [other], id, key)
    }
    for each in former { take(id, each, NaiveKey.of(world.entity(id), key).inverse) }
    set([other], id, key)
  }

  private mutating func set(_ objects: [ObjectID], _ id: ObjectID, _ key: String) {
    guard state[id] != nil else { return }
    let values = objects.map(Value.reference)
    let value: Value =
      switch NaiveKey.of(world.entity(id), key).kind {
      case .toOne: values.first ?? .null
      case .ordered: .array(values)
      default: .set(Set(values))
      }
    state[id]?[key] = NaiveKey.of(world.entity(id), key).held(value)
  }
}
