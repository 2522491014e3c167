internal import ObjectModel

// What a test looks for, for whoever has columns of values and need not make each of them.
extension ValueTest {
  /// Between which bounds integers and counters pass, and nothing else does; nil where the test is another.
  package var integerBounds: (lower: Int, upper: Int)? {
    if case .integers(let lower, let upper) = kind { (lower, upper) } else { nil }
  }

  /// What texts must be like, where their bytes tell; nil where they do not.
  package var byteTest: ByteTest? {
    guard case .relation(let relation, .string(let text)) = kind, relation.options.isEmpty else {
      return nil
    }
    switch relation.relation {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith:
      return ByteTest(relation: relation.relation, bytes: Array(text.utf8))
    case .between, .isIn, .contains, .like, .matches: return nil
    }
  }
}

/// What the UTF-8 bytes of a text must be like.
package struct ByteTest: Sendable {
  fileprivate let relation: Filter.Relation
  fileprivate let bytes: [UInt8]

  /// Whether a text of these bytes passes.
  package func admits(_ text: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { bytes in
      switch relation {
      case .beginsWith:
        text.count >= bytes.count
          && UnsafeRawBufferPointer(rebasing: text.prefix(bytes.count)).order(bytes) == 0
      case .endsWith:
        text.count >= bytes.count
          && UnsafeRawBufferPointer(rebasing: text.suffix(bytes.count)).order(bytes) == 0
      case .notEqual: text.order(bytes) != 0
      case .less: text.order(bytes) < 0
      case .lessOrEqual: text.order(bytes) <= 0
      case .greater: text.order(bytes) > 0
      case .greaterOrEqual: text.order(bytes) >= 0
      default: text.order(bytes) == 0
      }
    }
  }
}
