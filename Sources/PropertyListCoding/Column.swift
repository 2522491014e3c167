/// Plain elements in a row, in memory of their own, without the checks for sharing that an array makes.
struct Column<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    precondition(capacity > 0, "a column needs room for something")
    base = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    base.initialize(repeating: element, count: count)
    self.count = count
  }

  deinit { base.deallocate() }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "there is no such element")
      return base[index]
    }
    set {
      precondition(index >= 0 && index < count, "there is no such element")
      base[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    (base + count).initialize(to: element)
    count += 1
  }

  /// Adds elements that are yet to be set.
  ///
  /// - Returns: the first one's index.
  @inline(__always)
  mutating func extend(by added: Int, filling element: Element) -> Int {
    if capacity - count < added { grow(by: added) }
    (base + count).initialize(repeating: element, count: added)
    defer { count += added }
    return count
  }

  mutating func removeAll(after count: Int) {
    precondition(count >= 0 && count <= self.count, "only what is there can be removed")
    self.count = count
  }

  @inline(never)
  private mutating func grow(by added: Int) {
    capacity = max(capacity * 2, count + added)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
  }
}
