package import ObjectModel

/// What an index is asked for: the objects whose values of a key lie in some ranges.
package struct IndexScan: Hashable, Sendable {
  package let key: KeyNumber
  /// The key's name.
  package let name: String
  /// The ranges, in order and with nothing in common, so that no object is found twice.
  package let ranges: [ValueRange]
  /// How much is likely to be found.
  let breadth: Breadth
  /// Whether whatever is found is sure to pass the parts of the filter that it stands for.
  let isExact: Bool

  /// How much a scan is likely to find, the least first.
  enum Breadth: Int, Comparable, Sendable {
    case nothing, one, several, prefix, between, open

    static func < (one: Breadth, other: Breadth) -> Bool { one.rawValue < other.rawValue }
  }
}

extension IndexScan {
  /// The scan that finds what a test lets pass, and perhaps more; nil where an index cannot tell.
  init?(_ key: KeyNumber, _ test: ValueTest) {
    guard let kind = test.storedKind, let (ranges, isExact) = test.ranges(of: kind) else {
      return nil
    }
    self.init(
      key: key, name: "\(Filter.Operand.key([test.keyName]))", ranges: ValueRange.joined(ranges),
      isExact: isExact, isPrefix: test.isPrefix)
  }

  init(key: KeyNumber, name: String, ranges: [ValueRange], isExact: Bool, isPrefix: Bool) {
    self.key = key
    self.name = name
    self.ranges = ranges
    self.isExact = isExact
    breadth =
      if ranges.isEmpty {
        .nothing
      } else if ranges.allSatisfy({ $0.single != nil }) {
        ranges.count == 1 ? .one : .several
      } else if isPrefix {
        .prefix
      } else {
        ranges.allSatisfy { $0.lower != nil && $0.upper != nil } ? .between : .open
      }
  }
}
