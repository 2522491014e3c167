package import ObjectModel

/// Puts elements in order by values. With a limit it keeps no more of them than that and the offset.
///
/// Elements whose values are the same stand by their ranks, where these are given, and otherwise stay in the
/// order in which they came. Null comes first, and last where the order descends.
package struct Sorter<Element> {
  private struct Entry {
    let first: Value
    let others: [Value]
    let rank: UInt64
    let element: Element
  }

  private let isDescending: [Bool]
  private let offset: Int
  /// How many are kept; nil for all.
  private let capacity: Int?
  /// With a limit a heap whose first is the last of those that are kept.
  private var entries: [Entry] = []
  private var count: UInt64 = 0

  /// Makes a sorter.
  ///
  /// - Parameter isDescending: of each key that elements are sorted by.
  package init(descending isDescending: [Bool], limit: Int? = nil, offset: Int = 0) {
    self.isDescending = isDescending
    self.offset = offset
    capacity = limit.map { limit in
      let (sum, isOverflow) = limit.addingReportingOverflow(offset)
      return isOverflow ? .max : sum
    }
  }

  /// The first value and the rank of the last element that is kept, where no more can be: what stands behind it
  /// is not taken.
  package var last: (value: Value, rank: UInt64)? {
    guard entries.count == capacity, let last = entries.first else { return nil }
    return (last.first, last.rank)
  }

  /// Whether nothing is taken that has this first value, or one behind it, whatever else it has.
  package func isPast(_ first: Value) -> Bool {
    guard !isDescending.isEmpty, let last else { return false }
    return directed(first.sortOrder(last.value), 0) > 0
  }

  /// Whether an element may be taken of which only the first value is looked at, and the rank where that is
  /// all it is sorted by.
  package func mayTake(_ first: Value, rank: UInt64) -> Bool {
    guard entries.count == capacity else { return true }
    guard let last = entries.first else { return false }
    let order = isDescending.isEmpty ? 0 : directed(first.sortOrder(last.first), 0)
    return order < 0 || order == 0 && (isDescending.count > 1 || rank < last.rank)
  }

  /// Takes an element that is sorted by one value.
  package mutating func add(_ element: Element, by value: Value) {
    add(element, by: value, [], rank: count)
  }

  /// Takes an element that is sorted by as many values as there are keys.
  package mutating func add(_ element: Element, by values: [Value]) {
    add(element, by: values.first ?? .null, Array(values.dropFirst()), rank: count)
  }

  /// Takes an element that is sorted by a first value and others.
  ///
  /// - Parameter rank: its place among those that have the same values.
  package mutating func add(
    _ element: Element, by first: Value, _ others: [Value], rank: UInt64
  ) {
    precondition(
      others.count == max(0, isDescending.count - 1), "an element has a value for each sort key")
    count += 1
    let entry = Entry(first: first, others: others, rank: rank, element: element)
    guard let capacity else {
      entries.append(entry)
      return
    }
    if entries.count < capacity {
      entries.append(entry)
      rise()
    } else if let last = entries.first, isBefore(entry, last) {
      entries[0] = entry
      sink()
    }
  }

  /// The elements in order, without those of the offset.
  package consuming func sorted() -> [Element] {
    let sorted = entries.sorted(by: isBefore)
    return sorted.dropFirst(offset).map(\.element)
  }

  // MARK: Order

  private func isBefore(_ one: Entry, _ other: Entry) -> Bool {
    let order = order(one, other)
    return order == 0 ? one.rank < other.rank : order < 0
  }

  private func order(_ one: Entry, _ other: Entry) -> Int {
    if isDescending.isEmpty { return 0 }
    let order = one.first.sortOrder(other.first)
    if order != 0 { return directed(order, 0) }
    for index in one.others.indices {
      let order = one.others[index].sortOrder(other.others[index])
      if order != 0 { return directed(order, index + 1) }
    }
    return 0
  }

  private func directed(_ order: Int, _ key: Int) -> Int { isDescending[key] ? -order : order }

  // MARK: The heap

  private mutating func rise() {
    var index = entries.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard isBefore(entries[parent], entries[index]) else { return }
      entries.swapAt(parent, index)
      index = parent
    }
  }

  private mutating func sink() {
    var index = 0
    while true {
      var last = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && isBefore(entries[last], entries[child]) {
        last = child
      }
      if last == index { return }
      entries.swapAt(last, index)
      index = last
    }
  }
}

extension Value {
  /// Less than, equal to or greater than zero, as this comes before, with or after another: null, booleans,
  /// numbers of all kinds by what they amount to, and all else by kind and then as it is stored.
  package func sortOrder(_ other: Value) -> Int {
    if case .string(let one) = self, case .string(let other) = other {
      return one.orderOfBytes(other)
    }
    if isNumber, other.isNumber {
      if let order = order(other) { return order }
      // What is no number comes before those that are.
      return (isNotANumber ? 0 : 1) - (other.isNotANumber ? 0 : 1)
    }
    if self == other { return 0 }
    let (one, two) = (sortRank, other.sortRank)
    if one != two { return one < two ? -1 : 1 }
    return Value.precedes(self, other) ? -1 : 1
  }

  private var sortRank: UInt8 { isNumber ? Kind.integer.rawValue : kind.rawValue }
}
