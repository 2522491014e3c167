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
    case (.string(let before), .string(let after)):
      let made = before.utf8.withContiguousStorageIfAvailable { before in
        after.utf8.withContiguousStorageIfAvailable { Self.kept(of: before, and: $0, isText: true) }
      }
      guard let kept = made?.flatMap({ $0 }),
        let old = String(before.utf8.dropFirst(kept.prefix).dropLast(kept.suffix)),
        let new = String(after.utf8.dropFirst(kept.prefix).dropLast(kept.suffix))
      else { return nil }
      self.init(
        prefixCount: kept.prefix, suffixCount: kept.suffix, old: .string(old), new: .string(new))
    case (.data(let before), .data(let after)):
      guard let kept = Self.kept(of: before, and: after) else { return nil }
      self.init(
        prefixCount: kept.prefix, suffixCount: kept.suffix,
        old: .data(Data(before.dropFirst(kept.prefix).dropLast(kept.suffix))),
        new: .data(Data(after.dropFirst(kept.prefix).dropLast(kept.suffix))))
    case (.array(let before), .array(let after)):
      guard let kept = Self.kept(of: before, and: after) else { return nil }
      self.init(
        prefixCount: kept.prefix, suffixCount: kept.suffix,
        old: .array(Array(before.dropFirst(kept.prefix).dropLast(kept.suffix))),
        new: .array(Array(after.dropFirst(kept.prefix).dropLast(kept.suffix))))
    default:
      return nil
    }
  }

  /// How much two rows of elements have in common at their beginnings and ends.
  private static func kept<Elements: RandomAccessCollection>(
    of old: Elements, and new: Elements, isText: Bool = false
  ) -> (prefix: Int, suffix: Int)? where Elements.Element: Equatable {
    let shorter = min(old.count, new.count)
    guard max(old.count, new.count) >= shortestCount else { return nil }
    var prefix = zip(old, new).prefix { $0 == $1 }.count
    var suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed())
      .prefix { $0 == $1 }.count
    if isText {
      // A character's bytes stay together, in what is kept and in the middles.
      func splits(_ elements: Elements, at count: Int) -> Bool {
        guard count < elements.count,
          let byte = elements[elements.index(elements.startIndex, offsetBy: count)] as? UInt8
        else { return false }
        return byte & 0xC0 == 0x80
      }
      while splits(old, at: prefix) || splits(new, at: prefix) { prefix -= 1 }
      suffix = min(suffix, shorter - prefix)
      while splits(old, at: old.count - suffix) { suffix -= 1 }
    }
    let middles = old.count + new.count - 2 * (prefix + suffix)
    return middles * 2 <= max(old.count, new.count) ? (prefix, suffix) : nil
  }

  /// What takes the splice back.
  package var inverse: Splice {
    Splice(prefixCount: prefixCount, suffixCount: suffixCount, old: new, new: old)
  }

  /// What a value becomes; nil where it is not what the splice was made of.
  public func applied(to value: Value) -> Value? {
    switch (value, old, new) {
    case (.string(let whole), .string(let old), .string(let new)):
      guard let bytes = replace(whole.utf8, old.utf8, new.utf8) else { return nil }
      // Of two strings nothing else can come, unless a splice of hostile making cuts a character.
      return String(validating: bytes, as: UTF8.self).map { .string($0) }
    case (.data(let whole), .data(let old), .data(let new)):
      return replace(whole, old, new).map { .data(Data($0)) }
    case (.array(let whole), .array(let old), .array(let new)):
      return replace(whole, old, new).map { .array($0) }
    default:
      return nil
    }
  }

  private func replace<Elements: BidirectionalCollection>(
    _ whole: Elements, _ old: Elements, _ new: Elements
  ) -> [Elements.Element]? where Elements.Element: Equatable {
    let (count, oldCount) = (whole.count, old.count)
    // Lengths may come from a file, and their sum need not fit.
    guard prefixCount >= 0, suffixCount >= 0, prefixCount <= count,
      suffixCount <= count - prefixCount, oldCount == count - prefixCount - suffixCount,
      whole.dropFirst(prefixCount).dropLast(suffixCount).elementsEqual(old)
    else { return nil }
    var result: [Elements.Element] = []
    result.reserveCapacity(prefixCount + new.count + suffixCount)
    result += whole.prefix(prefixCount)
    result += new
    result += whole.suffix(suffixCount)
    return result
  }
}
