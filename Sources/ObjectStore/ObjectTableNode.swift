/// A node of an object table: up to 32 places, of which only those in use take room.
///
/// What is at the places follows the node's head in the same piece of memory, so that an element is found with
/// one look there: nodes above the lowest level, elements in it. Once two tables share a node, neither changes
/// it. That is all the safety between threads there is need of.
final class ObjectTableNode<Element>: ManagedBuffer<ObjectTableHead, Element> {
  private typealias Elements = UnsafeMutablePointer<Element>
  private typealias Children = UnsafeMutablePointer<ObjectTableNode>

  /// A node with nothing in it.
  ///
  /// - Parameter capacity: for how many items there is room.
  static func make(height: Int, capacity: Int = 4) -> ObjectTableNode {
    let isLeaf = height == 0
    // Room is counted in elements, also where there are nodes.
    let stride = max(MemoryLayout<Element>.stride, 1)
    let byteCount = capacity * (isLeaf ? stride : MemoryLayout<ObjectTableNode>.stride)
    let buffer = create(minimumCapacity: (byteCount + stride - 1) / stride) { _ in
      ObjectTableHead(capacity: UInt8(capacity), isLeaf: isLeaf)
    }
    return unsafeDowncast(buffer, to: ObjectTableNode.self)
  }

  /// Puts a level above a node.
  static func make(height: Int, over child: ObjectTableNode) -> ObjectTableNode {
    let node = make(height: height)
    node.withUnsafeMutablePointers { head, items in
      children(items).initialize(to: child)
      head.pointee.places = 1
    }
    return node
  }

  deinit {
    withUnsafeMutablePointers { head, items -> Void in
      if head.pointee.isLeaf {
        items.deinitialize(count: head.pointee.count)
      } else {
        Self.children(items).deinitialize(count: head.pointee.count)
      }
    }
  }

  var isEmpty: Bool { withUnsafeMutablePointerToHeader { $0.pointee.places == 0 } }

  /// The items of a node that is above the lowest level.
  @inline(__always)
  private static func children(_ items: Elements) -> Children {
    UnsafeMutableRawPointer(items).assumingMemoryBound(to: ObjectTableNode.self)
  }

  @inline(__always)
  private static func place(_ number: UInt64, _ height: Int) -> UInt32 {
    1 << UInt32(truncatingIfNeeded: number >> UInt64(5 * height) & 31)
  }

  func element(_ number: UInt64, height: Int) -> Element? {
    // Nodes are not retained on the way: that would cost more than the way itself. The root holds them.
    var node = Unmanaged.passUnretained(self)
    for level in stride(from: height, to: 0, by: -1) {
      let child = node._withUnsafeGuaranteedRef { node in
        node.withUnsafeMutablePointers { head, items -> Unmanaged<ObjectTableNode>? in
          guard let index = head.pointee.index(of: Self.place(number, level)) else { return nil }
          return Unmanaged.passUnretained(Self.children(items)[index])
        }
      }
      guard let child else { return nil }
      node = child
    }
    return node._withUnsafeGuaranteedRef { node in
      node.withUnsafeMutablePointers { head, items in
        head.pointee.index(of: Self.place(number, 0)).map { items[$0] }
      }
    }
  }

  /// Makes a node one that nobody else has, with room for one item more if a place is not in use.
  @inline(__always)
  private static func own(_ node: inout ObjectTableNode, for place: UInt32) {
    let isUnique = isKnownUniquelyReferenced(&node)
    let head = node.withUnsafeMutablePointerToHeader { $0.pointee }
    let isFull = head.places & place == 0 && head.count == Int(head.capacity)
    if !isUnique || isFull {
      replace(&node, isUnique, head, Int(head.capacity) * (isFull ? 2 : 1))
    }
  }

  @inline(never)
  private static func replace(
    _ node: inout ObjectTableNode, _ isUnique: Bool, _ head: ObjectTableHead, _ capacity: Int
  ) {
    let new = make(height: head.isLeaf ? 0 : 1, capacity: capacity)
    let count = head.count
    node.withUnsafeMutablePointers { oldHead, old in
      new.withUnsafeMutablePointers { newHead, new in
        switch (head.isLeaf, isUnique) {
        case (true, true): new.moveInitialize(from: old, count: count)
        case (true, false): new.initialize(from: old, count: count)
        case (false, true): children(new).moveInitialize(from: children(old), count: count)
        case (false, false): children(new).initialize(from: children(old), count: count)
        }
        newHead.pointee.places = head.places
        if isUnique { oldHead.pointee.places = 0 }
      }
    }
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
    own(&node, for: place)
    return node.withUnsafeMutablePointers { head, items in
      let (index, count) = (head.pointee.rank(of: place), head.pointee.count)
      let isNew = head.pointee.places & place == 0
      if height > 0 {
        let children = children(items)
        if isNew { open(children, index, count, Self.make(height: height - 1)) }
        head.pointee.places |= place
        return insertBelow(number, height: height - 1, into: &children[index], make)
      }
      if isNew {
        open(items, index, count, make(nil))
        head.pointee.places |= place
      } else {
        // Moved out and in, so that what is there can be changed in place.
        let element = items + index
        element.initialize(to: make(element.move()))
      }
      return isNew
    }
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

  /// Takes an item away from among others.
  private static func close<Item>(
    _ items: UnsafeMutablePointer<Item>, _ index: Int, _ count: Int
  ) {
    (items + index).deinitialize(count: 1)
    (items + index).moveInitialize(from: items + index + 1, count: count - index - 1)
  }

  /// Removes an element that is there, and the nodes that have nothing without it.
  static func remove(_ number: UInt64, height: Int, from node: inout ObjectTableNode) {
    let place = place(number, height)
    own(&node, for: place)
    node.withUnsafeMutablePointers { head, items in
      let (index, count) = (head.pointee.rank(of: place), head.pointee.count)
      if height > 0 {
        let children = children(items)
        remove(number, height: height - 1, from: &children[index])
        guard children[index].isEmpty else { return }
        close(children, index, count)
      } else {
        close(items, index, count)
      }
      head.pointee.places &= ~place
    }
  }

  /// - Returns: whether to go on.
  func forEach(
    height: Int, base: UInt64, from first: UInt64, _ body: (UInt64, Element) -> Bool
  ) -> Bool {
    withUnsafeMutablePointers { head, items in
      var rest = head.pointee.places
      var index = 0
      while rest != 0 {
        let digit = UInt64(rest.trailingZeroBitCount)
        rest &= rest - 1
        let lowest = base | digit << UInt64(5 * height)
        let span: UInt64 = 1 << UInt64(5 * height)
        if lowest + (span - 1) >= first {
          let goesOn =
            height > 0
            ? Self.children(items)[index]
              .forEach(height: height - 1, base: lowest, from: first, body)
            : body(lowest, items[index])
          if !goesOn { return false }
        }
        index += 1
      }
      return true
    }
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
