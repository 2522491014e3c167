import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What a repair tells to be lost, and that it gives up no more than that.
@Suite struct RepairLossTests {
  private static let lines = [
    "repair -s Notes.xjournal -o New.xjournal",
    "repair -s Notes.xjournal --salvage -o New.xjournal",
  ]

  private static func remove(_ segments: ClosedRange<Int>, on disk: SimulatedDisk) throws {
    for number in segments {
      try disk.folder(at: "\(Journals.path)/journal").remove("000000000\(number).xj")
    }
  }

  private static func zero(_ range: Range<Int>, ofSegment number: Int, on disk: SimulatedDisk)
    throws
  {
    let path = "\(Journals.path)/journal/000000000\(number).xj"
    var bytes = try #require(disk.contents(of: path))
    for place in range { bytes[place] = 0 }
    try disk.setContents(path, bytes)
  }

  private static func isSound(_ disk: SimulatedDisk) -> ToolSupport.Run {
    Upkeep.run("verify --deep -s New.xjournal", on: disk)
  }

  @Test func `that an object led to one that is lost is told`() throws {
    let disk = SimulatedDisk(seed: 3)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("posts", to: "Post", inverse: "blog", isToMany: true)
        ]),
      EntityDescription(
        "Post", attributes: [AttributeDescription("title", .string)],
        relationships: [RelationshipDescription("blog", to: "Blog", inverse: "posts")]),
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    let blog = context.insert("Blog")
    try context.save()
    let post = context.insert("Post")
    post["title"] = "kept"
    post["blog"] = .reference(blog.objectID)
    try context.save()
    context.close()
    try store.close()
    // The frame of the first commit, behind that of the model.
    let path = "\(Journals.path)/journal/0000000001.xj"
    var bytes = try #require(disk.contents(of: path))
    bytes[Int(try SegmentWalk(of: bytes).offsets[1]) + 60] ^= 1
    try disk.setContents(path, bytes)
    let run = Upkeep.run(Self.lines[1], on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(run.errors.contains("lost: commit 1\n"), "\(run)")
    #expect(run.errors.contains("commit 2: that Post/1 led to Blog/1 by ‘blog’\n"), "\(run)")
    #expect(Upkeep.run("get Post/1 title -s New.xjournal", on: disk).output == "kept\n")
    #expect(Self.isSound(disk).status == .fine)
  }

  @Test(arguments: [true, false], lines)
  func `without the first segments the commits behind them are kept, and what came before is told`(
    hasManifest: Bool, line: String
  ) throws {
    for missing in 1...3 {
      let disk = try LongJournal.make(.late)
      let truth = try JournalTruth(on: disk)
      try Self.remove(1...missing, on: disk)
      if !hasManifest { try disk.folder(at: Journals.path).remove("MANIFEST") }
      let run = Upkeep.run(line, on: disk)
      try #require(run.status == .fine, "\(run)")
      let first = missing * 6 + 1
      #expect(
        run.errors.contains("lost: all that was before commit \(first), but for the state it left"),
        "\(run.errors)")
      let sound = Self.isSound(disk)
      #expect(sound.status == .fine, "\(sound)")
      let store = try StoreReader(on: disk, at: "New.xjournal")
      #expect(store.firstKeptCommit.rawValue == UInt64(first) && store.lastCommit.rawValue == 24)
      let kept = try JournalTruth(of: "New.xjournal", on: disk)
      #expect(kept.commits[...] == truth.commits.dropFirst(first - 1))
      #expect(kept.states[...] == truth.states.dropFirst(first - 1))
    }
  }

  @Test func `what compaction has dropped is not told to be lost with the segments`() throws {
    let disk = try LongJournal.make(.none)
    #expect(Upkeep.run("drafts discard writer", on: disk).status == .fine)
    #expect(Upkeep.run("compact -o Small.xjournal -s Notes.xjournal", on: disk).status == .fine)
    let folder = try disk.folder(at: "Small.xjournal/journal")
    for name in try folder.names() { try folder.remove(name) }
    let run = Upkeep.run("repair -s Small.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine && run.errors.contains("the segment is not there"), "\(run)")
    #expect(!run.errors.contains("before commit") && !run.errors.contains("the tag"), "\(run)")
    #expect(Self.isSound(disk).status == .fine)
  }

  @Test
  func
    `where nothing of a journal is left, that is told, and no compaction of which there was none`()
    throws
  {
    let disk = try LongJournal.make(.none)
    try Self.remove(1...5, on: disk)
    for line in Self.lines {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage && run.errors.contains("lacks its beginning"), "\(run)")
      #expect(!run.errors.contains("go back"), "\(run)")
    }
  }

  @Test(arguments: lines)
  func `where the segments that are left do not follow the state that was kept, that state is kept`(
    line: String
  ) throws {
    let disk = try LongJournal.make(.late)
    let truth = try JournalTruth(on: disk)
    try Self.remove(1...4, on: disk)
    try disk.folder(at: Journals.path).remove("MANIFEST")
    let run = Upkeep.run(line, on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(run.errors.contains("commits 21 to 24"), "\(run.errors)")
    // A commit that was dropped cannot be tagged.
    if line.contains("--salvage") {
      #expect(run.errors.contains("the state that the tag ‘middle’ stands for"), "\(run.errors)")
    }
    #expect(Self.isSound(disk).status == .fine)
    let count = Upkeep.run("query Blog --count -s New.xjournal", on: disk)
    #expect(count.output == "\(truth.states[19].count)\n")
  }

  @Test(arguments: [true, false])
  func `what is sound between missing segments is kept, and what is behind them as it was`(
    hasManifest: Bool
  ) throws {
    let disk = try LongJournal.make(.late)
    let truth = try JournalTruth(on: disk)
    try Self.remove(1...1, on: disk)
    try Self.remove(3...3, on: disk)
    if !hasManifest { try disk.folder(at: Journals.path).remove("MANIFEST") }
    let run = Upkeep.run(Self.lines[1], on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(Self.isSound(disk).status == .fine)
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits.prefix(6) == truth.commits[6..<12], "\(run.errors)")
    #expect(kept.commits.suffix(6) == truth.commits.suffix(6), "\(run.errors)")
    #expect(kept.states.suffix(6) == truth.states.suffix(6))
    // Of each object there is what the commits say that can be read: what made it, or what changed it.
    let named = { (number: Int) in kept.states[5][UInt64(number)] }
    for number in 7...12 { #expect(named(number) == truth.states[11][UInt64(number)]) }
    #expect(run.errors.contains("lost: commits 1 to 6\n"), "\(run.errors)")
    #expect(run.errors.contains("7 to 12 are 1 to 6"), "\(run.errors)")
    #expect(try StoreReader(on: disk, at: "New.xjournal").tags["middle"]?.rawValue == 6)
    // Without that, what is behind them stays as it is, with its edits.
    let plain = Upkeep.run(
      Self.lines[0].replacing("New", with: "Plain"), on: disk)
    #expect(plain.status == .fine && plain.output.contains("with commits 19 to 24"), "\(plain)")
  }

  @Test func `commits before the damage of a journal whose past was dropped are kept on demand`()
    throws
  {
    let disk = try LongJournal.make(.late, compacted: true)
    let truth = try JournalTruth(on: disk)
    let segments = disk.paths.filter { $0.hasSuffix(".xj") }.sorted()
    let second = segments[1].dropFirst("\(Journals.path)/journal/".count)
    try disk.folder(at: "\(Journals.path)/journal").remove(String(second))
    let run = Upkeep.run("\(Self.lines[1]) --json", on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(Self.isSound(disk).status == .fine)
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    let messages = kept.commits.map(\.message)
    for number in [4, 5, 6, 13, 18, 24] {
      #expect(messages.contains("commit \(number)"), "\(number): \(messages)")
    }
    #expect(kept.states.last == truth.states.last)
    // What no lost commit has touched is as it was then, too.
    for (state, whole) in zip(kept.states, truth.states).prefix(3) {
      for number in UInt64(1)...6 { #expect(state[number] == whole[number], "\(number)") }
    }
    // What compaction has dropped is not lost now.
    #expect(!run.output.contains("commits 1 to 3"), "\(run.output)")
    #expect(run.output.contains(#""renumbered":[{"first":13,"last":24,"now":7}]"#), "\(run.output)")
  }

  @Test(arguments: [1, 2, 3])
  func `without a manifest the state that was kept is salvaged, too`(missing: Int) throws {
    let disk = try LongJournal.make(.late)
    let truth = try JournalTruth(on: disk)
    try Self.remove(missing...missing, on: disk)
    let other = disk.imageAfterProcessDeath()
    try disk.folder(at: Journals.path).remove("MANIFEST")
    let run = Upkeep.run(Self.lines[1], on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(Self.isSound(disk).status == .fine)
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.states.suffix(4) == truth.states.suffix(4), "\(run.errors)")
    // As with it.
    _ = Upkeep.run(Self.lines[1], on: other)
    #expect(try JournalTruth(of: "New.xjournal", on: other).states == kept.states)
  }

  @Test(arguments: lines)
  func `a tag that was taken away is not told as lost, nor set again`(line: String) throws {
    for checkpoint in [LongJournal.Checkpoint.none, .late] {
      let disk = try LongJournal.make(checkpoint)
      let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
      for name in ["gone", "there"] { try store.tag(name, 20) }
      try store.removeTag("gone")
      if checkpoint == .late { try store.checkpoint() }
      try store.close()
      try Self.remove(2...2, on: disk)
      let run = Upkeep.run(line, on: disk)
      try #require(run.status == .fine, "\(run)")
      #expect(!run.errors.contains("gone"), "\(run.errors)")
      let tags = try StoreReader(on: disk, at: "New.xjournal").tags
      #expect(tags["gone"] == nil)
      #expect((tags["there"] != nil) == line.contains("salvage"), "\(tags)")
    }
  }

  @Test(arguments: lines)
  func `frames that were durable and are gone are told`(line: String) throws {
    let gone = try LongJournal.make(.none)
    try Self.remove(4...5, on: gone)
    let cut = try LongJournal.make(.none)
    let path = "\(Journals.path)/journal/0000000005.xj"
    try cut.setContents(path, Array(try #require(cut.contents(of: path)).prefix(140)))
    for (disk, last) in [(gone, 18), (cut, 24)] {
      let run = Upkeep.run(line, on: disk)
      try #require(run.status == .fine, "\(run)")
      #expect(
        run.errors.firstMatch(
          of: /lost: frames? \d+( to \d+)?, with whatever was saved or tagged there/) != nil,
        "\(run.errors)")
      #expect(Self.isSound(disk).status == .fine)
      #expect(try StoreReader(on: disk, at: "New.xjournal").lastCommit.rawValue == UInt64(last))
    }
  }

  @Test func `frames of a segment that was begun meanwhile are not told as lost`() throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    nonisolated(unsafe) let context = ManagedObjectContext(store)
    // When the manifest has been read, and the edits have not.
    nonisolated(unsafe) var isBegun = false
    let beside = ReadingDisk(disk) { path, _ in
      guard path.hasSuffix("/edits"), !isBegun else { return nil }
      isBegun = true
      for _ in 0..<3 {
        guard (try? store.beginSegment()) != nil else { return .inputOutput }
        context.insert("Blog")["name"] = "meanwhile"
        guard (try? context.save()) != nil else { return .inputOutput }
      }
      return nil
    }
    let run = Run(
      "repair -s Notes.xjournal -o New.xjournal --json", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && isBegun, "\(run.errors)")
    #expect(run.output.contains("\"findings\":[],\"lost\":[]"), "\(run.output)")
    try store.close()
  }

  @Test func `a commit that is given what was lost before it is told`() throws {
    let disk = try LongJournal.make(.late)
    try Self.zero(332..<432, ofSegment: 1, on: disk)
    let run = Upkeep.run(Self.lines[1], on: disk)
    try #require(run.status == .fine, "\(run)")
    let loss = "commit 7: it has what was lost before it as well, under what it says of itself"
    #expect(run.errors.contains("lost: " + loss), "\(run.errors)")
    #expect(run.errors.split(separator: "as well").count == 2, "\(run.errors)")
    // Where nothing else is given to it, nothing is told.
    let other = try LongJournal.make(.late)
    try Self.remove(5...5, on: other)
    let quiet = Upkeep.run(Self.lines[1], on: other)
    #expect(quiet.status == .fine && !quiet.errors.contains("as well"), "\(quiet)")
  }

  @Test func `commits behind one whose time is lost keep theirs`() throws {
    let disk = try LongJournal.make(.late)
    let truth = try JournalTruth(on: disk)
    try Self.zero(218..<318, ofSegment: 4, on: disk)
    let run = Upkeep.run(Self.lines[1], on: disk)
    try #require(run.status == .fine, "\(run)")
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    // What can be read of it by itself says when and by whom it was made.
    #expect(kept.commits.suffix(5) == truth.commits.suffix(5), "\(run.errors)")
    let lost = try LongJournal.make(.late)
    try Self.remove(4...4, on: lost)
    let bare = Upkeep.run(Self.lines[1], on: lost)
    try #require(bare.status == .fine, "\(bare)")
    #expect(bare.errors.contains("and it has the time of the one before it"), "\(bare.errors)")
    let dates = try JournalTruth(of: "New.xjournal", on: lost).commits.map(\.date)
    #expect(dates.last == truth.commits[17].date, "\(dates)")
  }

  @Test(arguments: [false, true])
  func `a tag that was taken away behind damage is given up with --salvage alone`(
    isSalvaged: Bool
  ) throws {
    var disk = try LongJournal.make(.none)
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    try store.beginSegment()
    let context = ManagedObjectContext(store)
    context.insert("Blog")["name"] = "between"
    try context.save()
    try store.removeTag("middle")
    // What is given up behind the damage is no work that was lost.
    context.insert("Blog")["name"] = "given up"
    context.processPendingChanges()
    context.rollback()
    disk = disk.imageAfterProcessDeath()
    let last = try #require(
      try disk.folder(at: "\(Journals.path)/journal").names().max())
    let path = "\(Journals.path)/journal/\(last)"
    var bytes = try #require(disk.contents(of: path))
    let walk = try SegmentWalk(of: bytes)
    bytes[Int(walk.offsets[0]) + 60] ^= 4
    try disk.setContents(path, bytes)
    let run = Upkeep.run(Self.lines[isSalvaged ? 1 : 0], on: disk)
    #expect(run.status == .fine && Self.isSound(disk).status == .fine, "\(run)")
    let told = run.errors.contains("that the tag ‘middle’ was taken away, which --salvage does")
    #expect(told == !isSalvaged, "\(run)")
    let tags = try StoreReader(on: disk, at: "New.xjournal").tags.keys.sorted()
    #expect(tags == (isSalvaged ? ["end"] : ["end", "middle"]), "\(run)")
  }
}
