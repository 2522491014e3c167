/// A node of an object table: up to 32 places, of which only those in use are kept.
///
/// Once two tables share a node, neither changes it. That is all the safety between threads there is need of.
final class ObjectTableNode<Element> {
  /// Which places are in use.
  private var places: UInt32
  /// What is at the places in use, in their order: nodes above the lowest level, elements in it.
  private var children: [ObjectTableNode]
  private var elements: [Element]

  init() {
    (places, children, elements) = (0, [], [])
  }

  /// Puts a level above a node.
  init(child: ObjectTableNode) {
    (places, children, elements) = (1, [child], [])
  }

  private init(copying node: ObjectTableNode) {
    (places, children, elements) = (node.places, node.children, node.elements)
  }

  var isEmpty: Bool { places == 0 }

  @inline(__always)
  private static func place(_ number: UInt64, _ height: Int) -> UInt32 {
    1 << UInt32(number >> UInt64(5 * height) & 31)
  }

  /// How many places before one are in use.
  @inline(__always)
  private func index(of place: UInt32) -> Int { (places & (place - 1)).nonzeroBitCount }

  func element(_ number: UInt64, height: Int) -> Element? {
    var node = self
    for level in stride(from: height, to: 0, by: -1) {
      let place = Self.place(number, level)
      guard node.places & place != 0 else { return nil }
      node = node.children[node.index(of: place)]
    }
    let place = Self.place(number, 0)
    return node.places & place != 0 ? node.elements[node.index(of: place)] : nil
  }

  /// - Returns: whether there was none of this number.
  static func insert(
    _ element: Element, _ number: UInt64, height: Int, into node: inout ObjectTableNode
  ) -> Bool {
    if !isKnownUniquelyReferenced(&node) { node = ObjectTableNode(copying: node) }
    let place = place(number, height)
    let index = node.index(of: place)
    let isThere = node.places & place != 0
    node.places |= place
    if height > 0 {
      if !isThere { node.children.insert(ObjectTableNode(), at: index) }
      return insert(element, number, height: height - 1, into: &node.children[index])
    }
    if isThere {
      node.elements[index] = element
    } else {
      node.elements.insert(element, at: index)
    }
    return !isThere
  }

  /// Removes an element that is there, and the nodes that have nothing without it.
  static func remove(_ number: UInt64, height: Int, from node: inout ObjectTableNode) {
    if !isKnownUniquelyReferenced(&node) { node = ObjectTableNode(copying: node) }
    let place = place(number, height)
    let index = node.index(of: place)
    if height > 0 {
      remove(number, height: height - 1, from: &node.children[index])
      guard node.children[index].isEmpty else { return }
      node.children.remove(at: index)
    } else {
      node.elements.remove(at: index)
    }
    node.places &= ~place
  }

  /// - Returns: whether to go on.
  func forEach(
    height: Int, base: UInt64, from first: UInt64, _ body: (UInt64, Element) -> Bool
  ) -> Bool {
    var rest = places
    var index = 0
    while rest != 0 {
      let digit = UInt64(rest.trailingZeroBitCount)
      rest &= rest - 1
      let lowest = base | digit << UInt64(5 * height)
      let span: UInt64 = 1 << UInt64(5 * height)
      if lowest + (span - 1) >= first {
        let goesOn =
          height > 0
          ? children[index].forEach(height: height - 1, base: lowest, from: first, body)
          : body(lowest, elements[index])
        if !goesOn { return false }
      }
      index += 1
    }
    return true
  }
}

// Nodes that are shared are never changed.
extension ObjectTableNode: @unchecked Sendable where Element: Sendable {}
