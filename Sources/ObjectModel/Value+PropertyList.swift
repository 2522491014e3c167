internal import FoundationEssentials

extension Value {
  /// How deep arrays, dictionaries and sets may stand within each other.
  package static let largestDepth = 128

  /// What a dynamic attribute may hold: string, data, date, boolean, integer, real, and arrays and
  /// dictionaries of them; no null within.
  public var isPropertyList: Bool { isPropertyList(depth: Self.largestDepth) }

  private func isPropertyList(depth: Int) -> Bool {
    switch self {
    case .boolean, .integer, .real, .string, .data, .date: true
    case .array(let values):
      depth > 0 && values.allSatisfy { $0.isPropertyList(depth: depth - 1) }
    case .dictionary(let values):
      depth > 0 && values.values.allSatisfy { $0.isPropertyList(depth: depth - 1) }
    case .null, .decimal, .uuid, .url, .counter, .set, .reference: false
    }
  }

  /// Whether the value stays within the depth that the store can write.
  package var isWithinDepth: Bool { isWithin(depth: Self.largestDepth) { _ in true } }

  /// Whether the store can write the value: within that depth, and without a decimal that is no number.
  package var isStorable: Bool {
    isWithin(depth: Self.largestDepth) { value in
      if case .decimal(let number) = value { !number.isNaN } else { true }
    }
  }

  private func isWithin(depth: Int, _ isRight: (Value) -> Bool) -> Bool {
    func areWithin(_ values: some Sequence<Value>) -> Bool {
      depth > 0 && values.allSatisfy { $0.isWithin(depth: depth - 1, isRight) }
    }
    return switch self {
    case .array(let values): areWithin(values)
    case .dictionary(let values): areWithin(values.values)
    case .set(let values): areWithin(values)
    default: isRight(self)
    }
  }
}
