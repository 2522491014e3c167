package import ObjectModel

/// What was set of an object: for each key a value, or that there is none any more.
///
/// Costs: the entries lie in one array, sorted by key. Most objects have few, and keys come in their order most
/// often: that is less to do than to hash them.
package struct Delta: Hashable, Sendable {
  /// A key, and what was set; nil for no value any more.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package fileprivate(set) var value: ObjectModel.Value?
  }

  /// Sorted by key; no key twice.
  package private(set) var entries: [Entry] = []

  package init() {}

  /// What was set of a key: nil where nothing was.
  package subscript(key: KeyNumber) -> ObjectModel.Value?? {
    let index = place(of: key)
    guard index < entries.count, entries[index].key == key else { return nil }
    return .some(entries[index].value)
  }

  /// Sets a value, and gives what was set before: nil where nothing was.
  @discardableResult
  mutating func updateValue(_ value: ObjectModel.Value?, forKey key: KeyNumber) -> ObjectModel
    .Value??
  {
    let index = place(of: key)
    if index == entries.count {
      entries.append(Entry(key: key, value: value))
    } else if entries[index].key == key {
      let before = entries[index].value
      entries[index].value = value
      return .some(before)
    } else {
      entries.insert(Entry(key: key, value: value), at: index)
    }
    return nil
  }

  /// Makes room for so many entries.
  mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

  mutating func removeValue(forKey key: KeyNumber) {
    let index = place(of: key)
    if index < entries.count, entries[index].key == key { entries.remove(at: index) }
  }

  /// Those entries that something holds for.
  package func filter(_ isWanted: (Element) throws -> Bool) rethrows -> Delta {
    var wanted = Delta()
    wanted.entries = try entries.filter { try isWanted(($0.key, $0.value)) }
    return wanted
  }

  /// The keys, in their order.
  package var keys: some RandomAccessCollection<KeyNumber> { entries.lazy.map(\.key) }

  /// What a row is with this put on it.
  func applied(to row: Row, where isWanted: (KeyNumber) -> Bool) -> Row {
    let base = row.entries
    var merged: [Row.Entry] = []
    merged.reserveCapacity(base.count + entries.count)
    var next = 0
    for entry in entries where isWanted(entry.key) {
      while next < base.count, base[next].key < entry.key {
        merged.append(base[next])
        next += 1
      }
      if next < base.count, base[next].key == entry.key { next += 1 }
      if let value = entry.value.stored { merged.append(Row.Entry(entry.key, value)) }
    }
    merged += base[next...]
    return Row(known: merged)
  }

  /// Where a key stands, or would.
  private func place(of key: KeyNumber) -> Int {
    guard let last = entries.last, last.key >= key else { return entries.count }
    return (0..<entries.count).firstPlace(inOrder: { entries[$0].key >= key })
  }
}

extension Delta: RandomAccessCollection {
  package typealias Element = (key: KeyNumber, value: ObjectModel.Value?)

  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }

  package subscript(position: Int) -> Element {
    (entries[position].key, entries[position].value)
  }
}

extension Delta: ExpressibleByDictionaryLiteral {
  /// Takes the last of several values for a key.
  package init(dictionaryLiteral elements: (KeyNumber, ObjectModel.Value?)...) {
    for (key, value) in elements { updateValue(value, forKey: key) }
  }
}
