internal import ObjectModel

/// Entries in their order: a value that is cheap to copy, and whose copies share all that they have in
/// common. So every commit can leave a tree of its own behind for those who read it.
///
/// Costs: setting an entry takes a step a level, and copies the nodes on its way that another copy of the
/// tree shares; with a hundred thousand entries these are three.
struct IndexTree: Sendable {
  private var root = IndexTreeNode()
  /// How many entries there are.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  /// Roughly how much memory it takes: its nodes are three quarters full.
  var byteCount: Int { count * MemoryLayout<IndexEntry>.stride * 4 / 3 }

  /// Puts an entry in, in the place of the same one added or removed unless that is to stay.
  mutating func set(_ entry: IndexEntry, unlessThere stays: Bool = false) {
    var isNew = false
    if let split = IndexTreeNode.set(entry, unlessThere: stays, in: &root, &isNew) {
      root = IndexTreeNode(children: [root, split])
    }
    if isNew { count += 1 }
  }

  /// Adds the entries from one on that stand before another, up to a number of them, the least first.
  func load(
    from start: IndexEntry, before end: IndexEntry, limit: Int,
    into entries: inout ContiguousArray<IndexEntry>
  ) {
    _ = root.load(from: start, before: end, limit: limit, into: &entries)
  }

  /// Adds the entries from one on that stand before another, up to a number of them, the largest first.
  func loadBackwards(
    from start: IndexEntry, before end: IndexEntry, limit: Int,
    into entries: inout ContiguousArray<IndexEntry>
  ) {
    _ = root.loadBackwards(from: start, before: end, limit: limit, into: &entries)
  }
}

/// A node of an index tree: entries, or nodes with the first entry of each.
///
/// Once two trees share a node, neither changes it. That is all the safety between threads there is need of.
private final class IndexTreeNode {
  /// The entries; above the lowest level the first of each child.
  private var entries: ContiguousArray<IndexEntry>
  private var children: ContiguousArray<IndexTreeNode>

  private static let entryCount = 64
  private static let childCount = 32

  init() {
    (entries, children) = ([], [])
  }

  /// Puts a level above nodes that have entries.
  init(children: ContiguousArray<IndexTreeNode>) {
    entries = ContiguousArray(children.map { $0.entries[0] })
    self.children = children
  }

  private init(
    entries: ContiguousArray<IndexEntry>, children: ContiguousArray<IndexTreeNode>
  ) {
    (self.entries, self.children) = (entries, children)
  }

  private var isLeaf: Bool { children.isEmpty }

  /// How many entries stand before one.
  private func count(before entry: IndexEntry) -> Int {
    entries.withUnsafeBufferPointer { entries in
      entries.indices.firstPlace(inOrder: { !(entries[$0] < entry) })
    }
  }

  /// The child that has an entry, or would.
  private func child(of entry: IndexEntry) -> Int {
    let count = count(before: entry)
    let isFirst = count < entries.count && entries[count].isSame(as: entry)
    return isFirst || count == 0 ? count : count - 1
  }

  /// - Returns: what does not find room in the node, to stand behind it.
  static func set(
    _ entry: IndexEntry, unlessThere stays: Bool, in node: inout IndexTreeNode,
    _ isNew: inout Bool
  ) -> IndexTreeNode? {
    if !isKnownUniquelyReferenced(&node) {
      node = IndexTreeNode(entries: node.entries, children: node.children)
    }
    if node.isLeaf {
      let place = node.count(before: entry)
      if place < node.entries.count, node.entries[place].isSame(as: entry) {
        if !stays { node.entries[place] = entry }
        return nil
      }
      isNew = true
      node.entries.insert(entry, at: place)
      // What grows at its end leaves full nodes behind.
      let isLast = place == node.entries.count - 1
      return node.split(over: entryCount, at: isLast ? place : node.entries.count / 2)
    }
    let place = node.child(of: entry)
    let split = set(entry, unlessThere: stays, in: &node.children[place], &isNew)
    node.entries[place] = node.children[place].entries[0]
    guard let split else { return nil }
    node.entries.insert(split.entries[0], at: place + 1)
    node.children.insert(split, at: place + 1)
    let isLast = place + 1 == node.children.count - 1
    return node.split(over: childCount, at: isLast ? place + 1 : node.children.count / 2)
  }

  /// Takes away what stands from a place on, where there is more than a node may hold.
  private func split(over limit: Int, at place: Int) -> IndexTreeNode? {
    guard entries.count > limit else { return nil }
    let split = IndexTreeNode(
      entries: ContiguousArray(entries[place...]),
      children: isLeaf ? [] : ContiguousArray(children[place...]))
    entries.removeSubrange(place...)
    if !isLeaf { children.removeSubrange(place...) }
    return split
  }

  /// - Returns: whether to go on.
  func load(
    from start: IndexEntry, before end: IndexEntry, limit: Int,
    into found: inout ContiguousArray<IndexEntry>
  ) -> Bool {
    guard isLeaf else {
      for child in children[child(of: start)...]
      where !child.load(from: start, before: end, limit: limit, into: &found) {
        return false
      }
      return true
    }
    for entry in entries[count(before: start)...] {
      guard entry < end, found.count < limit else { return false }
      found.append(entry)
    }
    return true
  }

  /// - Returns: whether to go on.
  func loadBackwards(
    from start: IndexEntry, before end: IndexEntry, limit: Int,
    into found: inout ContiguousArray<IndexEntry>
  ) -> Bool {
    let entries = entries[..<count(before: end)]
    guard isLeaf else {
      for child in children[..<entries.count].reversed()
      where !child.loadBackwards(from: start, before: end, limit: limit, into: &found) {
        return false
      }
      return true
    }
    for entry in entries.reversed() {
      guard entry >= start, found.count < limit else { return false }
      found.append(entry)
    }
    return true
  }
}

// Nodes that are shared are never changed.
extension IndexTreeNode: @unchecked Sendable {}
