internal import ObjectModel

/// The destinations of a relationship that is answered from its inverse.
///
/// They stay in their order, as they were read, until one comes or goes: to put each of many into a set takes
/// longer than to read them.
struct Members: Sequence {
  /// In their order; none once there is a set.
  private var read: [ObjectID]
  private var changed: Set<ObjectID>?

  init(_ objects: [ObjectID] = []) {
    let isInOrder = zip(objects, objects.dropFirst()).allSatisfy { $0 < $1 }
    (read, changed) = isInOrder ? (objects, nil) : ([], Set(objects))
  }

  var count: Int { changed?.count ?? read.count }
  var underestimatedCount: Int { count }
  var isEmpty: Bool { changed?.isEmpty ?? read.isEmpty }

  func contains(_ object: ObjectID) -> Bool {
    if let changed { return changed.contains(object) }
    let place = read.indices.firstPlace { read[$0] >= object }
    return place < read.count && read[place] == object
  }

  mutating func insert(_ object: ObjectID) {
    if !contains(object) { change { $0.insert(object) } }
  }

  mutating func remove(_ object: ObjectID) {
    if contains(object) { change { $0.remove(object) } }
  }

  /// Takes away those that are not among some.
  mutating func keep(where stays: (ObjectID) -> Bool) {
    if changed == nil {
      read.removeAll { !stays($0) }
    } else {
      change { $0 = $0.filter(stays) }
    }
  }

  private mutating func change<Answer>(_ body: (inout Set<ObjectID>) -> Answer) {
    var objects = changed ?? Set(read)
    (read, changed) = ([], nil)
    _ = body(&objects)
    changed = objects
  }

  func sorted() -> [ObjectID] { changed?.sorted() ?? read }

  /// As the value of a property.
  var value: Value {
    var references = Set<Value>(minimumCapacity: count)
    for object in self { references.insert(.reference(object)) }
    return .set(references)
  }

  func makeIterator() -> Iterator {
    Iterator(read: read.makeIterator(), changed: changed?.makeIterator())
  }

  struct Iterator: IteratorProtocol {
    fileprivate var read: IndexingIterator<[ObjectID]>
    fileprivate var changed: Set<ObjectID>.Iterator?

    mutating func next() -> ObjectID? { read.next() ?? changed?.next() }
  }
}
