// Real processes that work with a whole store on a real disk, killed by signal 9.

import DiskAccess
import EventFold
import Foundation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct StoreKills {
  @Test func `a killed process loses no save that returned, and no edit that is not saved`() throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STOREKILLS", inGate: 200)
    var dice = Dice(seed: campaign.seed)
    let folder = try TemporaryFolder()
    let path = folder.path + "/Kills.xjournal"
    var left = LeftByKills()
    var openingTime = 0.0
    let tally = Tally()
    for kill in 1...campaign.count {
      // Every tenth life begins a new store, so that stores die young, too.
      if kill % 10 == 0 {
        try FileManager.default.removeItem(atPath: path)
        left = LeftByKills()
      }
      // Some die while they open the store; the others when they have said so many lines.
      let moment: Child.Moment =
        kill % 4 == 0
        ? .time(openingTime * Double.random(in: 0...1, using: &dice))
        : .lines(Int.random(in: 1...200, using: &dice))
      let child = try Child("store", path, "\(kill)")
      let lines = try child.linesUntilKilled(at: moment)
      openingTime = child.openingTime ?? openingTime
      if let fault = try left.fault(of: path, after: lines, in: kill, tally) {
        tally.violation("kill \(kill), told \(lines.suffix(3)): \(fault)")
        break
      }
    }
    print("seed \(campaign.seed): \(campaign.count) kills, \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["saves told"] > campaign.count)
    #expect(tally["drafts"] > campaign.count / 2)
    #expect(tally["checkpoints found"] > campaign.count / 2)
  }
}

/// What the lives of a store must have left.
private struct LeftByKills {
  /// The last save of each context of earlier lives.
  private var saves: [String: Int] = [:]

  /// Opens what a killed life left, and compares it with what the life said.
  mutating func fault(
    of path: String, after lines: [Substring], in life: Int, _ tally: Tally
  ) throws -> String? {
    let store = try JournaledStore(on: PosixDisk(), at: path, model: nil)
    defer { withExtendedLifetime(store) {} }
    if let finding = try store.verify(deep: true).first { return "verification: \(finding)" }
    let names = ["life \(life) one", "life \(life) two"]
    let pairs = try Self.pairs(of: store)
    for (name, count) in saves where pairs[name]?.save != count { return "\(name) is not there" }
    for name in names {
      let told = Told(lines, of: name)
      tally.count("saves told", told.save)
      tally.count("edits told", told.editCount)
      let pair = pairs[name]
      let save = pair?.save ?? 0
      guard pair?.isWhole ?? true else { return "only half of a save of \(name) is there" }
      // The save after the last that was told may have been made.
      guard save == told.save || save == told.save + 1 else {
        return "\(name) is at save \(save) of \(told.save)"
      }
      if let fault = try Self.fault(ofDraftOf: name, save, told, pair, store, tally) {
        return fault
      }
      if save > 0 { saves[name] = save }
    }
    guard pairs.count == saves.count else { return "there are \(pairs.count) pairs" }
    if let fault = try Self.fault(ofCommitsIn: store) { return fault }
    let snapshots = try FileManager.default.contentsOfDirectory(atPath: path + "/snapshots")
    if !snapshots.isEmpty { tally.count("checkpoints found") }
    for draft in store.unsavedDrafts { try store.discard(draft) }
    try store.close()
    return nil
  }

  private static func fault(
    ofDraftOf name: String, _ save: Int, _ told: Told, _ pair: SavedPair?, _ store: JournaledStore,
    _ tally: Tally
  ) throws -> String? {
    let draft = store.unsavedDrafts.first { $0.contextName == name }
    if let draft {
      tally.count("drafts")
      if let problem = draft.problem { return "the draft of \(name) has a problem: \(problem)" }
      if save > told.save { return "\(name) was saved, and is a draft" }
    }
    guard save == told.save, save > 0, let pair else { return nil }
    let played = PlayedPair(name, save)
    // Then all is given up, and the next save is in the making.
    if told.editCount == played.editCount { return nil }
    guard let draft else {
      let isClean = played.isClean(after: told.editCount)
      return isClean ? nil : "the draft of \(name) is not there"
    }
    let content = try store.resume(draft).content
    guard let text = store.existingKey(named: "text"), let rank = store.existingKey(named: "rank")
    else { return "no key is named" }
    let held = pair.objects.map { object in
      let row = content.objects[object].map(\.row) ?? pair.rows[object]
      return PlayedPair.Note(row, text, rank)
    }
    if held.contains(where: { $0?.text == "\(name) \(save + 1)" }) { return nil }
    return played.mayHold(held, after: told.editCount)
      ? nil : "the draft of \(name) holds \(held), and \(told.editCount) edits were told"
  }

