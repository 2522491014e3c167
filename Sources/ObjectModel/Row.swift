/// What an object has: a value for each key that has one. Null is the same as none, and is not kept.
///
/// Costs: the entries lie in one array, sorted by key; a lookup is a search by halves in it.
package struct Row: Hashable, Sendable {
  /// A key and its value.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package let value: Value

    package init(_ key: KeyNumber, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// The entries, sorted by key; no key twice, no null.
  package private(set) var entries: [Entry] = []

  package init() {}

  /// Makes a row of values.
  package init(_ values: [KeyNumber: Value]) {
    entries = values.filter { !$0.value.isNull }.map { Entry($0.key, $0.value) }
      .sorted { $0.key < $1.key }
  }

  /// Takes entries over that are in order; nil where they are not, or one is null.
  package init?(sorted entries: [Entry]) {
    let isInOrder = zip(entries, entries.dropFirst()).allSatisfy { $0.key < $1.key }
    guard isInOrder, !entries.contains(where: \.value.isNull) else { return nil }
    self.entries = entries
  }

  /// Takes entries over that are known to be in order, none of them null.
  package init(known entries: [Entry]) {
    assert(Row(sorted: entries) != nil, "entries are known to be in order, and not null")
    self.entries = entries
  }

  /// Whether no key has a value.
  package var isEmpty: Bool { entries.isEmpty }

  /// The value of a key; nil where there is none. Setting null removes it.
  package subscript(key: KeyNumber) -> Value? {
    get {
      let index = place(of: key)
      // Not a conditional expression: there `nil` would be the value null.
      guard index < entries.count, entries[index].key == key else { return nil }
      return entries[index].value
    }
    set {
      let index = place(of: key)
      let isThere = index < entries.count && entries[index].key == key
      switch (newValue, isThere) {
      case (.some(.null), true), (nil, true): entries.remove(at: index)
      case (.some(.null), false), (nil, false): break
      case (.some(let value), true): entries[index] = Entry(key, value)
      case (.some(let value), false): entries.insert(Entry(key, value), at: index)
      }
    }
  }

  /// Where a key stands, or would.
  private func place(of key: KeyNumber) -> Int {
    entries.indices.firstPlace(inOrder: { entries[$0].key >= key })
  }
}
