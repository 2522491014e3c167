import Foundation
import Testing

/// docs/map.md: one line for each source file.
struct FileMap {
  static let path = "docs/map.md"
  let repository = Repository.this

  @Test func `the map has one line for each file and none for files that are gone`() throws {
    let old = try repository.exists(Self.path) ? repository.text(Self.path) ?? "" : ""
    let map = MapPage(old)
    let files = try MapPage.files(of: repository)
    let new = try map.rendered(files: files) { try repository.text($0) ?? "" }
    if ProcessInfo.processInfo.environment["XJ_WRITE_MAP"] != nil, new != old {
      try Data(new.utf8).write(to: repository.root.appending(path: Self.path))
      Issue.record("docs/map.md was written anew: read it, and run this again without XJ_WRITE_MAP")
      return
    }
    let missing = try files.filter { map.lines[$0] == nil }.map { file in
      MapPage.line(for: file, text: MapPage.summary(of: try repository.text(file) ?? "", in: file))
    }
    let gone = map.lines.keys.filter { !files.contains($0) }.sorted()
    if !missing.isEmpty {
      let lines = missing.joined(separator: "\n")
      Issue.record("Missing or empty in docs/map.md (see Tools/check map):\n\(lines)")
    }
    #expect(gone.isEmpty, "In docs/map.md, but not there: \(gone)")
    #expect(new == old || !missing.isEmpty || !gone.isEmpty, "Tools/check map puts it in order")
  }

  @Test func `every room has a file that begins with its caption`() throws {
    let texts = try repository.texts(repository.paths(in: "Sources", endingWith: ".swift"))
    let captioned = Set(
      texts.compactMap { path, text in MapPage.caption(of: text, in: path)?.room })
    #expect(House.this.rooms.map(\.name).filter { !captioned.contains($0) } == [])
    #expect(MapPage.caption(of: "// Attic: dust.\n", in: "Sources/Attic/A.swift")?.room == "Attic")
    #expect(MapPage.caption(of: "// Attic\n", in: "Sources/Attic/A.swift") == nil)
    #expect(MapPage.caption(of: "// Cellar: dust.\n", in: "Sources/Attic/A.swift") == nil)
    #expect(MapPage.caption(of: "import A\n// Attic: x.", in: "Sources/Attic/A.swift") == nil)
  }

  @Test func `a rendered map keeps what people wrote, adds what is new, and drops what is gone`() {
    let old = """
      # Map

      Words.

      ## ByteCoding

      Bytes.

      - [Gone.swift](../Sources/ByteCoding/Gone.swift): was here.
      - [Old.swift](../Sources/ByteCoding/Old.swift): as people say it.
      - [Mute.swift](../Sources/ByteCoding/Mute.swift): …

      """
    let files = [
      "Sources/ByteCoding/Mute.swift", "Sources/ByteCoding/New.swift",
      "Sources/ByteCoding/Old.swift", "Tools/check",
      "Sources/DiskAccess/Disk.swift",
    ]
    let texts = [
      "Sources/ByteCoding/Mute.swift": "struct Mute {\n  /// Speaks now.\n  let a = 1\n}",
      "Sources/ByteCoding/New.swift":
        "import A\n\n/// A new thing. It\n/// is long.\nstruct New {}",
      "Tools/check": "#!/usr/bin/env bash\n# Runs the gates.\n",
      "Sources/DiskAccess/Disk.swift":
        "// DiskAccess: the seam, all of\n// it. More.\n\nimport A",
    ]
    #expect(
      MapPage(old).rendered(files: files) { texts[$0] ?? "" } == """
        # Map

        Words.

        ## ByteCoding

        Bytes.

        - [Mute.swift](../Sources/ByteCoding/Mute.swift): Speaks now.
        - [New.swift](../Sources/ByteCoding/New.swift): A new thing.
        - [Old.swift](../Sources/ByteCoding/Old.swift): as people say it.

        ## DiskAccess

        The seam, all of it. More.

        - [Disk.swift](../Sources/DiskAccess/Disk.swift): The seam, all of it.

        ## Tools

        - [check](../Tools/check): Runs the gates.

        """)
  }
}

/// The map as a page: a head, and groups of lines, one for each file.
struct MapPage {
  private(set) var head: [String] = []
  private(set) var captions: [String: [String]] = [:]
  /// The line of each file, by the file's path.
  private(set) var lines: [String: String] = [:]

