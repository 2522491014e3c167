import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore

/// A store of parents and children, whose relationship to many is answered from that to one.
final class FamilyStore {
  let store: JournaledStore
  private let context: LiveContext
  private let parentKey: KeyNumber
  private let nameKey: KeyNumber

  private static let parent = EntityNumber(rawValue: 0)
  private static let child = EntityNumber(rawValue: 1)

  init(_ path: String) throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Parent",
        relationships: [
          RelationshipDescription("children", to: "Child", inverse: "parent", isToMany: true)
        ]),
      EntityDescription(
        "Child", attributes: [AttributeDescription("name", .string)],
        relationships: [RelationshipDescription("parent", to: "Parent", inverse: "children")]),
    ])
    store = try JournaledStore(at: path, model: model)
    parentKey = try store.key(named: "parent")
    nameKey = try store.key(named: "name")
    context = try store.beginContext(name: "bench", on: store.head.number)
  }

  /// Makes a parent with children, saved a thousand at a time.
  func makeParent(childCount: Int) throws -> ObjectID {
    let parent = try store.newObject(of: Self.parent)
    try commit([.init(parent, base: .none, nil, to: Row())])
    for first in stride(from: 0, to: childCount, by: NoteSource.saveCount) {
      try addChildren(min(NoteSource.saveCount, childCount - first), to: parent)
    }
    return parent
  }

  /// Adds children and saves them.
  func addChildren(_ count: Int, to parent: ObjectID) throws {
    try commit(
      try (0..<count).map { _ in
        let row = Row([parentKey: .reference(parent)])
        return .init(try store.newObject(of: Self.child), base: .none, nil, to: row)
      })
  }

  /// The first children that were made.
  func children(_ count: Int, in family: ObjectID) -> [ObjectID] {
    (1...count).map { ObjectID(entity: Self.child, number: UInt64($0), store: family.store) }
  }

  /// Saves changes of some children: in turn one comes to another parent, one is named, one goes and one is made.
  func change(
    _ count: Int, of children: inout [ObjectID], among parents: [ObjectID], _ chance: inout Chance
  ) throws {
    let head = store.head
    var objects: [ObjectID: CommitRequest.Object] = [:]
    for place in 0..<count {
      let parent = Value.reference(parents[chance.number(below: parents.count)])
      let index = chance.number(below: children.count)
      var child = children[index]
      let base = try head.row(of: child)
      var row = base
      switch place % 4 {
      case 0: row?[parentKey] = parent
      case 1: row?[nameKey] = .string("child \(chance.number())")
      case 2:
        row = nil
        children[index] = children[children.count - 1]
        children.removeLast()
      default:
        child = try store.newObject(of: Self.child)
        children.append(child)
        objects[child] = .init(child, base: .none, nil, to: Row([parentKey: parent]))
        continue
      }
      // One that was made just now is not there yet.
      if base != nil { objects[child] = .init(child, base: head.number, base, to: row) }
    }
    try commit(Array(objects.values))
  }

  /// Makes a child in a context, gives it a parent and saves it, so often.
  func addChildren(_ count: Int, to parent: ObjectID, in objects: ManagedObjectContext) throws {
    let parent = objects.object(with: parent)
    for _ in 0..<count {
      parent.insert(objects.insert("Child"), into: "children")
      try objects.save()
    }
  }

  /// How many children a parent has that a new context asks.
  func countMembers(of parent: ObjectID) throws -> Int {
    let objects = ManagedObjectContext(store)
    defer { objects.close() }
    guard let children = objects.object(with: parent).value(forKey: "children")?.set else {
      throw BenchError.wrongResult("no set of children")
    }
    return children.count
  }

  private func commit(_ objects: [CommitRequest.Object]) throws {
    _ = try store.commit(CommitRequest(objects), by: context)
  }

  /// How many children there are, having been handed each.
  func countChildren(of parent: ObjectID) throws -> Int {
    var count = 0
    var sum: UInt64 = 0
    try store.head.forEachObject(referringTo: parent, by: parentKey, of: Self.child) { child in
      count += 1
      sum &+= child.number
      return true
    }
    guard count == 0 || sum > 0 else { throw BenchError.wrongResult("no children") }
    return count
  }
}
