package import ObjectModel

/// Elements by object, in the order of their IDs: a value that is cheap to copy, and whose copies share all
/// that they have in common. So every commit can leave a table of its own behind for those who read it.
///
/// The numbers of an entity's objects are dense, so a tree over their digits of five bits stays flat: two
/// levels for a thousand objects, four for a million.
///
/// Costs: finding takes a step a level. Setting copies the nodes on its way that another copy of the table
/// shares, and changes the others in place.
package struct ObjectTable<Element> {
  fileprivate typealias Node = ObjectTableNode<Element>

  /// The objects of one origin and entity.
  fileprivate struct Branch {
    let prefix: UInt64
    var root: Node
    /// How many digits above the last the root's subtree spans.
    var height: Int
  }

  /// Sorted by prefix.
  private var branches: [Branch] = []
  /// How many elements there are.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  private static var numberMask: UInt64 { ObjectID.largestNumber }

  /// The element of an object; setting nil removes it. The object's store is not looked at.
  package subscript(id: ObjectID) -> Element? {
    get {
      let (index, isThere) = place(ofPrefix: id.rawValue & ~Self.numberMask)
      guard isThere else { return nil }
      let branch = branches[index]
      let number = id.number
      guard number >> (5 * UInt64(branch.height + 1)) == 0 else { return nil }
      return branch.root.element(number, height: branch.height)
    }
    set {
      if let newValue { update(id) { _ in newValue } } else { remove(id) }
    }
  }

  /// Puts an element in the place of that of an object, or of none.
  ///
  /// Costs: as setting.
  package mutating func update(_ id: ObjectID, _ make: (Element?) -> Element) {
    let prefix = id.rawValue & ~Self.numberMask
    let (index, isThere) = place(ofPrefix: prefix)
    if !isThere {
      branches.insert(Branch(prefix: prefix, root: .make(height: 0), height: 0), at: index)
    }
    while id.number >> (5 * UInt64(branches[index].height + 1)) != 0 {
      branches[index].height += 1
      branches[index].root = .make(height: branches[index].height, over: branches[index].root)
    }
    let isNew = Node.insert(
      id.number, height: branches[index].height, into: &branches[index].root, make)
    if isNew { count += 1 }
  }

  private mutating func remove(_ id: ObjectID) {
    guard self[id] != nil else { return }
    let (index, _) = place(ofPrefix: id.rawValue & ~Self.numberMask)
    Node.remove(id.number, height: branches[index].height, from: &branches[index].root)
    if branches[index].root.isEmpty { branches.remove(at: index) }
    count -= 1
  }

  /// Calls a closure with each element of an origin and entity whose number is not smaller than one, in
  /// order.
  ///
  /// - Parameter body: takes an object's number and its element; returns whether to go on.
  package func forEach(
    origin: UInt16, _ entity: EntityNumber, from first: UInt64 = 0,
    _ body: (UInt64, Element) -> Bool
  ) {
    let prefix = UInt64(origin) << 48 | UInt64(entity.rawValue) << 36
    let (index, isThere) = place(ofPrefix: prefix)
    guard isThere else { return }
    let branch = branches[index]
    _ = branch.root.forEach(height: branch.height, base: 0, from: first, body)
  }

  /// Calls a closure with each element, in the order of the objects' IDs.
  package func forEach(_ body: (_ rawValue: UInt64, Element) -> Void) {
    for branch in branches {
      _ = branch.root.forEach(height: branch.height, base: 0, from: 0) { number, element in
        body(branch.prefix | number, element)
        return true
      }
    }
  }

  /// Calls a closure with each element whose object's ID is not smaller than one, in the order of the IDs.
  ///
  /// - Parameter body: returns whether to go on.
  package func forEach(
    from first: UInt64, _ body: (_ rawValue: UInt64, Element) -> Bool
  ) {
    let prefix = first & ~Self.numberMask
    for branch in branches[place(ofPrefix: prefix).index...] {
      let least = branch.prefix == prefix ? first & Self.numberMask : 0
      let goesOn = branch.root.forEach(height: branch.height, base: 0, from: least) {
        body(branch.prefix | $0, $1)
      }
      if !goesOn { return }
    }
  }

  /// Where a prefix's branch stands, or would.
  private func place(ofPrefix prefix: UInt64) -> (index: Int, isThere: Bool) {
    let index = branches.indices.firstPlace(inOrder: { branches[$0].prefix >= prefix })
    return (index, index < branches.count && branches[index].prefix == prefix)
  }
}

extension ObjectTable: Sendable where Element: Sendable {}
// Nodes that are shared are never changed.
extension ObjectTable.Branch: @unchecked Sendable where Element: Sendable {}
