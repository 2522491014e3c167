import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("what a loss of power keeps: names")
struct NameDurabilityTests {
  private let disk = SimulatedDisk(seed: 1)
  private let folder: any DiskFolder

  init() throws { folder = try disk.folder(at: "") }

  private func everythingLeft() -> [[String: [UInt8]]] {
    disk.powerLossStates(limit: 10_000, seed: 1, tearsPerSector: 0)
      .map { disk.image(after: $0).everything }
  }

  @Test func `a file's sync does not make its name durable`() throws {
    let file = try folder.file("a", .new)
    try file.put([1, 2, 3])
    try file.sync()
    #expect(everythingLeft() == [[:], ["a": [1, 2, 3]]])
    #expect(disk.durableContents(of: "a") == nil)
  }

  @Test func `a folder's sync does not make bytes durable`() throws {
    let file = try folder.file("a", .new)
    try file.put([1, 2, 3])
    try folder.sync()
    #expect(everythingLeft() == [["a": []], ["a": [0, 0, 0]], ["a": [1, 2, 3]]])
  }

  @Test func `what is synced in both is kept`() throws {
    let file = try folder.file("a", .new)
    try file.put([1, 2, 3])
    try file.sync()
    try folder.sync()
    #expect(everythingLeft() == [["a": [1, 2, 3]]])
  }

  @Test func `a rename is kept whole or lost whole`() throws {
    try disk.setContents("MANIFEST", [1])
    try disk.setContents("temp", [2])
    try folder.rename("temp", to: "MANIFEST")
    #expect(everythingLeft() == [["MANIFEST": [1], "temp": [2]], ["MANIFEST": [2]]])
    try folder.sync()
    #expect(everythingLeft() == [["MANIFEST": [2]]])
  }

  @Test func `a rename may be kept before the bytes`() throws {
    try disk.setContents("MANIFEST", [1])
    let file = try folder.file("temp", .new)
    try file.put([2])
    try folder.rename("temp", to: "MANIFEST")
    let left = everythingLeft()
    #expect(left.contains(["MANIFEST": []]))
    #expect(left.contains(["MANIFEST": [1]]))
    #expect(left.contains(["MANIFEST": [2]]))
    #expect(left.contains(["MANIFEST": [1], "temp": [2]]))
    #expect(Set(left).count == left.count)
  }

  @Test func `a rename whose first name was lost does not apply`() throws {
    let file = try folder.file("temp", .new)
    try file.put([2])
    try file.sync()
    try folder.rename("temp", to: "a")
    #expect(everythingLeft() == [[:], ["temp": [2]], ["a": [2]]])
  }

  @Test func `a removed file may come back, with what was synced`() throws {
    try disk.setContents("a", [1])
    let file = try folder.file("a", .existing)
    try file.put([2])
    try file.sync()
    try folder.remove("a")
    try file.close()
    #expect(everythingLeft() == [["a": [2]], [:]])
    try folder.sync()
    #expect(everythingLeft() == [[:]])
  }

  @Test func `each change of a name is kept or lost on its own`() throws {
    for name in ["a", "b", "c"] { _ = try folder.file(name, .new) }
    let left = everythingLeft().map { $0.keys.sorted().joined() }
    #expect(Set(left) == ["", "a", "b", "c", "ab", "ac", "bc", "abc"])
    #expect(left.count == 8)
  }

  @Test func `changes that lead to the same names count once`() throws {
    _ = try folder.file("a", .new)
    try folder.remove("a")
    let states = disk.powerLossStates(limit: 10, seed: 1)
    #expect(states.map { disk.image(after: $0).paths } == [[], ["a"]])
    #expect(states.combinationCount == 2)
  }

  /// Makes a folder with a file, all of it durable but for the folder's name.
  @discardableResult
  private func makeInner() throws -> any DiskFolder {
    try folder.makeFolder("inner")
    let inner = try folder.folder("inner")
    let file = try inner.file("a", .new)
    try file.put([1])
    try file.sync()
    try inner.sync()
    return inner
  }

  @Test func `a lost folder takes everything in it away`() throws {
    try makeInner()
    #expect(everythingLeft() == [[:], ["inner/a": [1]]])
    let states = disk.powerLossStates(limit: 10, seed: 1)
    #expect(throws: DiskError(.openFolder, "inner", .notFound)) {
      try disk.image(after: states[0]).folder(at: "inner")
    }
    try folder.sync()
    #expect(everythingLeft() == [["inner/a": [1]]])
  }

  @Test func `a removed folder may come back, with what in it was durable`() throws {
    let inner = try makeInner()
    try folder.sync()
    try inner.remove("a")
    try folder.removeFolder("inner")
    #expect(disk.paths.isEmpty)
    let states = disk.powerLossStates(limit: 10, seed: 1)
    let left = Set(states.map { disk.image(after: $0).paths })
    #expect(left == [[], ["inner/a"]])
    try folder.sync()
    #expect(disk.powerLossStates(limit: 10, seed: 1).map { disk.image(after: $0).paths } == [[]])
  }

  @Test func `a folder's sync leaves other folders' names as they are`() throws {
    try disk.makeFolders("one")
    try disk.makeFolders("two")
    _ = try disk.folder(at: "one").file("a", .new)
    _ = try disk.folder(at: "two").file("b", .new)
    try disk.folder(at: "one").sync()
    #expect(everythingLeft() == [["one/a": []], ["one/a": [], "two/b": []]])
  }

  @Test func `a failed sync of a folder leaves its changes to a later one`() throws {
    _ = try folder.file("a", .new)
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.syncFolder])]
    #expect(throws: DiskError(.syncFolder, "", .inputOutput)) { try folder.sync() }
    #expect(everythingLeft() == [[:], ["a": []]])
    try folder.sync()
    #expect(everythingLeft() == [["a": []]])
  }

  @Test func `a failed sync of a folder may have kept some changes`() throws {
    var kept: Set<[String]> = []
    for seed in UInt64(0)..<50 {
      let disk = SimulatedDisk(seed: seed)
      let folder = try disk.folder(at: "")
      for name in ["a", "b"] { _ = try folder.file(name, .new) }
      disk.faults = [
        SimulatedFault(.failure(.inputOutput, leaving: .someSectors), calls: [.syncFolder])
      ]
      #expect(throws: DiskError.self) { try folder.sync() }
      let states = disk.powerLossStates(limit: 10, seed: 1)
      kept.insert(disk.image(after: states.nothingKept).paths)
    }
    #expect(kept == [[], ["a"], ["b"], ["a", "b"]])
  }
}
