import EventFold
import ObjectModel
import ObjectStore

/// A store of parents and children, whose relationship to many is answered from that to one.
final class FamilyStore {
  let store: JournaledStore
  private let context: LiveContext
  private let parentKey: KeyNumber

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
        "Child",
        relationships: [RelationshipDescription("parent", to: "Parent", inverse: "children")]),
    ])
    store = try JournaledStore(at: path, model: model)
    parentKey = try store.key(named: "parent")
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
