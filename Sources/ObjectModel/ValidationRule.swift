internal import FoundationEssentials

/// What a value must be like to be saved. A rule judges no value but those it is about: whether there must
/// be one is said by the attribute itself.
public enum ValidationRule: Hashable, Sendable {
  /// At least so many characters, bytes or members.
  case minLength(Int)
  /// At most so many characters, bytes or members.
  case maxLength(Int)
  /// Not smaller than this.
  case minimum(Value)
  /// Not larger than this.
  case maximum(Value)
  /// A text that as a whole matches a regular expression. `docs/query.md` says at `MATCHES` what one may have.
  case matches(String)
}

extension ValidationRule {
  /// Whether a value passes. Null, and what the rule is not about, always do.
  package func admits(_ value: Value) -> Bool {
    switch self {
    case .minLength(let length): value.length.map { $0 >= length } ?? true
    case .maxLength(let length): value.length.map { $0 <= length } ?? true
    case .minimum(let limit): limit.isAtMost(value) ?? true
    case .maximum(let limit): value.isAtMost(limit) ?? true
    case .matches(let pattern):
      // A model refuses a pattern that cannot be read; where one was stored all the same, nothing is held against it.
      value.string.map { Pattern.read(pattern)?.matches($0) ?? true } ?? true
    }
  }
}

extension ValidationRule: CustomStringConvertible {
  /// What must be, as the end of a sentence.
  public var description: String {
    switch self {
    case .minLength(let length): "must be at least \(length) long"
    case .maxLength(let length): "must be at most \(length) long"
    case .minimum(let limit): "must be at least \(limit)"
    case .maximum(let limit): "must be at most \(limit)"
    case .matches(let pattern): "must match \(pattern)"
    }
  }
}

extension Value {
  /// How many characters, bytes or members there are, where that can be said.
  fileprivate var length: Int? {
    switch self {
    case .string(let value): value.count
    case .data(let value): value.count
    case .set(let values): values.count
    default: nil
    }
  }

  /// Whether this is not larger than another of its kind; nil where they cannot be compared. What is no
  /// number is neither smaller nor larger than any, so it keeps no limit.
  fileprivate func isAtMost(_ other: Value) -> Bool? {
    switch (self, other) {
    case (.integer(let one), .integer(let other)), (.counter(let one), .counter(let other)),
      (.counter(let one), .integer(let other)), (.integer(let one), .counter(let other)):
      one <= other
    case (.real(let one), .real(let other)): one <= other
    // A decimal that is no number counts as the smallest of all in its own order.
    case (.decimal(let one), .decimal(let other)): !one.isNaN && !other.isNaN && one <= other
    case (.date(let one), .date(let other)):
      one.timeIntervalSinceReferenceDate <= other.timeIntervalSinceReferenceDate
    case (.string(let one), .string(let other)): one <= other
    default: nil
    }
  }

  /// Whether this can be a limit: what is no number would let nothing pass.
  var canLimit: Bool { isAtMost(self) ?? false }
}
