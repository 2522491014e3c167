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
        after.utf8.withContiguousStorageIfAvailable {
          Self.kept(
            of: UnsafeRawBufferPointer(before), and: UnsafeRawBufferPointer($0), isText: true)
        }
      }
      guard let kept = made?.flatMap({ $0 }),
        let old = String(before.utf8.dropFirst(kept.prefix).dropLast(kept.suffix)),
        let new = String(after.utf8.dropFirst(kept.prefix).dropLast(kept.suffix))
      else { return nil }
      self.init(
        prefixCount: kept.prefix, suffixCount: kept.suffix, old: .string(old), new: .string(new))
    case (.data(let before), .data(let after)):
      let made = before.withUnsafeBytes { before in
        after.withUnsafeBytes { Self.kept(of: before, and: $0, isText: false) }
      }
      guard let kept = made else { return nil }
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
  private static func kept(of old: [Value], and new: [Value]) -> (prefix: Int, suffix: Int)? {
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed())
      .prefix { $0 == $1 }.count
    return kept(prefix, suffix, of: (old.count, new.count))
  }

  /// The same of bytes, eight at a time.
  ///
  /// - Parameter isText: whether they are UTF-8, of which a character's bytes stay together, in what is kept and in the
  ///   middles.
  private static func kept(
    of old: UnsafeRawBufferPointer, and new: UnsafeRawBufferPointer, isText: Bool
  ) -> (prefix: Int, suffix: Int)? {
    let shorter = min(old.count, new.count)
    func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
      bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    var prefix = 0
    while prefix + 8 <= shorter, word(old, prefix) == word(new, prefix) { prefix += 8 }
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    var suffix = 0
    while prefix + suffix + 8 <= shorter,
      word(old, old.count - suffix - 8) == word(new, new.count - suffix - 8)
    { suffix += 8 }
    while prefix + suffix < shorter, old[old.count - suffix - 1] == new[new.count - suffix - 1] {
      suffix += 1
    }
    if isText {
      func splits(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] & 0xC0 == 0x80
      }
      while splits(old, at: prefix) || splits(new, at: prefix) { prefix -= 1 }
      suffix = min(suffix, shorter - prefix)
      while splits(old, at: old.count - suffix) { suffix -= 1 }
    }
    return kept(prefix, suffix, of: (old.count, new.count))
  }

  /// Nil where what is kept is too little.
  private static func kept(
    _ prefix: Int, _ suffix: Int, of counts: (old: Int, new: Int)
  ) -> (prefix: Int, suffix: Int)? {
    let longer = max(counts.old, counts.new)
    guard longer >= shortestCount else { return nil }
    let middles = counts.old + counts.new - 2 * (prefix + suffix)
    return middles * 2 <= longer ? (prefix, suffix) : nil
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
