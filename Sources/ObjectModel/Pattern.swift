internal import Synchronization

/// A regular expression that has been read, to be matched by any thread.
package final class Pattern: Sendable {
  // An expression is not Sendable; matching takes turns.
  private let expression: Mutex<Regex<AnyRegexOutput>>

  private init(_ expression: sending Regex<AnyRegexOutput>) { self.expression = Mutex(expression) }

  private static let known = Mutex<[String: Pattern]>([:])
  private static let largestKnownCount = 1000
  /// The longest pattern, in UTF-8, and how deep its groups and classes may stand within each other: who reads it
  /// calls itself for each.
  private static let largestByteCount = 1 << 16
  private static let largestDepth = 64

  /// Whether a pattern is neither too long nor too deep. What is escaped opens and closes nothing.
  private static func isAllowed(_ pattern: String) -> Bool {
    guard pattern.utf8.count <= largestByteCount else { return false }
    var (depth, isEscaped) = (0, false)
    for byte in pattern.utf8 {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth = max(0, depth - 1)
      default: break
      }
      if depth > largestDepth { return false }
    }
    return true
  }

  /// The expression of a pattern, read once and kept; nil where the pattern is none, or too long or too deep.
  package static func read(_ pattern: String) -> Pattern? {
    if let found = known.withLock({ $0[pattern] }) { return found }
    guard isAllowed(pattern), let expression = try? Regex(pattern) else { return nil }
    let read = Pattern(expression)
    known.withLock { known in
      // Programs have few patterns; one that makes them up as it goes must not fill the memory.
      if known.count >= largestKnownCount { known.removeAll() }
      known[pattern] = read
    }
    return read
  }

  /// Whether a text as a whole matches.
  package func matches(_ text: String) -> Bool {
    expression.withLock { (try? $0.wholeMatch(in: text)) != nil }
  }
}
