import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// Whatever is damaged, a sound journal is made of what is sound of it, and the damaged one stays as it is.
@Suite struct RepairTests {
  /// What is damaged.
  enum Damage: String, CaseIterable {
    case frame, lastFrame, segmentMissing, firstSegmentMissing, header, allHeaders, footer, run
    case checkpoint, manifest, manifestMissing, manifestAndSegment, twoFrames, cutSegment, tail
    case cutTail, edits, allSegmentsMissing
  }

  /// What leaves all commits where they are.
  private static let losesNoCommit: Set<Damage> = [
    .run, .checkpoint, .manifest, .manifestMissing, .header, .allHeaders, .edits, .footer,
  ]

  private static let segment = "\(Journals.path)/journal/0000000002.xj"

  @Test(arguments: Damage.allCases, LongJournal.Checkpoint.allCases)
  func `everything before the damage is kept, and what is sound behind it on demand`(
    damage: Damage, checkpoint: LongJournal.Checkpoint
  ) throws {
    let disk = try LongJournal.make(checkpoint)
    let truth = try JournalTruth(on: disk)
    try Self.damage(disk, damage)
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let plain = Upkeep.run("repair -s Notes.xjournal -o Repaired.xjournal --json", on: disk)
    let salvaging = "repair -s Notes.xjournal --salvage -o Salvaged.xjournal --json"
    let salvaged = Upkeep.run(salvaging, on: disk)
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
    if [.firstSegmentMissing, .allSegmentsMissing].contains(damage), checkpoint == .none {
      #expect(plain.status == .damage)
      #expect(plain.errors.contains("cannot be repaired"), "\(plain.errors)")
      // What follows is made again where something is there.
      #expect(salvaged.status == (damage == .firstSegmentMissing ? .fine : .damage), "\(salvaged)")
      let made = damage == .firstSegmentMissing ? ["Salvaged.xjournal"] : []
      #expect(
        Set(disk.paths.compactMap { $0.split(separator: "/").first.map(String.init) })
          .subtracting([Journals.path]) == Set(made))
      return
    }
    try #require(plain.status == .fine, "\(plain.errors)")
    try #require(salvaged.status == .fine, "\(salvaged.errors)")
    for name in ["Repaired.xjournal", "Salvaged.xjournal"] {
      let verified = Upkeep.run("verify --deep -s \(name)", on: disk)
      #expect(verified.status == .fine, "\(name): \(verified.output)\(verified.errors)")
    }
    if damage == .firstSegmentMissing || damage == .allSegmentsMissing {
      return try expectState(of: truth, on: disk, damage, checkpoint, plain.output)
    }
    let kept = try JournalTruth(of: "Repaired.xjournal", on: disk)
    #expect(kept.commits[...] == truth.commits.prefix(kept.commits.count))
    #expect(kept.states[...] == truth.states.prefix(kept.states.count))
    if Self.losesNoCommit.contains(damage) {
      #expect(kept.commits.count == LongJournal.commitCount)
      let drafts = Upkeep.run("drafts -s Repaired.xjournal", on: disk).output
      #expect(drafts.contains("writer") == (damage != .edits))
    } else {
      #expect(kept.commits.count >= 6, "\(kept.commits.count)")
    }
    try expectSalvaged(truth, kept, salvaged.output, damage, on: disk)
  }

  /// What was salvaged begins with what was kept, and has every commit behind it that is not told to be lost.
  private func expectSalvaged(
    _ truth: JournalTruth, _ kept: JournalTruth, _ output: String, _ damage: Damage,
    on disk: SimulatedDisk
  ) throws {
    let salvaged = try JournalTruth(of: "Salvaged.xjournal", on: disk)
    let document = try #require(try JSONValue(parsing: Array(output.utf8)).object)
    #expect(document["kind"] == "repair")
    let count = kept.commits.count
    #expect(salvaged.commits.prefix(count) == kept.commits[...])
    #expect(salvaged.states.prefix(count) == kept.states[...])
    // The rest comes in its order, with all it said of itself.
    var rest = truth.commits.dropFirst(count)[...]
    for commit in salvaged.commits.dropFirst(count) {
      while let next = rest.first, next != commit { rest = rest.dropFirst() }
      #expect(rest.first == commit, "\(commit)")
    }
    let lost = truth.commits.filter { !salvaged.commits.contains($0) }
    let most = damage == .segmentMissing || damage == .manifestAndSegment ? 7 : 4
    #expect(lost.count <= most, "\(lost.compactMap(\.message))")
    if !lost.isEmpty { #expect(document["lost"]?.array?.isEmpty == false) }
    // Each blog is called what the last commit that changed it and is there has called it.
    let final = try #require(salvaged.states.last)
    let isThere = Set(salvaged.commits.compactMap(\.message))
    for number in 1...LongJournal.commitCount
    where isThere.contains("commit \(number)")
      && (number == LongJournal.commitCount || isThere.contains("commit \(number + 1)"))
    {
      #expect(final[UInt64(number)] == truth.states.last?[UInt64(number)], "blog \(number)")
    }
    if isThere.contains("commit 12") {
      let tags = try StoreReader(on: disk, at: "Salvaged.xjournal").tags
      #expect(tags["middle"] != nil)
    }
  }

  /// Of a journal without a beginning the state is there that was kept, and what came then as far as it is wanted.
  private func expectState(
    of truth: JournalTruth, on disk: SimulatedDisk, _ damage: Damage,
    _ checkpoint: LongJournal.Checkpoint, _ output: String
  ) throws {
    let isLate = checkpoint == .late
    let kept = isLate ? (damage == .firstSegmentMissing ? 24 : 20) : 5
    let last = [
      "Repaired.xjournal": kept,
      // Of the missing segment, the sixth commit is lost.
      "Salvaged.xjournal": damage == .firstSegmentMissing && !isLate ? 23 : kept,
    ]
    for (name, number) in last {
      let store = try StoreReader(on: disk, at: name)
      #expect(store.lastCommit.rawValue == UInt64(number), "\(name)")
    }
    let repaired = Upkeep.run("query Blog --count -s Repaired.xjournal", on: disk).output
    #expect(repaired == "\(truth.states[kept - 1].count)\n")
    #expect(output.contains("but for the state it left"), "\(output)")
    // The sixth blog is there with what the seventh commit has changed of it.
    let salvaged = Upkeep.run("query Blog --count -s Salvaged.xjournal", on: disk).output
    let isSalvaged = last["Salvaged.xjournal"] != kept
    #expect(salvaged == "\(truth.states[isSalvaged ? 23 : kept - 1].count)\n")
  }

  private static func damage(_ disk: SimulatedDisk, _ damage: Damage) throws {
    switch damage {
    case .frame: try flip(segment, 0.5, on: disk)
    case .lastFrame: try flip(lastSegment, 0.5, on: disk)
    case .twoFrames:
      try flip(segment, 0.4, on: disk)
      try flip("\(Journals.path)/journal/0000000003.xj", 0.6, on: disk)
    case .segmentMissing: try remove("0000000002.xj", in: "journal", on: disk)
    case .firstSegmentMissing: try remove("0000000001.xj", in: "journal", on: disk)
    case .header: try flip(segment, 0, on: disk)
    case .allHeaders:
      for path in disk.paths where path.hasSuffix(".xj") { try flip(path, 0, on: disk) }
    case .cutSegment: try cut(segment, on: disk)
    case .tail: try flip(lastSegment, 1, on: disk)
    case .cutTail: try cut(lastSegment, on: disk)
    case .edits: try flip("\(Journals.path)/edits", 0, on: disk)
    case .allSegmentsMissing:
      for number in 1...5 { try remove("000000000\(number).xj", in: "journal", on: disk) }
    case .footer: try flip(segment, 1, on: disk)
    case .run: try flip(ending: ".xr", on: disk)
    case .checkpoint: try flip(ending: ".xc", on: disk)
    case .manifest: try flip("\(Journals.path)/MANIFEST", 0.5, on: disk)
    case .manifestMissing: try disk.folder(at: Journals.path).remove("MANIFEST")
    case .manifestAndSegment:
      try flip("\(Journals.path)/MANIFEST", 0.5, on: disk)
      try remove("0000000002.xj", in: "journal", on: disk)
    }
  }

  private static let lastSegment = "\(Journals.path)/journal/0000000004.xj"

  /// Leaves half of what is written in a file.
  private static func cut(_ path: String, on disk: SimulatedDisk) throws {
    let bytes = try #require(disk.contents(of: path), "\(path)")
    let last = try #require(bytes.lastIndex { $0 != 0 })
    try disk.setContents(path, Array(bytes.prefix(last / 2)))
  }

  /// Changes a byte of a file, at a part of its content.
  private static func flip(_ path: String, _ part: Double, on disk: SimulatedDisk) throws {
    var bytes = try #require(disk.contents(of: path), "\(path)")
    let last = try #require(bytes.lastIndex { $0 != 0 })
    bytes[min(last, Int(Double(last) * part) + 2)] ^= 0x55
    try disk.setContents(path, bytes)
  }

  /// Changes a byte of every file of a kind, where there are any.
  private static func flip(ending: String, on disk: SimulatedDisk) throws {
    for path in disk.paths where path.hasSuffix(ending) { try flip(path, 0.5, on: disk) }
  }

  private static func remove(_ name: String, in folder: String, on disk: SimulatedDisk) throws {
    try disk.folder(at: "\(Journals.path)/\(folder)").remove(name)
  }

  @Test
  func `a journal whose past was dropped keeps its state where that was kept behind the damage`()
    throws
  {
    let disk = try LongJournal.make(.late, compacted: true)
    let count = Upkeep.run("query Blog --count", on: disk).output
    try Self.flip(Self.segment, 0.5, on: disk)
    let run = Upkeep.run("repair -o Repaired.xjournal", on: disk)
    #expect(run.status == .fine, "\(run.errors)")
    #expect(run.errors.contains("but for the state it left"))
    #expect(Upkeep.run("verify --deep -s Repaired.xjournal", on: disk).status == .fine)
    #expect(Upkeep.run("query Blog --count -s Repaired.xjournal", on: disk).output == count)
  }

  @Test func `what is sound is taken over as it is, and what is no journal is told`() throws {
    let disk = try Journals.killed()
    let run = Upkeep.run("repair -o Repaired.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run.errors)")
    for line in ["log -p", "drafts show"] {
      #expect(
        Upkeep.run("\(line) -s Repaired.xjournal", on: disk).output
          == Upkeep.run("\(line) -s Notes.xjournal", on: disk).output)
    }
    // Contexts that a killed program has left are ended in the new one.
    let events = Upkeep.run("events -n 1000 -s Notes.xjournal", on: disk).output
    #expect(
      Upkeep.run("events -n 1000 -s Repaired.xjournal", on: disk).output.hasPrefix(events))
    #expect(Upkeep.run("repair -s None -o A.xjournal", on: disk).status == .noJournal)
    #expect(
      Upkeep.run("repair -s Notes.xjournal -o Repaired.xjournal", on: disk).status == .cannotCreate)
    #expect(
      Upkeep.run("repair -s Notes.xjournal -o A.xjournal", on: try Journals.newer()).status
        == .newerFormat)
  }

  @Test(arguments: ["repair -o R.xjournal", "repair --salvage -o R.xjournal"])
  func `a commit of which only its tags still tell is told to be lost`(line: String) throws {
    let disk = SimulatedDisk(seed: 3)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Note", attributes: [AttributeDescription("text", .string)])
      ]))
    let context = ManagedObjectContext(store, isolation: nil)
    for number in 1...3 {
      context.insert("Note").setValue("note", forKey: "text")
      try context.save(message: "commit \(number)")
    }
    let segment = "\(Journals.path)/journal/0000000001.xj"
    let end = try #require(disk.contents(of: segment)?.lastIndex { $0 != 0 })
    for name in ["one", "two"] { try store.tag(name, 3) }
    context.close()
    try store.close()
    var bytes = try #require(disk.contents(of: segment))
    bytes[end - 8] ^= 0x10
    try disk.setContents(segment, bytes)
    let run = Upkeep.run(line + " --json", on: disk)
    #expect(run.status == .fine)
    let document = try JSONValue(parsing: Array(run.output.utf8)).object
    #expect(document?["lastCommit"] == 2)
    let lost = (document?["lost"]?.array ?? []).compactMap(\.string)
    #expect(lost.contains { $0.hasPrefix("commit 3") }, "\(lost)")
    for name in ["one", "two"] { #expect(lost.contains { $0.contains("‘\(name)’") }, "\(lost)") }
  }
}

