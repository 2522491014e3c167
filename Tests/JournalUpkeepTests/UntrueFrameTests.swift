import ByteCoding
import DiskAccess
import DiskSimulation
import JournalInspection
import Journaling
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// Frames whose checks fit, and what they say cannot be; and what is told of frames that are lost.
@Suite struct UntrueFrameTests {
  private static let folder = "\(Journals.path)/journal"
  private static let path = "\(folder)/0000000001.xj"
  private static let commitCount = 6

  /// A journal of one segment, in which each commit counts, groups and names.
  ///
  /// - Parameter dropped: the last commit that compaction has dropped, and with it the segments before.
  private static func journal(dropping dropped: Int = 0) throws -> SimulatedDisk {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog",
        attributes: [
          AttributeDescription("copies", .counter), AttributeDescription("tags", .set),
          AttributeDescription("name", .string),
        ])
    ])
    let disk = SimulatedDisk(seed: 21)
    disk.setWallClock(1_795_168_800_000_000_000)
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    var context = ManagedObjectContext(store, isolation: nil)
    var blog = context.insert("Blog")
    blog["copies"] = .counter(1)
    for number in 1...commitCount {
      blog["copies"] = .counter(1 + 10 * number)
      blog["tags"] = .set(Set((1...number).map { .integer($0) }))
      blog["name"] = .string("edition \(number)")
      try context.save(message: "commit \(number)")
      if number == 2 { try store.tag("second") }
      if number == dropped {
        // What a context has done is kept as long as it is there.
        context.close()
        try store.compact(keeping: .latest)
        context = ManagedObjectContext(store, isolation: nil)
        blog = try context.existingObject(with: blog.objectID)
      }
    }
    return disk.imageAfterProcessDeath()
  }

  /// Makes the segment anew of what its frames say, with whatever is put there between them.
  private static func rewrite(
    _ path: String = path, on disk: SimulatedDisk, _ change: (inout [[UInt8]]) throws -> Void
  ) throws {
    let bytes = try #require(disk.contents(of: path))
    let header = try SegmentHeader.sound(bytes)
    var payloads = try SegmentWalk(of: bytes).payloads.compactMap { $0 }
    try change(&payloads)
    var new = Array(bytes[..<SegmentHeader.byteCount])
    var previous = header.previousBodyCheck
    for (place, payload) in payloads.enumerated() {
      let frame = FrameBytes(header.firstFrame.rawValue + UInt64(place), payload, after: previous)
      new += frame.encoded(salt: header.salt)
      previous = frame.bodyCheck(salt: header.salt)
    }
    try disk.setContents(path, new + [UInt8](repeating: 0, count: 4096))
  }

  /// The places of frames that have commits.
  private static func commits(in payloads: [[UInt8]]) -> [Int] {
    payloads.indices.filter { place in
      payloads[place].withUnsafeBytes { Batch($0)?.commitCount ?? 0 } > 0
    }
  }

  private static func untrue(_ name: String, like payload: [UInt8]) throws -> [UInt8] {
    let first = try #require(payload.withUnsafeBytes { Batch($0)?.firstEdit })
    var writer = ByteWriter()
    writer.writeVarint(first.rawValue)
    func edit(_ bytes: [UInt8]) {
      writer.writeVarint(UInt64(1))
      writer.writeVarint(UInt64(2 * bytes.count))
      writer.write(bytes)
      writer.writeVarint(UInt64(0))
    }
    switch name {
    case "no batch": return [UInt8](repeating: 0xFF, count: 40)
    case "no event": edit([])
    case "too deep": edit([1, 1, 1, 1, 1] + (0..<200).flatMap { _ in [UInt8(13), 1] } + [1])
    case "too long": edit([0x0C, 1, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])
    default:
      writer.writeVarint(UInt64(0))
      writer.writeVarint(UInt64(1))
      writer.writeVarint(UInt64(0))
    }
    return writer.array
  }

  private static let kinds = ["no batch", "no event", "too deep", "too long", "no commit"]

  @Test(arguments: kinds, [false, true])
  func `a frame that says what cannot be is damage, before which all is taken over`(
    kind: String, isSalvaging: Bool
  ) throws {
    let sound = try JournalTruth(on: try Self.journal())
    let disk = try Self.journal()
    try Self.rewrite(on: disk) { payloads in
      let place = Self.commits(in: payloads)[3]
      payloads[place] = try Self.untrue(kind, like: payloads[place])
    }
    let run = Upkeep.run(
      "repair \(isSalvaging ? "--salvage " : "")-s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(run.errors.contains("where frame"), "\(run)")
    #expect(!run.errors.contains("key 0"), "no name is given up: \(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits.prefix(3) == sound.commits.prefix(3))
    #expect(kept.commits.count == (isSalvaging ? 5 : 3), "\(run)")
    let document = Upkeep.run(
      "repair \(isSalvaging ? "--salvage " : "")-s Notes.xjournal -o Other.xjournal --json",
      on: disk)
    #expect(document.output.contains("\"keptThrough\":3"), "\(document)")
  }

  /// The one segment that compaction has left.
  private static func lastSegment(on disk: SimulatedDisk) throws -> String {
    let segments = disk.paths.filter { $0.hasPrefix(folder) && $0.hasSuffix(".xj") }
    try #require(segments.count == 1 && segments != [path])
    return segments[0]
  }

  @Test(arguments: kinds, [false, true])
  func `so it is where compaction has dropped what came before`(
    kind: String, isSalvaging: Bool
  ) throws {
    let sound = try JournalTruth(on: try Self.journal(dropping: 3))
    let disk = try Self.journal(dropping: 3)
    try Self.rewrite(Self.lastSegment(on: disk), on: disk) { payloads in
      let place = try #require(Self.commits(in: payloads).dropFirst().first)
      payloads[place] = try Self.untrue(kind, like: payloads[place])
    }
    let run = Upkeep.run(
      "repair \(isSalvaging ? "--salvage " : "")-s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(run.errors.contains("where frame"), "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    // The fourth, and without the fifth the sixth.
    #expect(kept.commits.first == sound.commits.first, "\(run)")
    #expect(kept.commits.dropFirst() == (isSalvaging ? sound.commits.suffix(1) : []), "\(run)")
  }

  @Test(arguments: ["", "--salvage "])
  func `so it is behind a state that was kept, where what comes before that is damaged`(
    option: String
  ) throws {
    let disk = try LongJournal.make(.late, compacted: true)
    let names = try disk.folder(at: Self.folder).names()
    let damaged = "\(Self.folder)/\(names[0])"
    var bytes = try #require(disk.contents(of: damaged))
    bytes[bytes.count / 2] ^= 4
    try disk.setContents(damaged, bytes)
    let last = "\(Self.folder)/\(names[names.count - 2])"
    try Self.rewrite(last, on: disk) { payloads in
      let place = try #require(Self.commits(in: payloads).last)
      payloads[place] = try Self.untrue("no event", like: payloads[place])
    }
    let run = Upkeep.run("repair \(option)-s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(!run.errors.contains("edits:"), "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    let log = Upkeep.run("log -n 100 -s New.xjournal", on: disk).output
    #expect(log.contains("  commit 23\n") == !option.isEmpty, "\(run)\n\(log)")
  }

  @Test func `what a segment has that has lost its header and first frame is salvaged`() throws {
    let sound = try JournalTruth(on: try Self.journal(dropping: 3))
    let disk = try Self.journal(dropping: 3)
    let path = try Self.lastSegment(on: disk)
    var bytes = try #require(disk.contents(of: path))
    bytes[20] ^= 4
    bytes[SegmentHeader.byteCount + 10] ^= 4
    try disk.setContents(path, bytes)
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits.suffix(2) == sound.commits.suffix(2), "\(run)")
  }

  @Test func `a frame that is lost is told though idle frames behind it are sound`() throws {
    let disk = try Self.journal()
    var offset = 0
    try Self.rewrite(on: disk) { payloads in
      let last = try #require(Self.commits(in: payloads).last)
      payloads.removeSubrange((last + 1)...)
      let next = payloads[last].withUnsafeBytes { Batch($0)?.nextEdit }
      var writer = ByteWriter()
      writer.writeVarint(try #require(next).rawValue)
      for _ in 0..<2 { writer.writeVarint(UInt64(0)) }
      payloads.append(writer.array)
    }
    var bytes = try #require(disk.contents(of: Self.path))
    let walk = try SegmentWalk(of: bytes)
    offset = Int(walk.offsets[walk.offsets.count - 2])
    bytes[offset + Seal.byteCount + 9] ^= 4
    try disk.setContents(Self.path, bytes)
    let number = walk.numbers[walk.numbers.count - 2]
    for option in ["", "--salvage "] {
      let run = Upkeep.run(
        "repair \(option)-s Notes.xjournal -o New\(option.count).xjournal", on: disk)
      try #require(run.status == .fine, "\(run)")
      #expect(
        run.errors.contains("lost: frame \(number), with whatever was saved or tagged there"),
        "\(run)")
    }
  }

  @Test func `what counts on from a lost commit is told, as are tags that it may have had`() throws
  {
    let disk = try Self.journal()
    var bytes = try #require(disk.contents(of: Self.path))
    let walk = try SegmentWalk(of: bytes)
    let place = Self.commits(in: walk.payloads.compactMap { $0 })[2]
    bytes[Int(walk.offsets[place]) + Seal.byteCount + 9] ^= 4
    try disk.setContents(Self.path, bytes)
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    for key in ["copies", "tags"] {
      #expect(
        run.errors.contains(
          "lost: what commit 3 may have done to \(key) of Blog/1, which commit 4 only tells the difference to"
        ), "\(run)")
    }
    #expect(!run.errors.contains("done to name"), "\(run)")
    #expect(
      run.errors.contains(
        "lost: what was tagged or adopted as a model in frame \(walk.numbers[place]), if anything was"
      ),
      "\(run)")
    // Of those that follow nothing is lost but that.
    #expect(run.errors.split(separator: "\n").count { $0.hasPrefix("lost: what commit") } == 2)
    let store = try StoreReader(on: disk, at: "New.xjournal")
    #expect(store.tags["second"]?.rawValue == 2)
  }
}
