/// Sections by key, in the order of their last use: a table with open addressing, and a ring through its
/// nodes. Knows no locks.
struct SectionTable {
  private struct Node {
    var key: SectionKey
    var section: Section?
    var byteCount: Int
    /// Towards the section used before it; at the ring's head, the one used last of all.
    var older: Int32
    var newer: Int32
  }

  /// The first node is the ring's head and holds nothing.
  private var nodes = [
    Node(key: SectionKey(run: 0, block: 0, part: 0), section: nil, byteCount: 0, older: 0, newer: 0)
  ]
  /// Nodes that hold nothing any more.
  private var free: [Int32] = []
  /// The nodes of keys, or 0; a power of two of them, at least twice as many as there are sections.
  private var slots = [Int32](repeating: 0, count: 64)

  private(set) var count = 0
  private(set) var byteCount = 0

  private func slot(of key: SectionKey) -> Int {
    let high = (UInt64(key.run) << 32 | UInt64(key.block)) &* 0x9E37_79B9_7F4A_7C15
    let mixed = (high ^ UInt64(key.part)) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: mixed >> 32) & (slots.count - 1)
  }

  /// The slot that a key is in, or the free one it would go to.
  private func find(_ key: SectionKey) -> Int {
    var slot = slot(of: key)
    while slots[slot] != 0, nodes[Int(slots[slot])].key != key {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  /// The section of a key, which is now the one used last; nil where there is none.
  mutating func use(_ key: SectionKey) -> Section? {
    let node = slots[find(key)]
    guard node != 0 else { return nil }
    if nodes[0].older != node {
      detach(node)
      attach(node)
    }
    return nodes[Int(node)].section
  }

  /// Adds a section whose key is not there.
  mutating func insert(_ section: Section, _ key: SectionKey, byteCount: Int) {
    if (count + 1) * 2 > slots.count { grow() }
    let node = free.popLast() ?? Int32(nodes.count)
    let new = Node(key: key, section: section, byteCount: byteCount, older: 0, newer: 0)
    if Int(node) == nodes.count { nodes.append(new) } else { nodes[Int(node)] = new }
    slots[find(key)] = node
    attach(node)
    count += 1
    self.byteCount += byteCount
  }

  mutating func removeLeastRecent() {
    let node = nodes[0].newer
    precondition(node != 0, "an empty table has nothing to remove")
    remove(node)
  }

  mutating func removeAll(ofRun run: UInt32) {
    for node in nodes.indices.dropFirst()
    where nodes[node].key.run == run && nodes[node].section != nil {
      remove(Int32(node))
    }
  }

  private mutating func remove(_ node: Int32) {
    detach(node)
    empty(find(nodes[Int(node)].key))
    count -= 1
    byteCount -= nodes[Int(node)].byteCount
    nodes[Int(node)].section = nil
    free.append(node)
  }

  /// Empties a slot, and moves those behind it that could not stand where they belong.
  private mutating func empty(_ emptied: Int) {
    let mask = slots.count - 1
    var hole = emptied
    var slot = (hole + 1) & mask
    while slots[slot] != 0 {
      let home = self.slot(of: nodes[Int(slots[slot])].key)
      if (slot - home) & mask >= (slot - hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    slots[hole] = 0
  }

  private mutating func grow() {
    let old = slots
    slots = [Int32](repeating: 0, count: old.count * 2)
    for node in old where node != 0 { slots[find(nodes[Int(node)].key)] = node }
  }

  private mutating func detach(_ node: Int32) {
    let (older, newer) = (nodes[Int(node)].older, nodes[Int(node)].newer)
    nodes[Int(older)].newer = newer
    nodes[Int(newer)].older = older
  }

  /// Puts a node where the one used last stands.
  private mutating func attach(_ node: Int32) {
    let last = nodes[0].older
    nodes[Int(node)].older = last
    nodes[Int(node)].newer = 0
    nodes[Int(last)].newer = node
    nodes[0].older = node
  }
}
