package import ObjectModel

/// Which values are asked of an index: those of one kind between two bounds, or all there are.
package struct IndexRange: Sendable {
  /// An end of a range.
  package struct Bound: Sendable {
    package let value: Value
    package let isIncluded: Bool

    /// Up to a value, and the value as well.
    package static func including(_ value: Value) -> Bound { Bound(value: value, isIncluded: true) }

    /// Up to a value, but not the value.
    package static func excluding(_ value: Value) -> Bound {
      Bound(value: value, isIncluded: false)
    }
  }

  package let lower: Bound?
  package let upper: Bound?

  package init(from lower: Bound? = nil, to upper: Bound? = nil) {
    (self.lower, self.upper) = (lower, upper)
  }

  /// Every value.
  package static let all = IndexRange()

  /// One value.
  package static func equal(to value: Value) -> IndexRange {
    IndexRange(from: .including(value), to: .including(value))
  }
}

/// Where the entries lie that a range asks for, and which of them need no second look.
struct IndexSpan {
  /// The first entry that may be meant, and the first behind them.
  private(set) var start: IndexEntry
  private(set) var end: IndexEntry
  /// Whether it is known of all entries at once that none needs a second look: of such values they have all.
  private(set) var areAllCertain = false
  /// The bounds that are longer than entries.
  private var longBounds: [IndexedWords] = []

  /// The span of a range in an index; nil where the range is empty.
  init?(_ range: IndexRange, of index: IndexNumber) {
    let bounds = [range.lower, range.upper].compactMap(\.self)
    guard let kind = bounds.first?.value.kind else {
      start = IndexEntry(index, 0, IndexedWords(), object: 0)
      end = IndexEntry(IndexNumber(rawValue: index.rawValue + 1), 0, IndexedWords(), object: 0)
      return
    }
    guard kind != .null, bounds.allSatisfy({ $0.value.kind == kind }) else { return nil }
    areAllCertain = IndexedWords.areWhole(kind)
    start = IndexEntry(index, kind.rawValue, IndexedWords(), object: 0)
    end = IndexEntry(index, kind.rawValue + 1, IndexedWords(), object: 0)
    let isOneValue = range.lower.map { $0.value == range.upper?.value } ?? false
    if let lower = range.lower {
      let words = IndexedWords(lower.value)
      if words.isWhole(kind.rawValue) || isOneValue {
        start = IndexEntry(index, kind.rawValue, words, object: lower.isIncluded ? 0 : .max)
      } else if let least = words.leastOfLong {
        start = IndexEntry(index, kind.rawValue, least, object: 0)
      }
      if words.leastOfLong != nil { longBounds.append(words) }
    }
    if let upper = range.upper {
      let words = IndexedWords(upper.value)
      if words.isWhole(kind.rawValue) || isOneValue {
        end = IndexEntry(index, kind.rawValue, words, object: upper.isIncluded ? .max : 0)
      } else if let largest = words.largestOfLong {
        end = IndexEntry(index, kind.rawValue, largest, object: .max)
      }
      if words.leastOfLong != nil { longBounds.append(words) }
    }
    if start >= end { return nil }
  }

  /// Whether the value of an entry of the span is sure to lie in the range.
  func isCertain(_ entry: IndexEntry) -> Bool {
    if entry.value.isWhole(entry.kind) { return true }
    guard entry.value.leastOfLong != nil else { return false }
    return !longBounds.contains { $0.hasSameBeginning(as: entry.value) }
  }
}
