internal import Synchronization

/// A regular expression that has been read, to be matched by any thread.
///
/// Patterns come from journals and from whoever asks, so none may take longer than its own length times that of the
/// text: all ways through it are followed side by side, and nothing is ever tried again.
package final class Pattern: Sendable {
  private let program: PatternProgram

  private init(_ program: PatternProgram) { self.program = program }

  private struct Known {
    var patterns: [String: Pattern] = [:]
    /// How many steps and bytes these have.
    var size = 0
  }

  private static let known = Mutex(Known())
  private static let largestKnownSize = 1 << 18
  /// The longest pattern, in UTF-8.
  private static let largestByteCount = 1 << 16

  /// The expression of a pattern, read once and kept; nil where the pattern is none, has what cannot be matched so, or
  /// is too large.
  package static func read(_ pattern: String) -> Pattern? {
    if let found = known.withLock({ $0.patterns[pattern] }) { return found }
    guard pattern.utf8.count <= largestByteCount else { return nil }
    do throws(NoPattern) {
      var reader = PatternReader(pattern)
      let read = Pattern(try PatternProgram(try reader.whole()))
      known.withLock { known in
        // Programs have few patterns; one that makes them up as it goes must not fill the memory.
        let size = read.program.size + pattern.utf8.count
        if known.size + size > largestKnownSize { known = Known() }
        known.patterns[pattern] = read
        known.size += size
      }
      return read
    } catch {
      return nil
    }
  }

  /// What is wrong with a pattern that cannot be read, as a sentence.
  package static func refusal(of pattern: String) -> String {
    "‘\(pattern.prefix(80))’ is no regular expression, or has what is not matched here: see MATCHES in docs/query.md."
  }

  /// Whether a text as a whole matches.
  package func matches(_ text: String) -> Bool { program.matches(text) }

  /// Whether a part of a text matches.
  package func isFound(in text: String) -> Bool { program.isFound(in: text) }
}
