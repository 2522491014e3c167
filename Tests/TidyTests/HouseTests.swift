import Testing

/// Imports point down the ranks, in the sources and in the manifest.
struct Imports {
  let house = House.this

  @Test func `the table of the house does not contradict itself`() {
    #expect(house.contradictions() == [])
  }

  @Test func `a table that points up, in a circle or past a law is refused`() {
    var upward = house
    upward.rooms.append(Room(1, "Cellar", imports: ["ObjectStore"]))
    #expect(upward.contradictions() == ["Cellar (rank 1) may not import ObjectStore (rank 2)"])

    var sideways = house
    sideways.rooms.append(Room(1, "Cellar", imports: ["EventFold"]))
    #expect(sideways.contradictions() == ["Cellar (rank 1) may not import EventFold (rank 1)"])

    var unlawful = house
    unlawful.never["ObjectStore"] = ["Journaling"]
    #expect(unlawful.contradictions() == ["ObjectStore may never import Journaling"])

    var shared = house
    shared.rooms.append(Room(1, "Cellar", imports: ["CLinux"]))
    #expect(
      shared.contradictions() == ["CLinux must have one importer, not [\"DiskAccess\", \"Cellar\"]"]
    )

    var unknown = house
    unknown.rooms.append(Room(1, "Cellar", imports: ["Attic"]))
    #expect(unknown.contradictions() == ["Cellar may import Attic, which is no room"])
  }

  @Test func `every source imports only what its room may import`() throws {
    let repository = Repository.this
    let sources = try repository.texts(repository.paths(in: "Sources", endingWith: ".swift"))
    #expect(sources.count >= house.rooms.count)
    let findings = sources.flatMap { path, text in
      house.findings(
        inSource: text, of: String(path.split(separator: "/")[1]), path: path)
    }
    #expect(findings == [])
  }

  @Test(arguments: [
    ("import Journaling", "ByteCoding", "rank 0) imports Journaling (rank 1)"),
    ("public import EventFold", "EventCoding", "rank 1) imports EventFold (rank 1)"),
    ("@_exported public import XJournal", "ObjectStore", "rank 2) imports XJournal (rank 5)"),
    ("package import DiskAccess", "ManagedObjects", "not among what it may import"),
    ("internal import Journaling", "ManagedObjects", "not among what it may import"),
    ("import ByteCoding", "DiskSimulation", "not among what it may import"),
    ("internal import Glibc", "Journaling", "may not import Glibc"),
    ("import struct Glibc.stat", "DiskSimulation", "may not import Glibc"),
    ("internal import CLinux", "Journaling", "may not import CLinux"),
    ("internal import CLZ4", "ObjectStore", "may not import CLZ4"),
    ("import Foundation", "ObjectPatching", "may not import Foundation"),
    ("import FoundationEssentials", "Journaling", "may not import FoundationEssentials"),
    ("import FoundationEssentials", "DiskAccess", "may not import FoundationEssentials"),
    ("@preconcurrency import Dispatch", "DiskAccess", "may not import Dispatch"),
    ("#if canImport(Glibc)\n  import Glibc\n#endif", "ByteCoding", "may not import Glibc"),
    ("import ByteCoding; import Glibc", "Journaling", "may not import Glibc"),
    ("/* why not */ import Glibc", "Journaling", "may not import Glibc"),
    ("import ByteCoding", "Cellar", "Cellar is no room"),
  ])
  func `an import that is not allowed is found`(
    source: String, room: String, verdict: String
  ) throws {
    let findings = house.findings(inSource: source, of: room, path: "made-up.swift")
    try #require(findings.count == 1)
    #expect(findings[0].contains(verdict))
  }

  @Test func `an import that is allowed, and one that is only talked about, are not found`() {
    let source = """
      // import Foundation
      /* import Foundation
         /* nested */ import Glibc */
      internal import ByteCoding
      package import DiskAccess
      internal import Synchronization
      let text = "\\(name) import Glibc"
      let long = \"\"\"
        import Foundation
        \"\"\"
      func `a name with // and import Glibc`() {}
      let important = 1
      """
    #expect(house.findings(inSource: source, of: "Journaling", path: "made-up.swift") == [])
  }

  @Test func `the manifest says what the table says`() throws {
    let text = try #require(try Repository.this.text("Package.swift"))
    let manifest = Manifest(text)
    #expect(manifest.differences(from: house) == [])
    let folders = Set(
      try Repository.this.paths(in: "Sources").map { String($0.split(separator: "/")[1]) })
    #expect(folders == Set(house.rooms.map(\.name)).union(house.libraries))
  }

  @Test func `a manifest that says something else is found`() throws {
    let text = try #require(try Repository.this.text("Package.swift"))
    func differences(_ old: String, _ new: String) -> [String] {
      #expect(text.contains(old))
      return Manifest(text.replacing(old, with: new)).differences(from: house)
    }
    #expect(
      differences("room(\"EventFold\", imports: [\"ObjectModel\"])", "room(\"EventFold\")")
        == ["Package.swift and the table differ about EventFold: [\"ObjectModel\"]"])
    #expect(
      differences("room(\"ByteCoding\")", "room(\"ByteCoding\", imports: [\"Journaling\"])")
        == ["Package.swift and the table differ about ByteCoding: [\"Journaling\"]"])
    #expect(
      differences("room(\"ObjectModel\")", "room(\"Attic\")") == [
        "Package.swift: Attic is not in the table of the house", "Package.swift lacks ObjectModel",
      ])
    #expect(
      differences(".systemLibrary(name: \"CLinux\",", ".systemLibrary(name: \"CDarwin\",")
        == ["Package.swift and the table differ about the system's libraries"])
  }

  @Test func `tests and tools import only what the manifest declares for them`() throws {
    let manifest = Manifest(try #require(try Repository.this.text("Package.swift")))
    #expect(manifest.targets.contains { $0.name == "JournalWriter" })
    #expect(manifest.targets.contains { $0.name == "TestSupport" })
    let paths = try Repository.this.paths().filter { $0.hasSuffix(".swift") }
    let findings = try Repository.this.texts(paths).flatMap { path, text in
      manifest.undeclaredImports(inSource: text, path: path, house: house)
    }
    #expect(findings == [])
    #expect(
      manifest.undeclaredImports(
        inSource: "import Testing\n@testable import Journaling",
        path: "Tests/DiskAccessTests/madeUp.swift", house: house) == [
          "Tests/DiskAccessTests/madeUp.swift:2: DiskAccessTests imports Journaling, "
            + "which it does not declare"
        ])
  }
}
