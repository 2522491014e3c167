// What happened to objects is told as it happened.

import DiskAccess
import DiskSimulation
import FoundationEssentials
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct HistoryTests {
  private static func life(_ seed: UInt64) throws -> StoreLife {
    var life = try StoreLife(seed: seed)
    for step in 0..<40 {
      // By so much that the moments are no round numbers; some saves are of one moment.
      if step % 3 > 0 { life.disk.advanceClock(by: 1_234_567) }
      try life.save()
      if step % 9 == 3 { try life.roll() }
      if step == 20 { try life.reopen() }
    }
    return life
  }

  @Test func `S73: every commit says what it changed, with old and new values`() throws {
    let life = try Self.life(7)
    let commits = try life.store.commits(since: 0)
    #expect(commits.map(\.number.rawValue) == Array(1..<UInt64(life.states.count)))
    #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.date <= $1.date })
    for commit in commits {
      let number = Int(commit.number.rawValue)
      let (before, after) = (life.states[number - 1], life.states[number])
      let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      #expect(commit.changes.map(\.objectID) == changed.sorted(), "commit \(number)")
      for change in commit.changes {
        let (old, new) = (before[change.objectID], after[change.objectID])
        let kind: Commit.Kind = old == nil ? .inserted : new == nil ? .deleted : .updated
        #expect(change.kind == kind)
        let entity = change.objectID.entity.rawValue == 0 ? "Note" : "Folder"
        #expect(change.entityName == entity)
        #expect(change.values == values(old, new, life.store), "commit \(number)")
      }
      #expect(try life.store.commit(commit.number) == commit)
      #expect(try life.store.commits(since: commit.number).count == commits.count - number)
    }
    try life.store.close()
  }

  @Test(arguments: [false, true])
  func `a tag that a full disk refuses is not there, nor does it come to be later`(
    isRemoval: Bool
  ) throws {
    var life = try Self.life(3)
    try life.store.tag("v1", 1)
    let tags = life.store.tags
    life.disk.faults = [
      SimulatedFault(.failure(.noSpace), calls: [.write, .append, .allocate], isLasting: true)
    ]
    for name in ["v1", "v2"] where name == "v1" || !isRemoval {
      let error = #expect(throws: StoreError.self) {
        if isRemoval { try life.store.removeTag(name) } else { try life.store.tag(name, 2) }
      }
      #expect(error?.code == .disk, "\(String(describing: error))")
      #expect(life.store.tags == tags)
    }
    life.disk.faults = []
    try life.save()
    #expect(life.store.tags == tags)
    try life.reopen()
    #expect(life.store.tags == tags)
    try life.store.close()
  }

  @Test func `S64: a commit has its author, its message, and what the program added`() throws {
    let disk = SimulatedDisk(seed: 16)
    func open() throws -> JournaledStore {
      try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    }
    let store = try open()
    let context = try store.beginContext(name: "editor", on: .none)
    let note = try store.newObject(of: EntityNumber(rawValue: 0))
    let title = try store.key(named: "title")
    var request = CommitRequest([.init(note, base: .none, nil, to: Row([title: "one"]))])
    request.author = "ann"
    request.message = "first post"
    request.userInfo = ["ticket": 12, "tags": ["a", "b"]]
    _ = try store.commit(request, by: context)
    let plain = CommitRequest([
      .init(note, base: 1, Row([title: "one"]), to: Row([title: "two"]))
    ])
    _ = try store.commit(plain, by: context)
    func expect(_ store: ReadableStore) throws {
      let commits = try store.commits(since: .none)
      #expect(commits.map(\.author) == ["ann", nil])
      #expect(commits.map(\.message) == ["first post", nil])
      #expect(commits.map(\.userInfo) == [["ticket": 12, "tags": ["a", "b"]], [:]])
      #expect(commits.map(\.contextName) == ["editor", "editor"])
      let past = try store.history(of: note, key: "title")
      #expect(past.map(\.author) == ["ann", nil] && past.map(\.message) == ["first post", nil])
    }
    try expect(store)
    try store.close()
    let again = try open()
    try expect(again)
    try again.close()
  }

  @Test func `S73: commits are told the same, however few rows are held meanwhile`() throws {
    let life = try Self.life(12)
    for bound in [0, 600, 3_000, 1 << 20] {
      var rows = RowsInPassing(largestByteCount: bound)
      var (told, most) = (0, 0)
      for number in 1..<life.states.count {
        let content = try life.store.content(of: CommitNumber(rawValue: UInt64(number)))
        for change in content.changes {
          let (before, after) = try rows.pass(change, content.number, of: life.store)
          most = max(most, rows.byteCount)
          guard before != nil || after != nil else { continue }
          told += 1
          #expect(before == life.states[number - 1][change.object], "commit \(number)")
          #expect(after == life.states[number][change.object], "commit \(number)")
        }
      }
      #expect(told > 10)
      // The row of the last commit is held in any case.
      #expect(most <= bound + 400, "\(most) bytes")
    }
    try life.store.close()
  }

  private func values(
    _ old: Row?, _ new: Row?, _ store: JournaledStore
  ) -> [String: Commit.ChangedValue] {
    var values: [String: Commit.ChangedValue] = [:]
    for key in Set(((old?.entries ?? []) + (new?.entries ?? [])).map(\.key))
    where old?[key] != new?[key] {
      values[store.name(of: key) ?? ""] = .init(old: old?[key], new: new?[key])
    }
    return values
  }

  @Test func `S72: the history of a key has every value it had, and blame the last`() throws {
    let life = try Self.life(8)
    var valueCount = 0
    for object in Set(life.states.flatMap(\.keys)) {
      let history = try life.store.history(of: object)
      #expect(zip(history, history.dropFirst()).allSatisfy { $0.commit <= $1.commit })
      for name in ["title", "text", "likes", "rank", "mood", "name"] {
        guard let key = life.store.existingKey(named: name) else { continue }
        let expected = (1..<life.states.count).compactMap { number -> [Value?]? in
          let (old, new) = (
            life.states[number - 1][object]?[key], life.states[number][object]?[key]
          )
          return old == new ? nil : [.integer(number), old, new]
        }
        let told = try life.store.history(of: object, key: name)
        #expect(told.map { [.integer(Int($0.commit.rawValue)), $0.old, $0.new] } == expected)
        #expect(told == history.filter { $0.key == name })
        valueCount += told.count
        guard let row = life.state[object] else { continue }
        #expect(try life.store.blame(object)[name] == (row[key] == nil ? nil : told.last))
      }
      if life.state[object] == nil {
        #expect(throws: StoreError.self) { try life.store.blame(object) }
      }
    }
    #expect(valueCount > 100)
    try life.store.close()
  }

  @Test func `S71: the commit at a moment is the last one not after it`() throws {
    let life = try Self.life(9)
    let commits = try life.store.commits(since: 0)
    #expect(Set(commits.map(\.date)).count > 10)
    for date in commits.flatMap({ [$0.date.addingTimeInterval(-0.0005), $0.date] }) {
      let latest = commits.last { $0.date <= date }
      #expect(try life.store.commit(at: date) == latest?.number ?? .none, "\(date)")
    }
    #expect(try life.store.commit(at: .distantPast) == .none)
    #expect(try life.store.commit(at: .distantFuture) == commits.last?.number)
    try life.store.close()
  }

  @Test func `S71: a moment that compaction has dropped is refused, and not answered wrongly`()
    throws
  {
    let disk = SimulatedDisk(seed: 9)
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    var program = try NoteProgram(store)
    for _ in 0..<6 {
      disk.advanceClock(by: 1_000_000_000)
      try program.save()
      try store.beginSegment()
    }
    let dates = try store.commits(since: 0).map(\.date)
    #expect(try store.commit(at: dates[1]) >= 2)
    try store.compact(keeping: .commits(since: 5))
    #expect(store.firstKeptCommit == 5)
    #expect(try store.commit(at: dates[5]) == 6)
    try #require(dates[1] < dates[4])
    let error = #expect(throws: StoreError.self) { try store.commit(at: dates[1]) }
    #expect(error?.code == .commitMissing)
    try store.close()
  }

  @Test func `S71: a tag stands for its commit until it is given away, also after opening again`()
    throws
  {
    var life = try Self.life(10)
    try life.store.tag("v1", 3)
    try life.store.tag("v2")
    try life.reopen()
    #expect(try life.store.commit(tagged: "v1") == 3)
    #expect(try life.store.commit(tagged: "v2") == life.store.lastCommit)
    try life.store.tag("v1", 4)
    try life.store.removeTag("v2")
    try life.reopen()
    #expect(life.store.tags == ["v1": 4])
    #expect(throws: StoreError.self) { try life.store.commit(tagged: "v2") }
    #expect(throws: StoreError.self) { try life.store.removeTag("v2") }
    #expect(throws: StoreError.self) { try life.store.tag("v3", 1_000) }
    let longest = String(repeating: "v", count: JournaledStore.largestTagByteCount)
    for name in ["", longest + "w"] {
      #expect(throws: StoreError.self) { try life.store.tag(name) }
    }
    #expect(life.store.tags == ["v1": 4])
    try life.store.tag(longest)
    #expect(life.store.tags.count == 2)
    try life.store.close()
  }

  @Test func `no number is given twice, whatever checkpoints and ends of the process come between`()
    throws
  {
    var given: Set<ObjectID> = []
    let disk = SimulatedDisk(seed: 4)
    var image = disk
    for round in 0..<12 {
      let store = try JournaledStore(
        on: image, at: "Life.xjournal", model: try StoreLife.model(), options: .small)
      let context = try store.beginContext(name: "", on: store.head.number)
      for place in 0..<5 {
        let object = try store.newObject(of: EntityNumber(rawValue: 0))
        #expect(given.insert(object).inserted, "\(object) in round \(round)")
        _ = try store.commit(
          CommitRequest([.init(object, base: .none, nil, to: Row())]), by: context)
        if place == round % 5 { try store.checkpoint() }
      }
      if round % 3 == 0 {
        try store.close()
      } else {
        image = image.imageAfterProcessDeath()
      }
    }
  }

  @Test func `S71: what compaction has dropped is given no tag, and keeps those it has`() throws {
    var life = try Self.life(13)
    try life.store.tag("early", 2)
    try life.endContexts()
    try life.store.compact(keeping: .latest)
    let kept = life.store.firstKeptCommit
    #expect(kept > 3)
    let error = #expect(throws: StoreError.self) {
      try life.store.tag("late", kept.previous.previous)
    }
    #expect(error?.code == .commitMissing)
    try life.store.tag("first", kept.previous)
    #expect(life.store.tags == ["early": 2, "first": kept.previous])
    try life.store.close()
  }

  @Test func `what never was cannot be asked for`() throws {
    let life = try Self.life(11)
    let last = life.store.lastCommit
    for number in [CommitNumber.none, last.next] {
      let error = #expect(throws: StoreError.self) { try life.store.commit(number) }
      #expect(error?.code == .commitMissing)
    }
    #expect(throws: StoreError.self) { try life.store.snapshot(at: last.next) }
    #expect(try life.store.commits(since: last).isEmpty)
    // Whoever remembers more than there is was with another store, or with this one before it was brought back.
    for number in [last.next, CommitNumber(rawValue: .max)] {
      let error = #expect(throws: StoreError.self) { try life.store.commits(since: number) }
      #expect(error?.code == .commitMissing)
    }
    let object = try life.store.newObject(of: EntityNumber(rawValue: 0))
    let error = #expect(throws: StoreError.self) { try life.store.history(of: object) }
    #expect(error?.code == .objectMissing)
    let foreign = ObjectID(rawValue: object.rawValue, store: StoreTag(rawValue: 1))
    let other = #expect(throws: StoreError.self) { try life.store.history(of: foreign) }
    #expect(other?.code == .objectOfAnotherStore)
    try life.store.close()
  }

  @Test func `S73: reading commits ends where whoever reads them has seen enough`() throws {
    let life = try Self.life(14)
    life.disk.isTracing = true
    func readings(_ count: Int) throws -> Int {
      let before = life.disk.trace.count
      var seen = 0
      try life.store.forEachCommit(since: 3) { _ in
        seen += 1
        return seen < count
      }
      #expect(seen == count)
      return life.disk.trace.count - before
    }
    _ = try readings(1)
    let all = Int(life.store.lastCommit.rawValue) - 3
    #expect(try readings(1) < readings(all))
    try life.store.close()
  }
}
