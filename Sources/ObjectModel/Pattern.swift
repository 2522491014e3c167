internal import Synchronization

/// A regular expression that has been read, to be matched by any thread.
package final class Pattern: Sendable {
  // An expression is not Sendable; matching takes turns.
  private let expression: Mutex<Regex<AnyRegexOutput>>

  private init(_ expression: sending Regex<AnyRegexOutput>) { self.expression = Mutex(expression) }

  private static let known = Mutex<[String: Pattern]>([:])
  private static let largestKnownCount = 1000

  /// The expression of a pattern, read once and kept; nil where the pattern is none.
  package static func read(_ pattern: String) -> Pattern? {
    if let found = known.withLock({ $0[pattern] }) { return found }
    guard let expression = try? Regex(pattern) else { return nil }
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
