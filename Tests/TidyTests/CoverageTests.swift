import Foundation
import Testing

/// The script that judges coverage, run on a made-up export of the coverage tool.
struct Coverage {
  /// The lines of `Sources/Attic/A.swift`; a region that ran begins on 1, others are put in.
  private let source = """
    func half(_ number: Int) -> Int {
      precondition(number >= 0, "never below zero")
      guard number > 1 else {

        return 0
      }
      return number == 3 ? 1 : number / 2
    }
    """

  /// Runs the script on regions given as line, column and count.
  private func verdict(
    _ regions: [(Int, Int, Int)], listing: String = "", strict: String = "Attic",
    rooms: String = "Attic", percent: Int = 0
  ) throws -> [String] {
    let root = FileManager.default.temporaryDirectory.appending(path: "tidy-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appending(path: "Sources/Attic")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(source.utf8).write(to: folder.appending(path: "A.swift"))
    try Data(listing.utf8).write(to: root.appending(path: "uncovered.txt"))
    let segments =
      regions.map { "[\($0.0),\($0.1),\($0.2),true,true,false]" } + [
        "[8,2,0,false,false,false]"
      ]
    let exported = """
      "branches":[],"filename":"\(folder.path)/A.swift","segments":[\(segments.joined(separator: ","))],

      """
    try Data(exported.utf8).write(to: root.appending(path: "export.txt"))
    let script = Repository.this.root.appending(path: "Tools/lib/coverage.awk").path
    let said = try Repository(root: root).output(
      of: "sh", "-c",
      """
      awk -v root='\(root.path)' -v listing=uncovered.txt -v strict='\(strict)' -v rooms='\(rooms)' \
      -v percent=\(percent) -f '\(script)' export.txt; echo "status $?"
      """)
    return try #require(said).split(separator: "\n").map(String.init)
  }

  @Test func `code that all ran passes`() throws {
    #expect(
      try verdict([(1, 33, 2), (3, 25, 1), (6, 4, 1), (7, 24, 1)], percent: 98) == [
        "coverage: Attic                    4 of     4 regions  100.00 %", "status 0",
      ])
  }

  @Test func `code that never ran fails, named by its first line`() throws {
    #expect(
      try verdict([(1, 33, 2), (3, 25, 0), (6, 4, 2), (7, 24, 0), (7, 28, 2)]) == [
        "coverage: Attic                    3 of     5 regions   60.00 %",
        "error: never ran, not listed in uncovered.txt (line 5): Sources/Attic/A.swift: return 0",
        "error: never ran, not listed in uncovered.txt (line 7): "
          + "Sources/Attic/A.swift: return number == 3 ? 1 : number / 2",
        "status 1",
      ])
  }

  @Test func `code that never ran passes where it is listed with its reason, once`() throws {
    let listed = "# words\n\nSources/Attic/A.swift: return 0 # nobody asks\n"
    let regions = [(1, 33, 2), (3, 25, 0), (6, 4, 2)]
    #expect(try verdict(regions, listing: listed).last == "status 0")
    #expect(
      try verdict(regions, listing: listed + listed).dropFirst() == [
        "error: listed in uncovered.txt, but it ran or is gone: Sources/Attic/A.swift: return 0",
        "status 1",
      ])
  }

  @Test func `a listed line that ran, and one without a reason, fail`() throws {
    let regions = [(1, 33, 2), (3, 25, 1)]
    #expect(
      try verdict(regions, listing: "Sources/Attic/A.swift: return 0 # nobody asks") == [
        "coverage: Attic                    2 of     2 regions  100.00 %",
        "error: listed in uncovered.txt, but it ran or is gone: Sources/Attic/A.swift: return 0",
        "status 1",
      ])
    #expect(
      try verdict(regions, listing: "Sources/Attic/A.swift: return 0").first
        == "error: uncovered.txt:1: no reason (path: text # reason): Sources/Attic/A.swift: return 0"
    )
  }

  @Test(arguments: ["", "Attic"])
  func `a room below its share fails, whatever is listed`(strict: String) throws {
    let regions = [(1, 33, 2), (3, 25, 0), (6, 4, 2)]
    let listed = strict.isEmpty ? "" : "Sources/Attic/A.swift: return 0 # nobody asks"
    #expect(
      try verdict(regions, listing: listed, strict: strict, percent: 67).dropFirst() == [
        "error: Attic is below 67 %", "status 1",
      ])
    let said = try verdict(regions, listing: listed, strict: strict, percent: 66)
    #expect(said.last == "status 0")
  }

  @Test func `of what is not strict nothing is named`() throws {
    let regions = [(1, 33, 2), (3, 25, 0), (6, 4, 2)]
    for strict in ["", "Attic/B Attic/*B", "Attic/"] {
      let said = try verdict(regions, strict: strict)
      #expect(!said.contains { $0.contains("never ran") }, "\(said)")
    }
  }

  @Test(arguments: ["Attic", "Attic/A", "Attic/*", "Attic/A*", "*/A"])
  func `a room or a file is strict by its name, in which a star stands for any letters`(
    strict: String
  ) throws {
    let said = try verdict([(1, 33, 2), (3, 25, 0), (6, 4, 2)], strict: strict)
    #expect(
      said.dropFirst() == [
        "error: never ran, not listed in uncovered.txt (line 5): Sources/Attic/A.swift: return 0",
        "status 1",
      ])
  }

  @Test func `a room of which nothing is told fails`() throws {
    #expect(
      try verdict([(1, 33, 2)], rooms: "Attic Cellar").dropFirst() == [
        "error: the tests ran nothing of Cellar", "status 1",
      ])
  }

  @Test(arguments: ["Cellar", "Attic/B", "Attic/A.swift", "Cellar/*", "Att"])
  func `a strict room or file that is not there fails`(strict: String) throws {
    #expect(
      try verdict([(1, 33, 2)], strict: strict).dropFirst() == [
        "error: there is no room or file \(strict), all of which should run", "status 1",
      ])
  }

  @Test func `what an assertion would have said counts for nothing`() throws {
    #expect(
      try verdict([(1, 33, 2), (2, 29, 0)], percent: 100) == [
        "coverage: Attic                    1 of     1 regions  100.00 %", "status 0",
      ])
  }
}
