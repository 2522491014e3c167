import Foundation

/// docs/format.md, taken to pieces: its tables, and its blocks of annotated bytes.
package struct FormatDocument {
  package private(set) var tables: [Table] = []
  package private(set) var blocks: [String: AnnotatedBytes] = [:]
  package let prose: String

  package struct Table {
    /// The heading it stands under.
    package let heading: String
    package let columns: [String]
    package var rows: [[String]] = []
  }

  /// Reads the page of this repository.
  package static func ofThisRepository() throws -> FormatDocument {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return FormatDocument(
      try String(contentsOf: root.appending(path: "docs/format.md"), encoding: .utf8))
  }

  package init(_ text: String) {
    prose = text
    var heading = ""
    var fence: (title: String?, lines: [Substring])?
    var isInTable = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let closed = fence {
          if let title = closed.title { blocks[title] = AnnotatedBytes(closed.lines) }
          fence = nil
        } else {
          fence = (line.hasPrefix("```hex ") ? String(line.dropFirst(7)) : nil, [])
        }
      } else if fence != nil {
        fence?.lines.append(line)
      } else if line.hasPrefix("|") {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
          .dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
        if !isInTable {
          tables.append(Table(heading: heading, columns: cells))
        } else if !line.hasPrefix("|---") {
          tables[tables.count - 1].rows.append(cells)
        }
        isInTable = true
        continue
      } else if line.hasPrefix("#") {
        heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
      }
      isInTable = false
    }
  }

  /// The first table under a heading.
  package func table(under heading: String) -> Table? { tables.first { $0.heading == heading } }
}

/// Bytes as the page shows them: offset, bytes, the name of the field and mostly its value.
package struct AnnotatedBytes {
  package private(set) var bytes: [UInt8] = []
  package private(set) var sections: [Section] = []
  /// What the lines say that their bytes do not bear out.
  package private(set) var contradictions: [String] = []

  package struct Section {
    package let title: String
    package let start: Int
    package var fields: [Field] = []
  }

  package struct Field {
    package let name: String
    /// What is stated of it, where something is.
    package let statement: String?
    package let start: Int
    package var bytes: [UInt8]

    /// The number that is stated.
    package var number: UInt64? {
      guard let first = statement?.split(separator: ",").first else { return nil }
      return first.hasPrefix("0x") ? UInt64(first.dropFirst(2), radix: 16) : UInt64(first)
    }

    /// The text that is stated.
    package var text: String? {
      guard let statement, statement.count > 1, statement.hasPrefix("\""),
        statement.hasSuffix("\"")
      else { return nil }
      return String(statement.dropFirst().dropLast())
    }

    /// Whether the bytes bear out what is stated.
    package var isTrue: Bool {
      if name == "zeros" { return bytes.allSatisfy { $0 == 0 } }
      guard statement != nil else { return true }
      if let text { return bytes == Array(text.utf8) }
      guard let number else { return false }
      let value = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let variable = bytes.reversed().reduce(UInt64(0)) { $0 << 7 | UInt64($1 & 0x7F) }
      return [1, 2, 4, 8].contains(bytes.count) && number == value || number == variable
    }
  }

  package init(_ lines: [Substring]) {
    for line in lines {
      if line.hasPrefix("; ") {
        sections.append(Section(title: String(line.dropFirst(2)), start: bytes.count))
      } else if let gap = line.wholeMatch(of: /([0-9A-F]{4})  zeros up to ([0-9A-F]{4})/) {
        expect(gap.1, line)
        let end = Int(gap.2, radix: 16) ?? 0
        bytes += Array(repeating: 0, count: max(0, end - bytes.count))
      } else if let row = line.wholeMatch(
        of: /([0-9A-F]{4})  ([0-9A-F]{2}(?: [0-9A-F]{2})*)(?: +([A-Za-z].*))?/)
      {
        expect(row.1, line)
        add(row.2.split(separator: " ").compactMap { UInt8($0, radix: 16) }, row.3, line)
      } else {
        contradictions.append("unreadable: \(line)")
      }
    }
    for field in sections.flatMap(\.fields) where !field.isTrue {
      contradictions.append("\(field.name) is not \(field.statement ?? "as it should be")")
    }
  }

  private mutating func expect(_ offset: Substring, _ line: Substring) {
    if Int(offset, radix: 16) != bytes.count { contradictions.append("out of place: \(line)") }
  }

  private mutating func add(_ row: [UInt8], _ note: Substring?, _ line: Substring) {
    let start = bytes.count
    bytes += row
    guard let last = sections.indices.last else {
      contradictions.append("in no section: \(line)")
      return
    }
    if let note {
      let parts = note.split(separator: " = ", maxSplits: 1).map(String.init)
      sections[last].fields.append(
        Field(
          name: parts[0], statement: parts.count > 1 ? parts[1] : nil, start: start, bytes: row))
    } else if let field = sections[last].fields.indices.last {
      sections[last].fields[field].bytes += row
    } else {
      contradictions.append("without a name: \(line)")
    }
  }

  package func field(_ section: String, _ name: String) -> Field? {
    sections.first { $0.title == section }?.fields.first { $0.name == name }
  }

  /// The number that the page states of a field.
  package func number(_ section: String, _ name: String) -> UInt64? { field(section, name)?.number }

  /// The text that the page states of a field.
  package func text(_ section: String, _ name: String) -> String? { field(section, name)?.text }
}
