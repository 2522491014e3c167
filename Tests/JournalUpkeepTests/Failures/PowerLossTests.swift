import DiskAccess
import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// Whenever the power goes: what a command has made when it returns stays, and what it was making is known not to be whole.
@Suite struct PowerLossTests {
  private static let place = "New.xjournal"
  private static let mark = "\(place)/UNFINISHED-COPY"

  /// How many states of a loss of power are looked at.
  private static let limit: Int = {
    #if DEBUG
      return 24
    #else
      return 64
    #endif
  }()

  /// Runs a command, and looks at what a loss of power leaves before each call that changes the disk.
  private static func run(
    _ line: String, on disk: SimulatedDisk, _ look: @escaping (SimulatedDisk, String) -> Void
  ) -> ToolSupport.Run {
    disk.onCall = { [unowned disk] call in
      for (index, choice) in disk.powerLossStates(limit: limit, seed: 5).enumerated() {
        look(disk.image(after: choice), "\(line): before call \(call), state \(index)")
      }
    }
    defer { disk.onCall = nil }
    return Upkeep.run(line, on: disk, running: Upkeep.check)
  }

  /// What has no mark is a whole journal, or none.
  private static func expectKnown(_ image: SimulatedDisk, _ words: String) {
    guard image.contents(of: "\(place)/MANIFEST") != nil, image.contents(of: mark) == nil else {
      return
    }
    // It may be torn whenever the power goes; the edits in it are in frames.
    try? image.folder(at: place).remove("edits")
    let verified = Upkeep.run("verify --deep -s \(place)", on: image)
    #expect(verified.status == .fine, "\(words): \(verified)")
  }

  private static func expectDurable(_ line: String, on disk: SimulatedDisk) throws {
    let run = Self.run(line, on: disk) { Self.expectKnown($0, $1) }
    try #require(run.status == .fine, "\(line): \(run)")
    let made = files(on: disk)
    try #require(made["\(place)/MANIFEST"] != nil && made[mark] == nil)
    for choice in disk.powerLossStates(limit: limit, seed: 5) {
      let image = disk.image(after: choice)
      let left = files(on: image)
      #expect(left[mark] == nil && made.allSatisfy { left[$0.key] == $0.value }, "\(line)")
      expectKnown(image, line)
    }
  }

  /// What was made, but for who has it open, and the edits, all of which are in frames when it is closed.
  private static func files(on disk: SimulatedDisk) -> [String: [UInt8]] {
    Upkeep.contents(of: place, on: disk).filter { path, _ in
      !["LOCK", "edits"].contains { path == "\(place)/\($0)" }
    }
  }

  @Test(arguments: Upkeep.making)
  func `what a command makes is durable when it returns, and has a mark until then`(
    line: String
  ) throws {
    let disk = try Journals.killed()
    try Upkeep.addFiles(to: disk)
    try Self.expectDurable("\(line) -s Notes.xjournal", on: disk)
  }

  @Test(arguments: FailingCallTests.Journal.allCases)
  func `what a repair makes is durable when it returns, and has a mark until then`(
    journal: FailingCallTests.Journal
  ) throws {
    try Self.expectDurable(
      "repair --salvage -s Notes.xjournal -o \(Self.place)", on: try journal.make())
  }

  @Test func `what is given up stays away, and has a mark until then`() throws {
    let (source, line) = (try LongJournal.make(.late), "backup -s Notes.xjournal -o \(Self.place)")
    let whole = source.imageAfterProcessDeath()
    try #require(Upkeep.run(line, on: whole).status == .fine)
    let count = whole.callCount
    var givenUp = 0
    for number in stride(from: count, to: 0, by: -max(1, count / 16)) {
      let disk = source.imageAfterProcessDeath()
      disk.faults = [SimulatedFault(.failure(.accessDenied), number: number)]
      let run = Self.run(line, on: disk) { Self.expectKnown($0, $1) }
      guard run.status != .fine, (try? disk.folder(at: Self.place)) == nil else { continue }
      givenUp += 1
      for choice in disk.powerLossStates(limit: Self.limit, seed: 5) {
        let image = disk.image(after: choice)
        #expect((try? image.folder(at: Self.place)) == nil, "\(line), call \(number)")
      }
    }
    #expect(givenUp > 3)
  }
}
