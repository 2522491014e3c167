internal import Synchronization

/// A regular expression that has been read, to be matched by any thread.
package final class Pattern: Sendable {
  // An expression is not Sendable; matching takes turns.
  private let expression: Mutex<Regex<AnyRegexOutput>>

  private init(_ expression: sending Regex<AnyRegexOutput>) { self.expression = Mutex(expression) }

  private static let known = Mutex<[String: Pattern]>([:])
  private static let largestKnownCount = 1000
  /// The longest pattern, in UTF-8.
  private static let largestByteCount = 1 << 16
  /// How often one may open a group or a class, or combine classes: who reads it calls itself for each that stands
  /// within another, and takes the square of their number for some that never close.
  private static let largestOpeningCount = 256

  /// Whether a pattern is neither too long nor too deep. Everything that may open is counted, whether it closes or
  /// not: to tell would take all that the language has for quoting.
  private static func isAllowed(_ pattern: String) -> Bool {
    guard pattern.utf8.count <= largestByteCount else { return false }
    var (count, previous) = (0, UInt8(0))
    for byte in pattern.utf8 {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["): count += 1
      case UInt8(ascii: "&"), UInt8(ascii: "-"), UInt8(ascii: "~"):
        if byte == previous { count += 1 }
      default: break
      }
      previous = byte
    }
    return count <= largestOpeningCount
  }

  /// The expression of a pattern, read once and kept; nil where the pattern is none, or too long or
  /// too deep.
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
