import Foundation

/// A page of documentation in Markdown.
struct Page {
  /// A fenced block.
  struct Block {
    let language: String
    let line: Int
    let lines: [String]
  }

  /// A link and where it stands.
  struct Link: Hashable {
    let target: String
    let line: Int
  }

  private(set) var blocks: [Block] = []
  private(set) var links: [Link] = []
  private(set) var anchors: Set<String> = []

  init(_ text: String) {
    var fence: (mark: Substring, language: String, line: Int, lines: [String])?
    var headings: [String: Int] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let trimmed = line.drop { $0 == " " }
      if let open = fence {
        if trimmed.hasPrefix(open.mark), trimmed.allSatisfy({ "`~ ".contains($0) }) {
          blocks.append(Block(language: open.language, line: open.line, lines: open.lines))
          fence = nil
        } else {
          fence?.lines.append(String(line))
        }
      } else if let mark = trimmed.prefixMatch(of: /(`{3,}|~{3,})\s*(\w*)/) {
        fence = (mark.1, String(mark.2), index + 1, [])
      } else {
        readProse(line, number: index + 1, headings: &headings)
      }
    }
    if let fence {
      blocks.append(Block(language: fence.language, line: fence.line, lines: fence.lines))
    }
  }

  private mutating func readProse(_ line: Substring, number: Int, headings: inout [String: Int]) {
    if let heading = line.wholeMatch(of: /#{1,6}\s+(.*?)\s*#*/) {
      let slug = Self.slug(String(heading.1))
      let earlier = headings[slug, default: 0]
      anchors.insert(earlier == 0 ? slug : "\(slug)-\(earlier)")
      headings[slug] = earlier + 1
    }
    for anchor in line.matches(of: /<a\s+(?:id|name)="([^"]+)"/) {
      anchors.insert(String(anchor.1))
    }
    let prose = String(line).replacing(/`[^`]*`/, with: "`")
    for link in prose.matches(of: /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/) {
      links.append(Link(target: String(link.1), line: number))
    }
    if let link = prose.firstMatch(of: /^\s{0,3}\[[^\]]+\]:\s+<?([^\s>]+)/) {
      links.append(Link(target: String(link.1), line: number))
    }
  }

  /// The anchor that a heading gets where Markdown is shown.
  static func slug(_ heading: String) -> String {
    let plain = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
    return String(
      plain.lowercased().compactMap { character in
        character == " "
          ? "-"
          : character.isLetter || character.isNumber || "-_".contains(character)
            ? character : nil
      })
  }
}

/// The checks of the documentation.
enum DocumentationRules {
  /// The links of a page that lead nowhere.
  ///
  /// - Parameters:
  ///   - text: the text of the file at a path, or nil where there is none.
  ///   - exists: whether there is a file or folder at a path.
  static func brokenLinks(
    in page: Page, at path: String, text: (String) throws -> String?, exists: (String) -> Bool
  ) rethrows -> [String] {
    var findings: [String] = []
    for link in page.links where link.target.firstMatch(of: /^[a-z][a-z0-9+.-]*:/) == nil {
      let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let place = "\(path):\(link.line): \(link.target)"
      let encoded = String(parts[0])
      guard let target = encoded.isEmpty ? path : resolve(encoded, from: path) else {
        findings.append("\(place) leaves the repository")
        continue
      }
      guard exists(target) else {
        findings.append("\(place) leads to nothing")
        continue
      }
      guard parts.count == 2, target.hasSuffix(".md") else { continue }
      let anchors = target == path ? page.anchors : Page(try text(target) ?? "").anchors
      if !anchors.contains(String(parts[1])) { findings.append("\(place): no such heading") }
    }
    return findings
  }

  /// The path that a relative link leads to; nil where it leads out of the repository.
  static func resolve(_ link: String, from path: String) -> String? {
    let link = link.removingPercentEncoding ?? link
    guard !link.hasPrefix("/") else { return nil }
    var parts = path.split(separator: "/").dropLast()
    for part in link.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(part)
      } else if parts.popLast() == nil {
        return nil
      }
    }
    return parts.joined(separator: "/")
  }

  /// Whether the lines stand in a source one after another, at whatever indentation.
  static func stands(_ snippet: [String], in source: [Substring]) -> Bool {
    let wanted = dedented(snippet)
    guard let first = wanted.first, source.count >= wanted.count else { return wanted.isEmpty }
    return (0...source.count - wanted.count).contains { start in
      let line = source[start]
      let indentation = line.prefix { $0 == " " }
      guard !first.isEmpty, line.dropFirst(indentation.count) == first else { return false }
      return zip(wanted, source[start...]).allSatisfy { wanted, line in
        wanted.isEmpty ? line.allSatisfy { $0 == " " } : line == indentation + wanted
      }
    }
  }

  private static func dedented(_ lines: [String]) -> [String] {
    let isBlank = { (line: String) in line.allSatisfy { $0 == " " } }
    let trimmed = lines.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    let indentation =
      trimmed.filter { !isBlank($0) }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return trimmed.map { isBlank($0) ? "" : String($0.dropFirst(indentation)) }
  }
}
