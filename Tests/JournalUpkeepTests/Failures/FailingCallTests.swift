import DiskAccess
import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// Whatever call to the disk fails: what there was stays as it was, and what was made is whole, or is known not to be.
@Suite struct FailingCallTests {
  private static let place = "New.xjournal"

  /// A journal of which something is damaged, so that a repair has something to do.
  enum Journal: CaseIterable {
    case frame, header, footer, manifestMissing, firstSegmentMissing, state

    func make() throws -> SimulatedDisk {
      let disk = try LongJournal.make(.late, compacted: self == .state)
      let folder = try disk.folder(at: Journals.path)
      let segment = "\(Journals.path)/journal/0000000002.xj"
      switch self {
      case .frame, .header, .footer:
        var bytes = try #require(disk.contents(of: segment))
        bytes[self == .header ? 20 : self == .footer ? bytes.count - 1 : 1500] ^= 0x55
        try disk.setContents(segment, bytes)
      case .manifestMissing: try folder.remove("MANIFEST")
      case .firstSegmentMissing: try folder.folder("journal").remove("0000000001.xj")
      case .state: try folder.rename("snapshots", to: "elsewhere")
      }
      return disk
    }
  }

  @Test(arguments: Upkeep.lines)
  func `a call that fails ends a command with a word, and loses nothing`(line: String) throws {
    let source = try Journals.killed()
    try Upkeep.addFiles(to: source)
    try expectNothingLost(
      "\(line) -s Notes.xjournal", on: source, isInPlace: Upkeep.isInPlace(line))
  }

  @Test(arguments: Journal.allCases)
  func `a call that fails ends a repair with a word, and loses nothing`(journal: Journal) throws {
    let lines = journal == .state ? ["repair --salvage"] : ["repair", "repair --salvage"]
    for line in lines {
      try expectNothingLost(
        "\(line) -s Notes.xjournal -o \(Self.place)", on: try journal.make(), isInPlace: false)
    }
  }

  private func expectNothingLost(
    _ line: String, on source: SimulatedDisk, isInPlace: Bool
  ) throws {
    let before = Upkeep.contents(of: Journals.path, on: source)
    var failed = 0
    for (call, count) in try Self.calls(of: line, on: source) {
      for number in Self.numbers(through: count) {
        let disk = source.imageAfterProcessDeath()
        disk.faults = [SimulatedFault(.failure(.accessDenied), calls: [call], number: number)]
        let run = Upkeep.run(line, on: disk, running: Upkeep.check)
        disk.faults = []
        let words = "\(line), \(call) \(number): \(run)"
        #expect(run.status != .ourFault, "\(words)")
        if run.status != .fine {
          failed += 1
          #expect(!run.errors.isEmpty, "\(words)")
        }
        if isInPlace {
          let verified = Upkeep.run("verify --deep -s Notes.xjournal", on: disk)
          #expect(verified.status == .fine, "\(words) \(verified)")
        } else {
          #expect(Upkeep.contents(of: Journals.path, on: disk) == before, "\(words)")
        }
        guard line.contains(Self.place) else { continue }
        expectKnown(run, on: disk, words)
      }
    }
    #expect(failed > 0)
  }

  /// What was made is sound; what was begun has a mark, or is nothing that anybody would take for a journal.
  private func expectKnown(_ run: ToolSupport.Run, on disk: SimulatedDisk, _ words: String) {
    let isMarked = disk.contents(of: "\(Self.place)/UNFINISHED-COPY") != nil
    let verified = Upkeep.run("verify --deep -s \(Self.place)", on: disk)
    if run.status == .fine {
      #expect(!isMarked && verified.status == .fine, "\(words) \(verified)")
    } else if isMarked {
      #expect([.damage, .noJournal].contains(verified.status), "\(words) \(verified)")
      #expect(run.errors.contains("What was begun is left at “\(Self.place)”"), "\(words)")
    } else {
      #expect([.noJournal, .fine].contains(verified.status), "\(words) \(verified)")
    }
  }

  /// How many calls of each kind a command makes.
  private static func calls(
    of line: String, on source: SimulatedDisk
  ) throws -> [(DiskError.Call, Int)] {
    let disk = source.imageAfterProcessDeath()
    disk.isTracing = true
    let run = Upkeep.run(line, on: disk, running: Upkeep.check)
    try #require(run.status == .fine, "\(line): \(run)")
    var counts: [DiskError.Call: Int] = [:]
    for call in disk.trace {
      guard let kind = call.split(separator: " ").dropFirst().first,
        let call = DiskError.Call(rawValue: String(kind))
      else { continue }
      counts[call, default: 0] += 1
    }
    return counts.sorted { $0.key.rawValue < $1.key.rawValue }
  }

  /// Some of many: the first, and ever fewer then, to the last. Where it is built for debugging, these two alone.
  private static func numbers(through count: Int) -> [Int] {
    #if DEBUG
      return count > 1 ? [1, count] : [1]
    #else
      return numbersMoreAndMoreApart(through: count)
    #endif
  }

  private static func numbersMoreAndMoreApart(through count: Int) -> [Int] {
    var numbers: [Int] = []
    var number = 1
    while number < count {
      numbers.append(number)
      number *= 2
    }
    return numbers + [count]
  }
}
