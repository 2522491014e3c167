internal import FoundationEssentials

extension Splice {
  /// What a value becomes; nil where it is not what the splice was made of.
  public func applied(to value: Value) -> Value? {
    switch value {
    case .string(var whole):
      let bytes = whole.withUTF8 { whole in
        replaced(in: whole) { part in
          if case .string(let part) = part { Array(part.utf8) } else { nil }
        }
      }
      // Of two strings nothing else can come, unless a splice of hostile making cuts a character.
      return bytes.flatMap { String(validating: $0, as: UTF8.self) }.map { .string($0) }
    case .data(let whole):
      let bytes = whole.withUnsafeBytes { whole in
        replaced(in: whole) { part in
          if case .data(let part) = part { Array(part) } else { nil }
        }
      }
      return bytes.map { .data(Data($0)) }
    case .array(let whole): return replaced(in: whole) { $0.array }.map { .array($0) }
    default: return nil
    }
  }

  /// - Parameter elements: those of a middle; nil where it is of another kind.
  private func replaced<Whole: RandomAccessCollection<Element>, Element: Equatable>(
    in whole: Whole, _ elements: (Value) -> [Element]?
  ) -> [Element]? {
    var (result, rest): ([Element], _) = ([], whole[...])
    result.reserveCapacity(whole.count)
    for part in parts {
      // Lengths may come from a file, and their sum need not fit.
      guard part.keptCount >= 0, part.keptCount <= rest.count, let old = elements(part.old),
        let new = elements(part.new)
      else { return nil }
      result += rest.prefix(part.keptCount)
      rest = rest.dropFirst(part.keptCount)
      guard rest.starts(with: old) else { return nil }
      rest = rest.dropFirst(old.count)
      result += new
    }
    guard rest.count == suffixCount else { return nil }
    result += rest
    return result
  }
}