  /// The commits of a context are its saves, one after the other.
  private static func fault(ofCommitsIn store: JournaledStore) throws -> String? {
    var last: [String: Int] = [:]
    let first = store.firstKeptCommit
    for commit in try store.commits(since: CommitNumber(rawValue: first.rawValue - 1)) {
      guard let name = commit.contextName, commit.changes.count == 2,
        let save = commit.changes[0].values["rank"]?.new?.integer
      else { return "commit \(commit.number) is not what was saved" }
      if let before = last[name], save != before + 1 {
        return "save \(save) of \(name) comes after \(before)"
      }
      last[name] = save
    }
    return nil
  }

  private struct SavedPair {
    var save = 0
    var texts: [String] = []
    var rows: [ObjectID: Row] = [:]
    /// The one with the rank was made first.
    var objects: [ObjectID] { rows.keys.sorted() }
    var isWhole: Bool { texts.count == 2 && texts[0] == texts[1] }
  }

  /// The pairs of all lives, by the names of their contexts.
  private static func pairs(of store: JournaledStore) throws -> [String: SavedPair] {
    var pairs: [String: SavedPair] = [:]
    guard let text = store.existingKey(named: "text"), let rank = store.existingKey(named: "rank")
    else { return [:] }
    for (object, row) in try store.head.plain() {
      let words = (row[text]?.string ?? "").split(separator: " ")
      let name = words.prefix(3).joined(separator: " ")
      pairs[name, default: SavedPair()].texts.append(row[text]?.string ?? "")
      pairs[name]?.rows[object] = row
      if let save = row[rank]?.integer { pairs[name]?.save = save }
    }
    return pairs
  }
}

/// What a context was told of: its last save, and how many edits since.
private struct Told {
  private(set) var save = 0
  private(set) var editCount = 0

  init(_ lines: [Substring], of name: String) {
    for line in lines where line.dropFirst(2).hasPrefix(name + " ") {
      let numbers = line.dropFirst(2 + name.count).split(separator: " ").compactMap { Int($0) }
      if line.hasPrefix("s") {
        (save, editCount) = (numbers[0], 0)
      } else if numbers.count == 2 {
        editCount = numbers[1]
      }
    }
  }
}

/// What a pair is after each edit that follows a save, as the child plays them.
private struct PlayedPair {
  struct Note: Equatable {
    var text: String?
    var rank: Int?

    init(_ text: String, rank: Int? = nil) { (self.text, self.rank) = (text, rank) }

    init?(_ row: Row?, _ text: KeyNumber, _ rank: KeyNumber) {
      guard let row else { return nil }
      (self.text, self.rank) = (row[text]?.string, row[rank]?.integer)
    }
  }

  /// How many edits follow the save.
  let editCount: Int
  private let saved: [Note?]
  /// The pair after each thing that is recorded, with how many edits were whole then.
  private var moments: [(pair: [Note?], edits: Int)] = []

  init(_ name: String, _ save: Int) {
    editCount = save % 4 + 1
    func pair(_ save: Int) -> [Note?] {
      save == 0 ? [nil, nil] : [Note("\(name) \(save)", rank: save), Note("\(name) \(save)")]
    }
    saved = pair(save)
    var now = saved
    var (undo, redo) = ([pair(save - 1)], [[Note?]]())
    moments = [(now, 0)]
    for edit in 1...editCount {
      func step(_ change: (inout [Note?]) -> Void) {
        undo.append(now)
        redo = []
        change(&now)
      }
      switch (save + edit) % 6 {
      case 1:
        if let before = undo.popLast() { (redo, now) = (redo + [now], before) }
      case 2:
        if let after = redo.popLast() { (undo, now) = (undo + [now], after) }
      case 3: if now[1] != nil { step { $0[1] = nil } }
      case 4: break
      default:
        guard now[0] != nil else { break }
        step { $0[0]?.text = "\(name) \(save) edit \(edit)" }
        moments.append((now, edit - 1))
        now[0]?.rank = nil
      }
      moments.append((now, edit))
    }
  }

  func mayHold(_ pair: [Note?], after edits: Int) -> Bool {
    moments.contains { $0.edits >= edits && $0.pair == pair }
  }

  /// Whether there may be nothing to save.
  func isClean(after edits: Int) -> Bool { mayHold(saved, after: edits) }
}
