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
    // Nodes are not retained on the way: that would cost more than the way itself. The root holds them.
    var node = Unmanaged.passUnretained(self)
    for level in stride(from: height, to: 0, by: -1) {
      let child = node._withUnsafeGuaranteedRef { $0.child(number, level) }
      guard let child else { return nil }
      node = child
    }
    return node._withUnsafeGuaranteedRef { $0.element(Self.place(number, 0)) }
  }

  @inline(__always)
  private func child(_ number: UInt64, _ level: Int) -> Unmanaged<ObjectTableNode>? {
    let place = Self.place(number, level)
    guard places & place != 0 else { return nil }
    return children.withUnsafeBufferPointer { Unmanaged.passUnretained($0[index(of: place)]) }
  }

  @inline(__always)
  private func element(_ place: UInt32) -> Element? {
    places & place != 0 ? elements[index(of: place)] : nil
  }

  /// Puts an element in the place of that of a number, if there is one.
  ///
  /// - Returns: whether there was none of this number.
  @inline(__always)
  static func insert(
    _ number: UInt64, height: Int, into node: inout ObjectTableNode,
    _ make: (Element?) -> Element
  ) -> Bool {
    if !isKnownUniquelyReferenced(&node) { node = ObjectTableNode(copying: node) }
    let place = place(number, height)
    let index = node.index(of: place)
    let isThere = node.places & place != 0
    node.places |= place
    if height > 0 {
      if !isThere { node.children.insert(ObjectTableNode(), at: index) }
      return insertBelow(number, height: height - 1, into: &node.children[index], make)
    }
    if isThere {
      node.elements[index] = make(node.elements[index])
    } else {
      node.elements.insert(make(nil), at: index)
    }
    return !isThere
  }

  private static func insertBelow(
    _ number: UInt64, height: Int, into node: inout ObjectTableNode,
    _ make: (Element?) -> Element
  ) -> Bool {
    insert(number, height: height, into: &node, make)
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
