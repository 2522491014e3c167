/// A node of an object table: up to 32 places, of which only those in use take room.
///
/// What is at the places follows the node's head in the same piece of memory, so that an element is found with
/// one look there: nodes above the lowest level, elements in it. Once two tables share a node, neither changes
/// it. That is all the safety between threads there is need of.
final class ObjectTableNode<Element>: ManagedBuffer<ObjectTableHead, Element> {
  /// A node with nothing in it.
  ///
  /// - Parameter capacity: for how many items there is room.
  static func make(height: Int, capacity: Int = 4) -> ObjectTableNode {
    let isLeaf = height == 0
    // Room is counted in elements, also where there are nodes.
    let byteCount = capacity * (isLeaf ? stride : MemoryLayout<ObjectTableNode>.stride)
    let buffer = create(minimumCapacity: (byteCount + stride - 1) / stride) { _ in
      ObjectTableHead(capacity: UInt8(capacity), isLeaf: isLeaf)
    }
    return unsafeDowncast(buffer, to: ObjectTableNode.self)
  }

  /// Puts a level above a node.
  static func make(height: Int, over child: ObjectTableNode) -> ObjectTableNode {
    let node = make(height: height)
    node.children.initialize(to: child)
    node.header.places = 1
    return node
  }

  deinit {
    if header.isLeaf {
      elements.deinitialize(count: header.count)
    } else {
      children.deinitialize(count: header.count)
    }
  }

  var isEmpty: Bool { header.places == 0 }

  private static var stride: Int { max(MemoryLayout<Element>.stride, 1) }

  // Valid as long as the node is.
  @inline(__always)
  private var elements: UnsafeMutablePointer<Element> {
    withUnsafeMutablePointerToElements { $0 }
  }

  @inline(__always)
  private var children: UnsafeMutablePointer<ObjectTableNode> {
    UnsafeMutableRawPointer(elements).assumingMemoryBound(to: ObjectTableNode.self)
  }

  @inline(__always)
  private static func place(_ number: UInt64, _ height: Int) -> UInt32 {
    1 << UInt32(truncatingIfNeeded: number >> UInt64(5 * height) & 31)
  }

  func element(_ number: UInt64, height: Int) -> Element? {
    // Nodes are not retained on the way: that would cost more than the way itself. The root holds them.
    var node = Unmanaged.passUnretained(self)
    for level in Swift.stride(from: height, to: 0, by: -1) {
      let child = node._withUnsafeGuaranteedRef { node -> Unmanaged<ObjectTableNode>? in
        guard let index = node.header.index(of: Self.place(number, level)) else { return nil }
        return Unmanaged.passUnretained(node.children[index])
      }
      guard let child else { return nil }
      node = child
    }
    return node._withUnsafeGuaranteedRef { node in
      node.header.index(of: Self.place(number, 0)).map { node.elements[$0] }
    }
  }

  /// Makes a node one that nobody else has, with room for one item more where it is to grow.
  @inline(__always)
  private static func own(_ node: inout ObjectTableNode, growing: Bool) {
    let isUnique = isKnownUniquelyReferenced(&node)
    let (count, capacity) = (node.header.count, Int(node.header.capacity))
    if isUnique && !(growing && count == capacity) { return }
    replace(&node, isUnique, count, growing && count == capacity ? 2 * capacity : capacity)
  }

  @inline(never)
  private static func replace(
    _ node: inout ObjectTableNode, _ isUnique: Bool, _ count: Int, _ capacity: Int
  ) {
    let isLeaf = node.header.isLeaf
    let new = make(height: isLeaf ? 0 : 1, capacity: capacity)
    switch (isLeaf, isUnique) {
    case (true, true): new.elements.moveInitialize(from: node.elements, count: count)
    case (true, false): new.elements.initialize(from: node.elements, count: count)
    case (false, true): new.children.moveInitialize(from: node.children, count: count)
    case (false, false): new.children.initialize(from: node.children, count: count)
    }
    new.header.places = node.header.places
    if isUnique { node.header.places = 0 }
    node = new
  }

  /// Puts an element in the place of that of a number, if there is one.
  ///
  /// - Returns: whether there was none of this number.
  @inline(__always)
  static func insert(
    _ number: UInt64, height: Int, into node: inout ObjectTableNode,
    _ make: (Element?) -> Element
  ) -> Bool {
    let place = place(number, height)
    let isNew = node.header.places & place == 0
    own(&node, growing: isNew)
    let index = node.header.rank(of: place)
    if height > 0 {
      if isNew { open(node.children, index, node.header.count, Self.make(height: height - 1)) }
      node.header.places |= place
      return insertBelow(number, height: height - 1, into: &node.children[index], make)
    }
    if isNew {
      open(node.elements, index, node.header.count, make(nil))
      node.header.places |= place
    } else {
      // Moved out and in, so that what is there can be changed in place.
      let element = node.elements + index
      element.initialize(to: make(element.move()))
    }
    return isNew
  }

  private static func insertBelow(
    _ number: UInt64, height: Int, into node: inout ObjectTableNode,
    _ make: (Element?) -> Element
  ) -> Bool {
    insert(number, height: height, into: &node, make)
  }

  /// Puts an item among others.
  @inline(__always)
  private static func open<Item>(
    _ items: UnsafeMutablePointer<Item>, _ index: Int, _ count: Int, _ item: Item
  ) {
    (items + index + 1).moveInitialize(from: items + index, count: count - index)
    (items + index).initialize(to: item)
  }

  private static func close<Item>(
    _ items: UnsafeMutablePointer<Item>, _ index: Int, _ count: Int
  ) {
    (items + index).deinitialize(count: 1)
    (items + index).moveInitialize(from: items + index + 1, count: count - index - 1)
  }

  /// Removes an element that is there, and the nodes that have nothing without it.
  static func remove(_ number: UInt64, height: Int, from node: inout ObjectTableNode) {
    own(&node, growing: false)
    let place = place(number, height)
    let (index, count) = (node.header.rank(of: place), node.header.count)
    if height > 0 {
      remove(number, height: height - 1, from: &node.children[index])
      guard node.children[index].isEmpty else { return }
      close(node.children, index, count)
    } else {
      close(node.elements, index, count)
    }
    node.header.places &= ~place
  }

  /// - Returns: whether to go on.
  func forEach(
    height: Int, base: UInt64, from first: UInt64, _ body: (UInt64, Element) -> Bool
  ) -> Bool {
    var rest = header.places
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

/// What a node of an object table says of itself.
struct ObjectTableHead {
  /// Which places are in use.
  var places: UInt32 = 0
  /// For how many items there is room.
  let capacity: UInt8
  /// Whether it is of the lowest level.
  let isLeaf: Bool

  init(capacity: UInt8, isLeaf: Bool) {
    self.capacity = capacity
    self.isLeaf = isLeaf
  }

  @inline(__always)
  var count: Int { places.nonzeroBitCount }

  /// How many places before one are in use.
  @inline(__always)
  func rank(of place: UInt32) -> Int { (places & (place - 1)).nonzeroBitCount }

  /// Where the item of a place is; nil where it is not in use.
  @inline(__always)
  func index(of place: UInt32) -> Int? { places & place != 0 ? rank(of: place) : nil }
}
