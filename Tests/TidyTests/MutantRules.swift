import Foundation

/// A piece of a source that is taken away, to see which test notices.
struct Mutant {
  let name: String
  let file: String
  let old: String
  let new: String

  /// Those of a text in the form of a list of mutants; nil where one has not that form.
  static func all(of text: String) -> [Mutant]? {
    var mutants: [Mutant] = []
    for block in text.components(separatedBy: "\n@ ").dropFirst() {
      let head = block.components(separatedBy: "\n<\n")
      let names = head[0].components(separatedBy: "\n")
      let sides = head[head.count - 1].components(separatedBy: "\n=\n")
      let new = sides[sides.count - 1].components(separatedBy: "\n>")
      guard head.count == 2, names.count == 2, sides.count == 2 else { return nil }
      mutants.append(Mutant(name: names[0], file: names[1], old: sides[0] + "\n", new: new[0]))
    }
    return mutants
  }

  /// The numbers of the lines that it takes out of the text of its file.
  func lines(takenFrom text: String) -> Set<Int> {
    guard let place = text.range(of: old) else { return [] }
    let first = text[..<place.lowerBound].count { $0 == "\n" } + 1
    let left = new.components(separatedBy: "\n")
    let lines = old.components(separatedBy: "\n").dropLast()
    // A line that comes back somewhere else is moved, and not taken away.
    return Set(lines.indices.filter { !left.contains(lines[$0]) }.map { first + $0 })
  }
}

/// The calls that make something durable, or put a file in the place of another.
struct DurableCalls {
  /// The lists of mutants, and the list of calls that no mutant takes away.
  static let lists = ["protocol", "store", "upkeep"].map { "Tools/mutants/\($0).txt" }
  static let exceptions = "Tools/mutants/syncs-without-mutant.txt"

  /// The rooms below which nobody promises anything, and the disk that fails on purpose.
  private static let besides = ["Sources/DiskAccess/", "Sources/DiskSimulation/"]
  private static let seam = "Sources/DiskAccess/Disk.swift"

  let repository: Repository

  /// A line with such a call, as findings tell it.
  private struct Line {
    let path: String
    let number: Int
    let text: String
  }

  /// What no mutant takes away and no reason is given for, and what is excepted for nothing.
  func findings() throws -> [String] {
    let mutants = try Self.lists.flatMap { Mutant.all(of: try repository.text($0) ?? "") ?? [] }
    var excepted = try exceptions()
    var findings: [String] = []
    for (path, text) in try sources() {
      let taken = mutants.filter { $0.file == path }
        .reduce(into: Set<Int>()) { $0.formUnion($1.lines(takenFrom: text)) }
      for line in try lines(of: text, at: path) where !taken.contains(line.number) {
        if let place = excepted.firstIndex(where: { $0.line == "\(path): \(line.text)" }) {
          if excepted.remove(at: place).reason.isEmpty {
            findings.append("\(path): no reason: \(line.text)")
          }
        } else {
          findings.append("\(path):\(line.number): no mutant takes away: \(line.text)")
        }
      }
    }
    return findings + excepted.map { "nothing to except: \($0.line)" }
  }

  /// The methods of files and folders that do it, by the seam.
  func names() throws -> Set<String> {
    let text = SourceText(try repository.text(Self.seam) ?? "").code
    return Set(
      try text.matches(of: Regex<(Substring, Substring)>(#"func ((?:sync|rename)\w*)\("#)).map {
        String($0.1)
      })
  }

  private func sources() throws -> [(path: String, text: String)] {
    let paths = try repository.paths(in: "Sources", endingWith: ".swift").filter { path in
      !Self.besides.contains { path.hasPrefix($0) }
    }
    // Who does not import them has other things of these names.
    return try repository.texts(paths).filter { _, text in
      ["DiskAccess", "Journaling"].contains { text.contains("import \($0)\n") }
    }
  }

  private func lines(of text: String, at path: String) throws -> [Line] {
    let names = try names().sorted().joined(separator: "|")
    // A call, of the same type's too; or the method itself, to be called by somebody else.
    let call = try Regex("\\b(\(names))\\(|[\\w)\\]?!]\\.(\(names))\\b")
    let declaration = try Regex("func (\(names))\\(")
    let source = SourceText(text)
    return source.codeLines.indices.filter {
      source.codeLines[$0].replacing(declaration, with: "").contains(call)
    }.map {
      Line(
        path: path, number: $0 + 1,
        text: source.lines[$0].trimmingCharacters(in: .whitespaces))
    }
  }

  private func exceptions() throws -> [(line: String, reason: String)] {
    let listed = try repository.text(Self.exceptions) ?? ""
    return listed.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { entry in
      guard let mark = entry.range(of: " # ", options: .backwards) else {
        return (String(entry), "")
      }
      return (String(entry[..<mark.lowerBound]), String(entry[mark.upperBound...]))
    }
  }
}
