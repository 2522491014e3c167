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
  package var isWithinDepth: Bool { isWithin(depth: Self.largestDepth) }

  private func isWithin(depth: Int) -> Bool {
    switch self {
    case .array(let values): depth > 0 && values.allSatisfy { $0.isWithin(depth: depth - 1) }
    case .dictionary(let values):
      depth > 0 && values.values.allSatisfy { $0.isWithin(depth: depth - 1) }
    case .set(let values): depth > 0 && values.allSatisfy { $0.isWithin(depth: depth - 1) }
    default: true
    }
  }
}
