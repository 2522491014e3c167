import Foundation
import Testing

/// The lists of mutants fit the sources they change.
struct MutantTests {
  private func mutants(_ list: String) throws -> [Mutant] {
    try mutants(of: #require(try Repository.this.text("Tools/mutants/\(list).txt")))
  }

  private func mutants(of text: String) throws -> [Mutant] {
    try #require(Mutant.all(of: text))
  }

  @Test(arguments: ["protocol", "store", "upkeep"])
  func `every mutant changes lines that stand in their file once`(list: String) throws {
    let mutants = try mutants(list)
    #expect(mutants.count >= 10)
    #expect(Set(mutants.map(\.name)).count == mutants.count)
    for mutant in mutants {
      let source = try String(
        contentsOf: Repository.this.root.appending(path: mutant.file), encoding: .utf8)
      let count = source.components(separatedBy: mutant.old).count - 1
      #expect(count == 1, "“\(mutant.name)” finds its lines \(count) times in \(mutant.file)")
      #expect(mutant.new + "\n" != mutant.old, "“\(mutant.name)” changes nothing")
    }
  }

  /// What swapping the operators of sources writes, in the form of a list.
  private func swapped(_ sources: String, in repository: Repository = .this) throws -> String {
    let script = Repository.this.root.appending(path: "Tools/mutants/operators.awk").path
    return try #require(
      try repository.output(of: "sh", "-c", "LC_ALL=C awk -f '\(script)' \(sources)"))
  }

  /// What swapping the operators writes of the sources that a list names.
  private func swapped(of list: String) throws -> String {
    let sources = try #require(try Repository.this.text("Tools/mutants/\(list).txt"))
      .split(separator: "\n").filter { $0.hasPrefix("+ ") }.map { $0.dropFirst(2) }
    return try swapped(sources.joined(separator: " "))
  }

  @Test(arguments: ["operators-recovery", "operators-fold"])
  func `every swapped operator changes one line, in a place that stands in its file once`(
    list: String
  ) throws {
    let mutants = try mutants(of: swapped(of: list))
    #expect(mutants.count >= 100)
    #expect(Set(mutants.map(\.name)).count == mutants.count)
    for (file, mutants) in Dictionary(grouping: mutants, by: \.file) {
      let source = try #require(try Repository.this.text(file))
      for mutant in mutants {
        #expect(source.components(separatedBy: mutant.old).count == 2, "\(mutant.name)")
        let old = mutant.old.split(separator: "\n")
        let new = mutant.new.split(separator: "\n")
        #expect(old.count == new.count && zip(old, new).count(where: !=) == 1, "\(mutant.name)")
      }
    }
  }

  @Test func `where no test can notice a swapped operator, one is swapped, and why is told`() throws
  {
    let made = Set(
      try ["operators-recovery", "operators-fold"].flatMap {
        try swapped(of: $0).split(separator: "\n").filter { $0.hasPrefix("# ") }
          .map { String($0.dropFirst(2)) }
      })
    let listed = try #require(try Repository.this.text("Tools/mutants/operators-survivors.txt"))
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
    for entry in listed {
      let mark = try #require(entry.range(of: " # ", options: .backwards), "\(entry)")
      #expect(made.contains(String(entry[..<mark.lowerBound])), "\(entry)")
    }
  }

  @Test func `operators are swapped in code, and not in what is said`() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tidy-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    let source = #"""
      /// Whether a < b, where 1 + 1 is true.
      func fits(_ place: Int, in rows: Array<Row>) -> Bool {
        guard place < rows.count, let row = rows.first else { return false }
        if place == row.next { note("true && false: \(place < 1)") }
        if try check(row) { return place..<2 == max(3, place + 1)..<4 }
        if !rows.isEmpty || place[1...] != 3 { return } // == 4
      }

      """#
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    try Data(source.utf8).write(to: root.appending(path: "A.swift"))
    let text = try swapped("A.swift", in: Repository(root: root))
    #expect(
      try mutants(of: text).map(\.name) == [
        "A.swift:3:9: place < rows.count to !(place < rows.count)", "A.swift:3:15: < to <=",
        "A.swift:3:43: .first to .last", "A.swift:3:64: false to true", "A.swift:4:12: == to !=",
        "A.swift:4:18: .next to nothing", "A.swift:4:18: .next to .previous",
        "A.swift:5:10: check(row) to !(check(row))", "A.swift:5:35: ..< to ...",
        "A.swift:5:40: == to !=", "A.swift:5:43: max to min", "A.swift:5:56: + 1 to nothing",
        "A.swift:5:56: + 1 to - 1", "A.swift:5:60: ..< to ...",
        "A.swift:6:6: !rows.isEmpty || place[1...] != 3 to !(!rows.isEmpty || place[1...] != 3)",
        "A.swift:6:20: || to &&", "A.swift:6:35: != to ==",
      ])
    let last = "# A.swift: if !rows.isEmpty || place[1...] == 3 { return } // == 4"
    #expect(text.hasSuffix(">\n\(last)\n"))
  }

  @Test(arguments: ["protocol", "store", "upkeep", "operators-recovery", "operators-fold"])
  func `no room that mutants are tried in imports what is left out meanwhile`(list: String) throws {
    let text = try #require(try Repository.this.text("Tools/mutants/\(list).txt"))
    let manifest = Manifest(try #require(try Repository.this.text("Package.swift")))
    func names(_ mark: String) -> [String] {
      text.split(separator: "\n").filter { $0.hasPrefix(mark) }
        .flatMap { $0.dropFirst(mark.count).split(separator: " ").map(String.init) }
    }
    let absent = Set(names("- "))
    var needed = Set(names("% ").map { String($0.prefix { $0 != "." }) })
    #expect(!needed.isEmpty)
    var count = 0
    while count < needed.count {
      count = needed.count
      for target in manifest.targets where needed.contains(target.name) {
        needed.formUnion(target.imports.subtracting(absent))
      }
    }
    for room in manifest.targets
    where needed.contains(room.name) && room.folder.hasPrefix("Sources/") {
      #expect(room.imports.isDisjoint(with: absent), "\(room.name)")
    }
  }
}