  init(_ text: String) {
    var group: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("## ") {
        group = String(line.dropFirst(3))
      } else if let match = line.firstMatch(of: #/^- \[[^\]]+\]\(\.\./([^)]+)\): /#) {
        if !line.hasSuffix(": \(Self.nothing)") { lines[String(match.1)] = line }
      } else if let group {
        if !line.isEmpty { captions[group, default: []].append(line) }
      } else {
        head.append(line)
      }
    }
    while head.last?.isEmpty == true { head.removeLast() }
    if head.isEmpty { head = ["# Map", "", "One line for each file, room by room."] }
  }

  /// The files that the map must name.
  static func files(of repository: Repository) throws -> [String] {
    let endings = [".swift", ".c", ".h", ".modulemap", ".awk", ".sh", ".py", ".ld"]
    return try ["Sources", "Tests", "Tools"].flatMap { try repository.paths(in: $0) }.filter {
      path in
      let name = path.split(separator: "/").last ?? ""
      return !path.hasPrefix("Tests/Golden/")
        && (!name.contains(".") || endings.contains { name.hasSuffix($0) }
          || path.hasPrefix("Tools/") && name.hasSuffix(".txt"))
    }
  }

  func rendered(files: [String], text: (String) throws -> String) rethrows -> String {
    let groups = Dictionary(grouping: files, by: Self.group)
    var parts = [head.joined(separator: "\n")]
    for group in groups.keys.sorted(by: { Self.order($0) < Self.order($1) }) {
      let files = groups[group, default: []].sorted()
      parts.append("## \(group)")
      if let caption = captions[group] {
        parts.append(caption.joined(separator: "\n"))
      } else if let caption = try files.lazy.compactMap({
        Self.caption(of: try text($0), in: $0)?.text
      }).first {
        parts.append(caption)
      }
      let rendered = try files.map { file in
        try lines[file] ?? Self.line(for: file, text: Self.summary(of: text(file), in: file))
      }
      parts.append(rendered.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  static func line(for file: String, text: String) -> String {
    let shown = file.split(separator: "/").dropFirst(file.hasPrefix("Tools/") ? 1 : 2)
    return "- [\(shown.joined(separator: "/"))](../\(file)): \(text)"
  }

  private static func group(of file: String) -> String {
    let parts = file.split(separator: "/")
    if parts[0] == "Tools" { return "Tools" }
    return parts[0] == "Sources" ? String(parts[1]) : parts.prefix(2).joined(separator: "/")
  }

  private static func order(_ group: String) -> String {
    let house = House.this
    if house.libraries.contains(group) { return "0 0 \(group)" }
    if let index = house.rooms.firstIndex(where: { $0.name == group }) {
      return "0 1 \(100 + index)"
    }
    return group.hasPrefix("Tests") ? "2 \(group)" : "1 \(group)"
  }

  /// The caption that a source begins with: the room's name and what the room is for.
  static func caption(of text: String, in path: String) -> (room: String, text: String)? {
    let parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "Sources", text.hasPrefix("// \(parts[1]): ") else {
      return nil
    }
    let paragraph = text.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("// ") }.map { $0.dropFirst(3) }.joined(separator: " ")
    let caption = paragraph.dropFirst(parts[1].count + 2)
    return (String(parts[1]), caption.prefix(1).uppercased() + caption.dropFirst())
  }

  /// The first sentence that a file says about itself: its first documentation, or its caption, or
  /// its first comment.
  static func summary(of text: String, in path: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.hasPrefix("// swift-tools-version") }
    func paragraph(_ mark: String) -> String {
      lines.drop { !$0.hasPrefix(mark) }.prefix { $0.hasPrefix(mark) }
        .map { $0.dropFirst(mark.count) }.joined(separator: " ")
    }
    // Of a language whose comments on a file are texts, or stand between marks.
    let enclosed = lines.first { $0.hasPrefix("\"\"\"") || $0.hasPrefix("/* ") } ?? ""
    let candidates = [
      paragraph("/// "), caption(of: text, in: path)?.text ?? "", paragraph("// "),
      enclosed.trimmingCharacters(in: CharacterSet(charactersIn: "\"/* ")), paragraph("# "),
    ]
    guard let found = candidates.first(where: { $0.contains(" ") }) else { return nothing }
    return found.firstRange(of: ". ").map { found[..<$0.lowerBound] + "." } ?? found
  }

  /// What stands in a line where a file says nothing about itself.
  static let nothing = "…"
}
