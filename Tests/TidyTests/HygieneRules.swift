import Foundation

/// What holds for files as files.
enum Hygiene {
  static let longest = 400

  /// Sources that have grown too long.
  static func longSources(in repository: Repository) throws -> [String] {
    try repository.texts(repository.paths(in: "Sources", endingWith: ".swift")).compactMap {
      path, text in
      let count = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      return count > longest ? "\(path) has \(count) lines, more than \(longest)" : nil
    }
  }

  /// Files that are no text, but for golden journals.
  static func binaries(in repository: Repository) throws -> [String] {
    try repository.paths().filter { path in
      let isGolden = path.wholeMatch(of: /Tests\/Golden\/[^\/]+\.xjournal\/.+/) != nil
      return try !isGolden && repository.text(path) == nil
    }
  }

  /// What is wrong with the scripts in Tools and .ci.
  static func scriptFindings(in repository: Repository) throws -> [String] {
    var findings: [String] = []
    for (path, text) in try repository.texts(
      repository.paths(in: "Tools") + repository.paths(in: ".ci"))
    {
      let name = path.split(separator: "/").last ?? ""
      guard !name.contains(".") || name.hasSuffix(".sh") || text.hasPrefix("#!") else { continue }
      if !name.hasSuffix(".sh") {
        if !text.hasPrefix("#!/usr/bin/env bash\n") {
          findings.append("\(path) does not begin with #!/usr/bin/env bash")
        }
        if !repository.isExecutable(path) { findings.append("\(path) is not executable") }
      }
      if try repository.output(of: "bash", "-n", path) == nil {
        findings.append("\(path) is no bash")
      }
    }
    return findings
  }

  /// Tests whose names are no verdicts: no raw identifier, or one of a single word.
  static func testsWithoutVerdict(in text: String, path: String) -> [String] {
    let source = SourceText(text)
    return source.code.matches(of: /@[T]est\b/).compactMap { match in
      let rest = source.code[match.range.upperBound...]
      let name = rest.firstMatch(of: /\bfunc\s+(`[^`\n]*`|\w+)/).map { String($0.1) } ?? "?"
      guard !(name.hasPrefix("`") && name.contains(" ")) else { return nil }
      return "\(path):\(source.lineNumber(of: match.range.lowerBound)): \(name) is no verdict"
    }
  }
}
