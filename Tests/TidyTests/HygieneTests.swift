import Foundation
import Testing

/// Files are what they should be.
struct HygieneTests {
  let repository = Repository.this

  @Test func `no source is longer than 400 lines`() throws {
    let found = try Hygiene.longSources(in: repository)
    #expect(found == [])
  }

  @Test func `no tracked file is binary but for the golden journals`() throws {
    let found = try Hygiene.binaries(in: repository)
    #expect(found == [])
  }

  @Test func `what a build leaves is ignored`() throws {
    let ignored = try #require(try repository.text(".gitignore")).split(separator: "\n")
    #expect(ignored.contains(".build/"))
  }

  @Test func `every script can be run and is bash`() throws {
    let paths = try repository.paths()
    for script in [
      "Tools/check", "Tools/demo", "Tools/campaign", "Tools/soak", "Tools/faults", ".ci/run",
    ] {
      #expect(paths.contains(script))
    }
    let found = try Hygiene.scriptFindings(in: repository)
    #expect(found == [])
  }

  @Test func `the continuous check calls the gates and nothing more`() throws {
    let text = try #require(try repository.text(".ci/run"))
    let commands = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(commands == ["exec \"$(dirname \"${BASH_SOURCE[0]}\")/../Tools/check\""])
  }

  @Test func `a long source, a binary, and scripts that cannot run are found`() throws {
    let root = FileManager.default.temporaryDirectory
      .appending(path: "tidy-\(ProcessInfo.processInfo.processIdentifier)-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    let madeUp = Repository(root: root)
    func make(_ path: String, _ bytes: Data, mode: Int = 0o644) throws {
      let place = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: place)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.path)
    }
    let bash = "#!/usr/bin/env bash\n"
    try make("Sources/A/Long.swift", Data(String(repeating: "\n", count: 401).utf8))
    try make("Sources/A/Fits.swift", Data(String(repeating: "\n", count: 400).utf8))
    try make("Sources/A/bytes", Data([0, 1]))
    try make("Sources/A/latin.txt", Data([0xE9]))
    try make("Tests/Golden/A.xjournal/MANIFEST", Data([0, 1]))
    try make("Tools/good", Data("\(bash)true\n".utf8), mode: 0o755)
    try make("Tools/lib/good.sh", Data("true\n".utf8))
    try make("Tools/broken", Data("\(bash)if true\n".utf8), mode: 0o755)
    try make("Tools/bare", Data("true\n".utf8), mode: 0o755)
    try make(".ci/run", Data("\(bash)true\n".utf8))

    #expect(
      try Hygiene.longSources(in: madeUp) == [
        "Sources/A/Long.swift has 401 lines, more than 400"
      ])
    #expect(try Hygiene.binaries(in: madeUp) == ["Sources/A/bytes", "Sources/A/latin.txt"])
    #expect(
      try Hygiene.scriptFindings(in: madeUp) == [
        "Tools/bare does not begin with #!/usr/bin/env bash", "Tools/broken is no bash",
        ".ci/run is not executable",
      ])
  }

  @Test func `every test's name is a verdict`() throws {
    let sources = try repository.texts(repository.paths(in: "Tests", endingWith: ".swift"))
    #expect(sources.flatMap { Hygiene.testsWithoutVerdict(in: $0.text, path: $0.path) } == [])
  }

  @Test(arguments: [
    "@Test func reads() {}", "@Test(\"it reads what was written\") func reads() {}",
    "@Test func `reads`() {}", "@Test(.tags(.slow), arguments: [f(1)])\n  func reads(x: Int) {}",
  ])
  func `a test without a verdict is found`(source: String) {
    #expect(Hygiene.testsWithoutVerdict(in: source, path: "madeUp.swift").count == 1)
  }

  @Test(arguments: [
    "@Test func `it reads what was written`() {}", "// @Test func reads() {}",
    "@Test(arguments: [1]) @MainActor\nfunc `a \"quoted\" thing // is fine`(x: Int) async throws {}",
  ])
  func `a test with a verdict is let be`(source: String) {
    #expect(Hygiene.testsWithoutVerdict(in: source, path: "madeUp.swift") == [])
  }
}
