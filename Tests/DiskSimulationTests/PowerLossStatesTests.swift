import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("the states after a loss of power")
struct PowerLossStatesTests {
  /// A disk with an unsynced file of some sectors, and some unsynced names.
  private func disk(sectors: Int, names: Int = 0) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    try disk.setContents("a", filled(1, sectors * 512))
    let folder = try disk.folder(at: "")
    try folder.file("a", .existing).put(filled(2, sectors * 512))
    for name in 0..<names { _ = try folder.file("name\(name)", .new) }
    return disk
  }

  @Test func `all states are listed where they fit the limit`() throws {
    let disk = try disk(sectors: 3, names: 2)
    let states = disk.powerLossStates(limit: 32, seed: 5, tearsPerSector: 0)
    #expect(states.isExhaustive)
    #expect(states.count == 32)
    #expect(states.combinationCount == 32)
    #expect(Set(states.map { disk.image(after: $0).everything }).count == 32)
    #expect(Set(states).count == 32)
    #expect(states.first == states.nothingKept)
    #expect(states.contains(states.everythingKept))
  }

  @Test func `a tear for each sector makes three states of it`() throws {
    let disk = try disk(sectors: 3)
    let states = disk.powerLossStates(limit: 27, seed: 5)
    #expect(states.isExhaustive)
    #expect(states.combinationCount == 27)
    #expect(Set(states.map { disk.image(after: $0).contents(of: "a") }).count == 27)
  }

  @Test func `sectors of a file whose name is lost make no states`() throws {
    let disk = SimulatedDisk(seed: 1)
    let file = try disk.folder(at: "").file("a", .new)
    try file.put(filled(1, 1024))
    // Without the name one; with the name: no length one, the length four.
    let states = disk.powerLossStates(limit: 100, seed: 5, tearsPerSector: 0)
    #expect(states.combinationCount == 6)
    #expect(Set(states.map { disk.image(after: $0).everything }).count == 6)
  }

  @Test(arguments: [2, 3, 4, 10, 200, 6560])
  func `too many states are sampled, the extreme ones first`(_ limit: Int) throws {
    let disk = try disk(sectors: 8)
    let states = disk.powerLossStates(limit: limit, seed: 5)
    #expect(!states.isExhaustive)
    #expect(states.count == limit)
    #expect(states.combinationCount == 6561)
    #expect(Set(states).count == limit)
    #expect(states[0] == states.nothingKept)
    #expect(states[1] == states.everythingKept)
    #expect(disk.image(after: states[0]).contents(of: "a") == filled(1, 4096))
    #expect(disk.image(after: states[1]).contents(of: "a") == filled(2, 4096))
    if limit <= 200 {
      #expect(Set(states.map { disk.image(after: $0).contents(of: "a") }).count == limit)
    }
  }

  @Test func `a sample has everything but one thing and nothing but one thing`() throws {
    let disk = try disk(sectors: 8)
    let left = disk.powerLossStates(limit: 100, seed: 5).map { disk.image(after: $0) }
      .map { $0.contents(of: "a") }
    for sector in 0..<8 {
      let range = sector * 512..<(sector + 1) * 512
      var butOne = filled(2, 4096)
      butOne.replaceSubrange(range, with: filled(1))
      #expect(left.contains(butOne))
      var onlyOne = filled(1, 4096)
      onlyOne.replaceSubrange(range, with: filled(2))
      #expect(left.contains(onlyOne))
    }
  }

  @Test func `a sample has the names without the bytes and the bytes without the names`() throws {
    let disk = try disk(sectors: 8, names: 3)
    let left = disk.powerLossStates(limit: 4, seed: 5).map { disk.image(after: $0) }
    #expect(left.map { $0.paths.count } == [1, 4, 4, 1])
    #expect(left.map { $0.contents(of: "a")?.first } == [1, 2, 1, 2])
  }

  @Test func `states without number are sampled as well`() throws {
    let disk = try disk(sectors: 100, names: 20)
    let states = disk.powerLossStates(limit: 300, seed: 5)
    #expect(states.combinationCount == nil)
    #expect(!states.isExhaustive)
    #expect(states.count == 300)
    #expect(Set(states.map { disk.image(after: $0).everything }).count == 300)
    let few = try self.disk(sectors: 100)
    #expect(few.powerLossStates(limit: 10, seed: 5).combinationCount == nil)
  }

  @Test func `the same seed draws the same states`() throws {
    let disk = try disk(sectors: 20, names: 2)
    let one = disk.powerLossStates(limit: 50, seed: 5).map(\.description)
    #expect(disk.powerLossStates(limit: 50, seed: 5).map(\.description) == one)
    #expect(
      try self.disk(sectors: 20, names: 2).powerLossStates(limit: 50, seed: 5)
        .map(\.description) == one)
    #expect(disk.powerLossStates(limit: 50, seed: 6).map(\.description) != one)
  }

  @Test func `a state says what it keeps`() throws {
    let disk = SimulatedDisk(seed: 1)
    try disk.setContents("store/a", filled(1, 2048))
    try disk.setContents("store/temp", [1])
    let folder = try disk.folder(at: "store")
    try folder.file("a", .existing).put(filled(2, 1536))
    try folder.file("a", .existing).putAtEnd(filled(3, 1))
    try folder.makeFolder("inner")
    try folder.rename("temp", to: "b")
    try folder.remove("b")
    let states = disk.powerLossStates(limit: 100_000, seed: 1)
    #expect(
      states.nothingKept.description
        == "lost: make store/inner; lost: rename store/temp to b; lost: remove store/b; "
        + "store/a: 2048 bytes (old), 0-2 old")
    #expect(
      states.everythingKept.description
        == "kept: make store/inner; kept: rename store/temp to b; kept: remove store/b; "
        + "store/a: 2049 bytes (new), 0-2 new, 4 new")
    #expect(states.contains { $0.description.contains(", 1 torn@") })
    #expect(Set(states.map(\.description)).count == states.count)
  }

  @Test func `the states are of their moment`() throws {
    let disk = try disk(sectors: 1)
    let file = try disk.folder(at: "").file("a", .existing)
    let states = disk.powerLossStates(limit: 10, seed: 1)
    try file.put(filled(9))
    try file.sync()
    #expect(disk.image(after: states.nothingKept).contents(of: "a") == filled(1))
    #expect(disk.image(after: states.everythingKept).contents(of: "a") == filled(2))
  }

  @Test func `an image is a disk of its own, with everything durable`() throws {
    let disk = try disk(sectors: 2, names: 1)
    let states = disk.powerLossStates(limit: 100, seed: 1)
    let one = disk.image(after: states.everythingKept)
    let other = disk.image(after: states.everythingKept)
    #expect(one.powerLossStates(limit: 10, seed: 1).count == 1)
    let file = try one.folder(at: "").file("a", .existing)
    try file.put(filled(7, 1024))
    try file.sync()
    try one.folder(at: "").remove("name0")
    #expect(other.contents(of: "a") == filled(2, 1024))
    #expect(disk.contents(of: "a") == filled(2, 1024))
    #expect(disk.durableContents(of: "a") == filled(1, 1024))
    #expect(other.paths == ["a", "name0"])
    #expect(Set([disk, one, other].map(\.deviceNumber)).count == 3)
    try disk.folder(at: "").file("a", .existing).put(filled(8, 1024))
    #expect(one.contents(of: "a") == filled(7, 1024))
  }

  @Test func `files keep their numbers, and new ones get others`() throws {
    let disk = try disk(sectors: 1)
    func number(_ disk: SimulatedDisk, _ name: String) throws -> UInt64? {
      try disk.folder(at: "").information(of: name)?.node
    }
    let image = disk.image(after: disk.powerLossStates(limit: 10, seed: 1).nothingKept)
    let fresh = try image.folder(at: "").file("b", .new).information()
    #expect(try number(image, "a") == number(disk, "a"))
    #expect(try number(image, "a") != fresh.node)
    #expect(fresh.device == image.deviceNumber)
  }

  @Test func `locks, faults, hooks and handles do not come back with the power`() throws {
    let disk = try disk(sectors: 1)
    let file = try disk.folder(at: "").file("a", .existing)
    #expect(try file.lock())
    disk.faults = [SimulatedFault(.failure(.inputOutput))]
    disk.isTracing = true
    disk.onCall = { _ in }
    let image = disk.image(after: disk.powerLossStates(limit: 10, seed: 1).nothingKept)
    #expect(image.faults == [])
    #expect(image.onCall == nil)
    #expect(!image.isTracing && image.trace == [] && image.callCount == 0)
    #expect(image.openCount == 0)
    #expect(image.processNumber() != disk.processNumber())
    #expect(try image.folder(at: "").file("a", .existing).lock())
  }

  @Test func `misuse is stopped with a sentence`() async {
    await #expect(processExitsWith: .failure) {
      _ = SimulatedDisk(seed: 1).powerLossStates(limit: 1, seed: 1)
    }
    await #expect(processExitsWith: .failure) {
      _ = SimulatedDisk(seed: 1).powerLossStates(limit: 2, seed: 1, tearsPerSector: 101)
    }
    await #expect(processExitsWith: .failure) {
      _ = SimulatedDisk(seed: 1).powerLossStates(limit: 2, seed: 1)[1]
    }
    await #expect(processExitsWith: .failure) {
      let states = SimulatedDisk(seed: 1).powerLossStates(limit: 2, seed: 1)
      _ = SimulatedDisk(seed: 1).image(after: states[0])
    }
  }
}
