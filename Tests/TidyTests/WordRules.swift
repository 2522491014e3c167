import Foundation

/// A pattern that may not stand in some files. Patterns are put together from parts, so that this
/// file may be checked like every other.
struct BannedWord: Sendable {
  let name: String
  let pattern: String
  let folders: [String]

  /// - Parameters:
  ///   - parts: a regular expression in pieces; letters match in either case after `(?i)`.
  ///   - folders: where it is banned; everywhere if empty.
  init(_ name: String, _ parts: String..., in folders: [String] = []) {
    self.name = name
    self.pattern = parts.joined()
    self.folders = folders
  }

  func applies(to path: String) -> Bool {
    folders.isEmpty || folders.contains { path.hasPrefix($0 + "/") }
  }

  /// The places of a text where the word stands.
  func findings(in text: String, path: String) -> [String] {
    guard let expression = try? NSRegularExpression(pattern: pattern) else {
      return ["\(name): the pattern cannot be read: \(pattern)"]
    }
    let matches = expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
    return matches.compactMap { match in
      guard let place = Range(match.range, in: text) else { return nil }
      let line = text[text.lineRange(for: place)].trimmingCharacters(in: .whitespacesAndNewlines)
      let number = text[..<place.lowerBound].count { $0 == "\n" } + 1
      return "\(path):\(number): \(name): \(line)"
    }
  }

  static let all: [BannedWord] = unfinished + evasions + elsewhere

  private static let unfinished = [
    BannedWord("a forced try", "\\btry", "!", in: ["Sources", "Tools"]),
    BannedWord(
      "a crash without a sentence of ours", "\\bfatal", "Error\\(", in: ["Sources", "Tools"]),
    BannedWord("a note of unfinished work", "\\bTO", "DO\\b", in: ["Sources", "Tools"]),
    BannedWord("a note of unfinished work", "\\bFIX", "ME\\b", in: ["Sources", "Tools"]),
    BannedWord("a note of unfinished work", "\\bXX", "X\\b", in: ["Sources", "Tools"]),
    BannedWord("a makeshift", "(?i)\\bfor", " now\\b", in: ["Sources", "Tools"]),
    BannedWord("a hole", "(?i)\\bnot", " implemented\\b", in: ["Sources", "Tools"]),
  ]

  private static let evasions = [
    BannedWord("a test that does not run", "\\.disa", "bled\\(", in: ["Tests"]),
    BannedWord("a test that may fail", "\\bwithKnown", "Issue\\b", in: ["Tests"]),
    BannedWord("a test that cannot fail", "#expect\\(", "true\\)", in: ["Tests"]),
  ]

  private static let elsewhere = [
    BannedWord("a path of somebody's machine", "(?<![\\w.~-])/(wo", "rk|ro", "ot|ho", "me)/"),
    BannedWord(
      "a package host", "(?i)https?://[^\\s/]*(deb", "ian|ubu", "ntu\\.com|py", "pi|pythonh",
      "osted|npm", "js|cra", "tes\\.io|ruby", "gems|proxy\\.go", "lang)"),
    BannedWord(
      "who wrote it", "(?i)\\b(clau", "de|anthr", "opic|open", "ai|chat", "gpt|copi", "lot|co-auth",
      "ored-by|generated (by|with) |langu", "age models?|ai assis", "tants?)\\b"),
  ]
}

/// Types and functions named for an idea that has another word here.
enum NameRules {
  private static let typeWords: Set<String> = [
    "Record", "Records", "Transaction", "Transactions", "Log", "Logs",
  ]
  private static let functionWords: Set<String> = ["transaction", "transactions"]

  /// What is wrong with the names that a source declares.
  static func findings(in text: String, path: String, roomNames: Set<String>) -> [String] {
    let source = SourceText(text)
    let declaration =
      /\b(struct|class|enum|actor|protocol|typealias|associatedtype|func)\s+([A-Za-z_]\w*)/
    return source.code.matches(of: declaration).compactMap { match in
      let name = String(match.2)
      let place = "\(path):\(source.lineNumber(of: match.range.lowerBound))"
      let words = words(of: name)
      if match.1 == "func" {
        return functionWords.isDisjoint(with: words.map { $0.lowercased() })
          ? nil : "\(place): \(name) is named for an idea that has another word here"
      }
      if roomNames.contains(name) { return "\(place): \(name) is named like a module" }
      return typeWords.isDisjoint(with: words)
        ? nil : "\(place): \(name) is named for an idea that has another word here"
    }
  }

  /// The words of a name in camel case.
  static func words(of name: String) -> [String] {
    name.matches(of: /[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/).map { String($0.0) }
  }
}
