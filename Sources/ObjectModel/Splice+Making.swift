internal import FoundationEssentials

extension Value {
  /// Whether a change of its middle is smaller than the value itself.
  package var isLong: Bool {
    switch self {
    case .string(let value): value.utf8.count >= Splice.shortestCount
    case .data(let value): value.count >= Splice.shortestCount
    case .array(let value): value.count >= Splice.shortestCount
    default: false
    }
  }
}

extension Splice {
  /// Shorter values are kept whole: a splice would save too little.
  static let shortestCount = 64

  /// What differs between two long values of one kind; nil where they are short, or where more than half
  /// of them differs.
  package init?(from old: Value, to new: Value) {
    switch (old, new) {
    case (.string(var before), .string(var after)):
      let places = before.withUTF8 { before in
        after.withUTF8 {
          UnsafeRawBufferPointer(before).places(
            unlike: UnsafeRawBufferPointer($0), isText: true)
        }
      }
      let (old, new) = (before.utf8, after.utf8)
      func text(_ utf8: String.UTF8View, _ range: Range<Int>) -> Value? {
        String(utf8.dropFirst(range.lowerBound).prefix(range.count)).map { .string($0) }
      }
      self.init(places, of: (old.count, new.count), { text(old, $0) }, { text(new, $0) })
    case (.data(let before), .data(let after)):
      let places = before.withUnsafeBytes { before in
        after.withUnsafeBytes { before.places(unlike: $0, isText: false) }
      }
      func part(_ data: Data, _ range: Range<Int>) -> Value {
        .data(Data(data.dropFirst(range.lowerBound).prefix(range.count)))
      }
      self.init(
        places, of: (before.count, after.count), { part(before, $0) }, { part(after, $0) })
    case (.array(let before), .array(let after)):
      let prefix = zip(before, after).prefix { $0 == $1 }.count
      let suffix = zip(before.dropFirst(prefix).reversed(), after.dropFirst(prefix).reversed())
        .prefix { $0 == $1 }.count
      let place = UnlikePlace(
        old: prefix..<before.count - suffix, new: prefix..<after.count - suffix)
      self.init(
        [place], of: (before.count, after.count), { .array(Array(before[$0])) },
        { .array(Array(after[$0])) })
    default:
      return nil
    }
  }

  /// - Parameters:
  ///   - places: where two values differ, at least one place.
  ///   - counts: how long the values are.
  ///   - old: what of the value before stands in a place.
  ///   - new: what of the value after does.
  private init?(
    _ places: [UnlikePlace], of counts: (old: Int, new: Int), _ old: (Range<Int>) -> Value?,
    _ new: (Range<Int>) -> Value?
  ) {
    let longer = max(counts.old, counts.new)
    let unlikeCount = places.reduce(0) { $0 + $1.count }
    guard longer >= Self.shortestCount, unlikeCount * 2 <= longer else { return nil }
    var parts: [Part] = []
    var end = 0
    for place in places {
      guard let before = old(place.old), let after = new(place.new) else { return nil }
      parts.append(Part(keptCount: place.old.lowerBound - end, old: before, new: after))
      end = place.old.upperBound
    }
    self.init(
      prefixCount: parts[0].keptCount, suffixCount: counts.old - end, old: parts[0].old,
      new: parts[0].new, further: Array(parts.dropFirst()))
  }
}
