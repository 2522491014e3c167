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

/// A part of a value that keeps it from being a property list.
package struct PropertyListMisfit: Hashable, Sendable {
  /// The keys and numbers that lead to it; empty where it is the value itself.
  package let path: [String]
  package let kind: Value.Kind
}

extension Value {
  /// The first part that no property list may hold, unless the value is nested too deep; nil where it is one.
  package var propertyListMisfit: PropertyListMisfit? {
    func misfit(_ value: Value, _ path: [String]) -> PropertyListMisfit? {
      switch value {
      case .array(let values):
        values.enumerated().lazy.compactMap { misfit($1, path + [String($0)]) }.first
      case .dictionary(let values):
        values.sorted { $0.key < $1.key }.lazy.compactMap { misfit($1, path + [$0]) }.first
      default: value.isPropertyList ? nil : PropertyListMisfit(path: path, kind: value.kind)
      }
    }
    return isWithinDepth ? misfit(self, []) : nil
  }
}
