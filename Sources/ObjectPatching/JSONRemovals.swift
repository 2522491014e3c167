internal import ObjectModel

/// What led to objects that a document of a graph has no more, and is still written there: whoever takes an object out
/// of a document takes out that one alone.
struct JSONRemovals {
  /// An object that leads to one that is gone.
  struct Leader {
    let entity: ModelEntity
    let key: String
  }

  /// What becomes of a relationship in the document; no value where it is there no more.
  private struct Clearing {
    let value: JSONValue?
  }

  private let graph: JSONGraph
  private let before: JSONValue
  /// What the document has become, without what the deletion of an object clears by the model's rules.
  private(set) var after: JSONValue
  /// What leads to objects that are gone, and would go with them or keep them from going, by their pointers and the
  /// relationships that are answered from it.
  private(set) var leaders: [String: [String: [Leader]]] = [:]
  /// The entities of the objects that are gone, by their pointers.
  private var gone: [String: ModelEntity] = [:]

  /// - Parameter goingAlong: the pointers of what cascades take with what is gone; nil for what the documents tell.
  init(
    _ graph: JSONGraph, from before: JSONValue, to after: JSONValue, goingAlong: Set<String>? = nil
  ) {
    self.graph = graph
    self.before = before
    self.after = after
    for pointer in Self.gone(from: before, to: after) {
      if let entity = graph.model.entity(named: pointer.tokens[0]) { gone[pointer.text] = entity }
    }
    if !gone.isEmpty { clear(besides: goingAlong ?? self.goingAlong()) }
  }

  /// The objects that one document has and another has no more.
  static func gone(from before: JSONValue, to after: JSONValue) -> [JSONPointer] {
    var gone: [JSONPointer] = []
    for (name, objects) in before.members {
      let left = after.object?[name]?.object
      for (key, _) in objects.members where left?[key] == nil {
        gone.append(JSONPointer([name, key]))
      }
    }
    return gone
  }

  /// The pointers of what cascades take with what is gone.
  private func goingAlong() -> Set<String> {
    var owned: [String: [String]] = [:]
    for (name, objects) in before.members {
      guard let entity = graph.model.entity(named: name) else { continue }
      let relationships = entity.relationships.filter { takesAlong($0) || isTakenAlong($0) }
      if relationships.isEmpty { continue }
      for (key, object) in objects.members {
        let pointer = JSONPointer([name, key]).text
        let now = after.object?[name]?.object?[key] ?? object
        for relationship in relationships {
          for other in now.object?[relationship.name]?.pointers ?? [] {
            let (owner, member) = takesAlong(relationship) ? (pointer, other) : (other, pointer)
            owned[owner, default: []].append(member)
          }
        }
      }
    }
    var (along, waiting): (Set<String>, [String]) = ([], Array(gone.keys))
    while let next = waiting.popLast() {
      waiting += (owned[next] ?? []).filter { gone[$0] == nil && along.insert($0).inserted }
    }
    return along
  }

  private func takesAlong(_ relationship: RelationshipDescription) -> Bool {
    relationship.deleteRule == .cascade
  }

  /// Whether a relationship leads to what takes along, and says so alone.
  private func isTakenAlong(_ relationship: RelationshipDescription) -> Bool {
    let owner = graph.model.entity(named: relationship.destination)
    guard let back = relationship.inverse.flatMap({ owner?.relationship($0) }), takesAlong(back),
      case .inverse = graph.shape(of: back)
    else { return false }
    return true
  }

  /// Clears what led to what is gone. Of what goes along that is told, and not that it has changed.
  private mutating func clear(besides along: Set<String>) {
    var clearings: [(tokens: [String], clearing: Clearing)] = []
    for (name, objects) in after.members {
      guard let entity = graph.model.entity(named: name), let former = before.object?[name]?.object
      else { continue }
      let relationships = entity.relationships.filter { $0.inverse != nil && !$0.isTransient }
      if relationships.isEmpty { continue }
      for (key, object) in objects.members {
        let goesAlong = along.contains(JSONPointer([name, key]).text)
        for relationship in relationships {
          // What comes to lead there is refused when it is applied.
          guard let value = object.object?[relationship.name],
            let old = former[key]?.object?[relationship.name],
            let clearing = clearing(
              of: value, from: old, relationship, Leader(entity: entity, key: key))
          else { continue }
          if !goesAlong { clearings.append(([name, key, relationship.name], clearing)) }
        }
      }
    }
    for each in clearings { after.setMember(at: each.tokens[0...], to: each.clearing.value) }
  }

  /// A relationship without what it led to before and is gone; nil where there is none of that.
  private mutating func clearing(
    of value: JSONValue, from old: JSONValue, _ relationship: RelationshipDescription,
    _ leader: Leader
  ) -> Clearing? {
    switch value {
    case .string(let pointer):
      guard old == value, leaves(pointer, relationship, leader) else { return nil }
      return Clearing(value: nil)
    case .object(var members):
      let left = members.members.map(\.key).filter {
        old.object?[$0] != nil && leaves($0, relationship, leader)
      }
      if left.isEmpty { return nil }
      for key in left { members.remove(key) }
      return Clearing(value: .object(members))
    case .array(let elements):
      let known = Set(old.array?.compactMap(\.string) ?? [])
      let left = elements.filter { element in
        guard let pointer = element.string, known.contains(pointer) else { return true }
        return !leaves(pointer, relationship, leader)
      }
      return left.count == elements.count ? nil : Clearing(value: .array(left))
    default: return nil
    }
  }

  /// Whether what a pointer leads to is gone, and what led there leads there no more by that.
  private mutating func leaves(
    _ pointer: String, _ relationship: RelationshipDescription, _ leader: Leader
  ) -> Bool {
    guard let entity = gone[pointer], let back = relationship.inverse.flatMap(entity.relationship)
    else { return false }
    switch back.deleteRule {
    case .nullify: return true
    case .noAction: return false
    case .cascade, .deny:
      if case .inverse = graph.shape(of: back) {
        leaders[pointer, default: [:]][back.name, default: []].append(leader)
      }
      return false
    }
  }
}

extension JSONValue {
  /// The members of an object; none of what is no object.
  fileprivate var members: [(key: String, value: JSONValue)] {
    object.map { Array($0.members) } ?? []
  }

  /// The texts by which a relationship leads to objects.
  fileprivate var pointers: [String] {
    switch self {
    case .string(let pointer): [pointer]
    case .object(let members): members.members.map(\.key)
    case .array(let elements): elements.compactMap(\.string)
    default: []
    }
  }

  /// Sets a member within, or takes it out.
  fileprivate mutating func setMember(at tokens: ArraySlice<String>, to value: JSONValue?) {
    guard let token = tokens.first, var members = object else { return }
    // The members must not be held twice while they change, or they would be copied.
    self = .null
    if tokens.count > 1 {
      members.update(token) { $0.setMember(at: tokens.dropFirst(), to: value) }
    } else if let value {
      members.set(token, value)
    } else {
      members.remove(token)
    }
    self = .object(members)
  }
}
