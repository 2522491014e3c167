import Foundation
import Testing

/// Every sync and every renaming has a test that notices where it is not there.
struct DurableCallTests {
  @Test func `a mutant takes away every sync and every renaming, or why none does is told`() throws
  {
    let calls = DurableCalls(repository: .this)
    #expect(try calls.names() == ["sync", "syncData", "rename"])
    let found = try calls.findings()
    #expect(found == [])
  }

  private static let list = """
    # Made up.

    @ a name is not synced
    Sources/Attic/A.swift
    <
      try folder.sync()
      finish()
    =
      finish()
    >

    @ a file is renamed before it is synced
    Sources/Attic/A.swift
    <
      try file.syncData()
      try folder.rename("a", to: "b")
    =
      try folder.rename("a", to: "b")
      try file.syncData()
    >

    """

  private static let source = """
    import DiskAccess

    // Whoever calls sync() waits.
    func sync() throws {
      try file.syncData()
      try folder.rename("a", to: "b")
      try folder.sync()
      finish()
      try onDisk(folder.sync)
      try sync()
      if case .sync = call { print("sync()") }
    }

    """

  private func findings(excepting exceptions: String = "") throws -> [String] {
    let root = FileManager.default.temporaryDirectory.appending(path: "tidy-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in [
      "Sources/DiskAccess/Disk.swift":
        "func sync()\nfunc syncData()\nfunc rename(_ name: String)\nfunc sink()\n",
      "Sources/Attic/A.swift": Self.source,
      "Sources/Attic/B.swift": "try name.rename(to: other)\n",
      DurableCalls.lists[0]: Self.list, DurableCalls.lists[1]: "", DurableCalls.lists[2]: "",
      DurableCalls.exceptions: exceptions,
    ] {
      let place = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: place)
    }
    return try DurableCalls(repository: Repository(root: root)).findings()
  }

  @Test func `a call that no mutant takes away is found, and one that is moved or handed on`()
    throws
  {
    let all = [
      "Sources/Attic/A.swift:5: no mutant takes away: try file.syncData()",
      #"Sources/Attic/A.swift:6: no mutant takes away: try folder.rename("a", to: "b")"#,
      "Sources/Attic/A.swift:9: no mutant takes away: try onDisk(folder.sync)",
      "Sources/Attic/A.swift:10: no mutant takes away: try sync()",
    ]
    let found = try findings()
    #expect(found == all)
  }

  @Test func `what is excepted has a reason and is there`() throws {
    let found = try findings(
      excepting: """
        # Made up.
        Sources/Attic/A.swift: try file.syncData() # it is slow
        Sources/Attic/A.swift: try sync()
        Sources/Attic/A.swift: try folder.sync() # a mutant takes it away

        """)
    #expect(
      found == [
        #"Sources/Attic/A.swift:6: no mutant takes away: try folder.rename("a", to: "b")"#,
        "Sources/Attic/A.swift:9: no mutant takes away: try onDisk(folder.sync)",
        "Sources/Attic/A.swift: no reason: try sync()",
        "nothing to except: Sources/Attic/A.swift: try folder.sync()",
      ])
  }
}