extension RepairTests {
  @Test func `commits before the first state that was kept are made again by the model it knows`()
    throws
  {
    let disk = try LongJournal.make(.late)
    let truth = try JournalTruth(on: disk)
    let name = "\(Journals.path)/journal/0000000001.xj"
    var bytes = try #require(disk.contents(of: name))
    // The first frame, in which the model and the first commits are.
    bytes[200] ^= 0x55
    try disk.setContents(name, bytes)
    let run = Upkeep.run("repair --salvage -o Salvaged.xjournal", on: disk)
    #expect(run.status == .fine && !run.errors.contains("not known any more"), "\(run.errors)")
    let salvaged = try JournalTruth(of: "Salvaged.xjournal", on: disk)
    let lost = truth.commits.count - salvaged.commits.count
    #expect(lost < 3, "\(lost): \(run.errors)")
    #expect(salvaged.states.last == truth.states.last)
    for commit in salvaged.commits { #expect(truth.commits.contains(commit), "\(commit)") }
    #expect(Upkeep.run("verify --deep -s Salvaged.xjournal", on: disk).status == .fine)
  }

  @Test func `what a commit says of itself and tags that are gone are told to be lost`() throws {
    let disk = try LongJournal.make(.late)
    try disk.folder(at: "\(Journals.path)/journal").remove("0000000002.xj")
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o Salvaged.xjournal", on: disk)
    #expect(
      run.errors.contains("the outcome is in commit 13, under what that says of itself"),
      "\(run.errors)")
    #expect(run.errors.contains("the tag ‘middle’, as its commit is lost"), "\(run.errors)")
    let first = try LongJournal.make(.late)
    try first.folder(at: "\(Journals.path)/journal").remove("0000000001.xj")
    try first.folder(at: "\(Journals.path)/journal").remove("0000000003.xj")
    let plain = Upkeep.run("repair -o R.xjournal -s Notes.xjournal", on: first)
    #expect(
      plain.errors.contains("the state that the tag ‘middle’ stands for"), "\(plain.errors)")
  }

  @Test func `beside a program that writes, nothing is told as lost that is not`() throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    nonisolated(unsafe) let context = ManagedObjectContext(store)
    // Saves whenever a segment has been looked at, so that what is unsaved stands ever further on.
    let beside = ReadingDisk(disk) { path, _ in
      guard path.hasSuffix(".xj") else { return nil }
      for _ in 0..<3 {
        context.insert("Blog")["name"] = "meanwhile"
        guard (try? context.save()) != nil else { return .inputOutput }
      }
      context.insert("Blog")["name"] = "unsaved"
      context.processPendingChanges()
      return nil
    }
    let run = Run(
      "repair -s Notes.xjournal -o New.xjournal --json", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .fine, "\(run.errors)")
    #expect(run.output.contains("\"findings\":[],\"lost\":[]"), "\(run.output)")
    try store.close()
  }
}
