internal import FoundationEssentials
internal import ObjectModel

// How much a filter holds, for who keeps filters.
extension Filter {
  /// Roughly how many keys, values, and bytes of texts and data it holds.
  package var weight: Int {
    switch node {
    case .constant: 1
    case .comparison(let comparison): comparison.left.weight + comparison.right.weight
    case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.weight }
    case .not(let part): 1 + part.weight
    case .related(_, let path, let part): 1 + path.count + part.weight
    }
  }
}

extension Filter.Operand {
  /// The same of an operand.
  package var weight: Int {
    switch self {
    case .key(let path), .count(let path): 1 + path.count
    case .literal(let value): value.weight
    case .list(let parts): parts.reduce(1) { $0 + $1.weight }
    case .arithmetic(_, let one, let other), .otherwise(let one, let other):
      1 + one.weight + other.weight
    case .negative(let operand): 1 + operand.weight
    }
  }
}

extension Value {
  fileprivate var weight: Int {
    switch self {
    case .string(let text): 1 + text.utf8.count
    case .data(let bytes): 1 + bytes.count
    case .url(let url): 1 + url.absoluteString.utf8.count
    case .array(let values): values.reduce(1) { $0 + $1.weight }
    case .set(let values): values.reduce(1) { $0 + $1.weight }
    case .dictionary(let values):
      values.reduce(1) { $0 + 1 + $1.key.utf8.count + $1.value.weight }
    default: 1
    }
  }
}
