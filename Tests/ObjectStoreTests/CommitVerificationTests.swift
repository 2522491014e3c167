// Commits are what the edits of their contexts add up to, and one that is not is found.

import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct CommitVerificationTests {
  private let disk = SimulatedDisk(seed: 21)

  private func open() throws -> JournaledStore {
    try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
  }

  @Test func `S75: commits of random histories of every operation are what their edits add up to`()
    throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_EDITINGS", inGate: 30)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in try follow(seed, tally) }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    for name in [
      "compared", "direct", "rivals", "conflict", "undo", "redo", "child", "resume", "splice",
    ] {
      #expect(tally[name] > campaign.count / 3, "\(name)")
    }
    for name in ["draft", "uncompared"] { #expect(tally[name] > 0, "\(name)") }
  }

  private func follow(_ seed: UInt64, _ tally: Tally) throws {
    var life = try EditingLife(seed: seed)
    var dice = Dice(seed: seed)
    func verify() throws {
      let verification = try life.store.verification()
      for finding in verification.findings { tally.violation("seed \(seed): \(finding)") }
      tally.count("compared", verification.comparedCommitCount)
      tally.count("direct", verification.directCommitCount)
      tally.count("uncompared", verification.uncomparedCommitCount)
    }
    func work() throws {
      for _ in 0..<100 {
        try life.move()
        if dice.pick(25) == 0 { try life.keepHouse() }
      }
    }
    try work()
    try verify()
    if dice.pick(2) == 0 {
      try life.reopen(crashing: dice.pick(2) == 0, isNewer: true)
      try work()
      try verify()
    }
    let last = life.store.lastCommit.rawValue
    let first = CommitNumber(rawValue: UInt64(dice.pick(Int(last) + 1)))
    try life.store.compact(keeping: .commits(since: first))
    try verify()
    try work()
    try verify()
    try life.store.close()
    for (name, count) in life.counts { tally.count(name, count) }
  }

  /// What a commit may say beside what its edits add up to.
  private enum Forgery: CaseIterable {
    case none, anotherValue, oneValueMore, oneValueLess, anotherObject, oneObjectMore, oneObjectLess
    case deletion, noDeletion
  }

  /// Commits something, of which one commit is not what the edits say; and what must be found then.
  private func forge(_ forgery: Forgery, _ store: JournaledStore) throws -> [String] {
    let (title, rank) = (try store.key(named: "title"), try store.key(named: "rank"))
    let objects = try (0..<4).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    let old = Row([title: "old", rank: 1])
    let first = try store.beginContext(name: "first", on: store.lastCommit)
    for object in objects.dropLast() {
      try store.record(.inserted(object), by: first)
      try store.record(.set(object, title, "old"), by: first)
      try store.record(.set(object, rank, 1), by: first)
    }
    let base = try store.commit(
      CommitRequest(objects.dropLast().map { .init($0, base: .none, nil, to: old) }), by: first)
    let number = try #require(base).number
    let editor = try store.beginContext(name: "editor", on: number)
    try store.record(.set(objects[0], title, "new"), by: editor)
    try store.record(.set(objects[0], rank, 2), by: editor)
    try store.record(.deleted(objects[1]), by: editor)
    var rows: [ObjectID: Row?] = [objects[0]: Row([title: "new", rank: 2]), objects[1]: Row?.none]
    let one = "of \(objects[0])"
    var expected: [String] = []
    switch forgery {
    case .none: break
    case .anotherValue:
      rows[objects[0]] = Row([title: "forged", rank: 2])
      expected = ["“title” \(one) is \"new\" by the edits, and \"forged\" by the commit"]
    case .oneValueMore:
      rows[objects[0]] = Row([title: "new", rank: 2, try store.key(named: "text"): "more"])
      expected = ["“text” \(one) is null by the edits, and \"more\" by the commit"]
    case .oneValueLess:
      rows[objects[0]] = Row([title: "new", rank: 1])
      expected = ["“rank” \(one) is 2 by the edits, and 1 by the commit"]
    case .anotherObject:
      rows[objects[0]] = nil
      rows[objects[2]] = Row([title: "new", rank: 2])
      expected = ["“title” \(one) is \"new\" by the edits, and \"old\" by the commit", "3 more"]
    case .oneObjectMore:
      rows[objects[3]] = Row()
      expected = [
        "by the edits \(objects[3]) is not there, and by the commit it is there"
      ]
    case .oneObjectLess:
      rows[objects[0]] = nil
      expected = ["“title” \(one) is \"new\" by the edits, and \"old\" by the commit", "1 more"]
    case .deletion:
      rows[objects[2]] = .some(nil)
      expected = ["by the edits \(objects[2]) is there, and by the commit it is not there"]
    case .noDeletion:
      rows[objects[1]] = nil
      expected = ["by the edits \(objects[1]) is not there, and by the commit it is there"]
    }
    let changes = rows.map { object, row in
      CommitRequest.Object(
        object, base: number, object == objects[3] ? Row?.none : Row?.some(old), to: row)
    }
    let forged = try #require(try store.commit(CommitRequest(changes), by: editor))
    if forgery != .none { expected.append("commit \(forged.number) is not what the edits") }
    // What comes after a commit that is not explained builds on it.
    try store.record(.set(objects[2], title, "later"), by: first)
    let row = try store.head.row(of: objects[2])
    if var next = row {
      next[title] = "later"
      try store.record(.based(objects[2], on: store.lastCommit), by: first)
      _ = try store.commit(
        CommitRequest([.init(objects[2], base: store.lastCommit, row, to: next)]), by: first)
    }
    return expected
  }

  @Test func `S75: a commit is found that its edits do not explain, whatever it says`() throws {
    for forgery in Forgery.allCases {
      for isDropped in [false, true] {
        let store = try JournaledStore(
          on: SimulatedDisk(seed: 21), at: StoreLife.path, model: try StoreLife.model(),
          options: .small)
        var program = try NoteProgram(store)
        for _ in 1...3 { try program.save() }
        try store.beginSegment()
        if isDropped { try store.compact(keeping: .latest) }
        let expected = try forge(forgery, store)
        let verification = try store.verification()
        let findings = verification.findings.map(\.description)
        #expect(findings.count == (forgery == .none ? 0 : 1), "\(forgery): \(findings)")
        for text in expected {
          #expect(findings.first?.contains(text) == true, "\(forgery): \(findings)")
        }
        #expect(verification.firstCommit == (isDropped ? 4 : 1))
        #expect(verification.directCommitCount == (isDropped ? 0 : 3))
        #expect(verification.comparedCommitCount >= 2)
        #expect(verification.uncomparedCommitCount == 0)
        #expect(try store.verify() == [], "only a deep verification looks at edits")
        try store.close()
      }
    }
  }

  @Test func `S75: what a rival saved explains a commit by the policy that it names`() throws {
    let store = try open()
    let title = try store.key(named: "title")
    let objects = try (0..<2).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    let first = try store.beginContext(name: "first", on: .none)
    _ = try store.commit(
      CommitRequest(objects.map { .init($0, base: .none, nil, to: Row([title: "old"])) }),
      by: first)
    var count = 0
    /// Saves both objects against a rival: by a policy; or with what is said of them, as if there were none.
    func save(
      _ policy: ConflictPolicy, saying rows: ((_ mine: Row, _ theirs: Row) -> [Row])? = nil
    ) throws -> [String] {
      count += 1
      let base = store.lastCommit
      let (mine, theirs) = (
        Row([title: .string("mine \(count)")]), Row([title: .string("\(count)")])
      )
      let seen = try objects.map { try store.head.row(of: $0) }
      let editor = try store.beginContext(name: "editor", on: base)
      for object in objects { try store.record(.set(object, title, mine[title]), by: editor) }
      let rivals = zip(objects, seen).map {
        CommitRequest.Object($0, base: base, $1, to: theirs)
      }
      _ = try store.commit(CommitRequest(rivals), by: first)
      // Of what comes of both there is a change in any case.
      let other = try store.newObject(of: EntityNumber(rawValue: 0))
      try store.record(.inserted(other), by: editor)
      var request = CommitRequest([.init(other, base: .none, nil, to: Row())])
      request.policy = policy
      if let rows = rows?(mine, theirs) {
        let head = store.lastCommit
        request.objects += zip(objects, rows).map { .init($0, base: head, theirs, to: $1) }
      } else {
        request.objects += zip(objects, seen).map { .init($0, base: base, $1, to: mine) }
      }
      _ = try store.commit(request, by: editor)
      return try store.verify(deep: true).map(\.description)
    }
    for policy in [ConflictPolicy.objectWins, .storeWins, .overwrite, .rollBack] {
      #expect(try save(policy) == [], "\(policy)")
    }
    #expect(try save(.custom { _ in .merged(Row()) }) == [])
    #expect(try save(.tell) { mine, _ in [mine, mine] } == [], "the edits say so by themselves")
    let findings = try save(.tell) { mine, theirs in [mine, theirs] }
    #expect(findings.count == 1, "\(findings)")
    #expect(findings.first?.contains("is \"mine 7\" by the edits, and \"7\" by the commit") == true)
    try store.close()
  }

  @Test
  func `a context that began before what compaction has kept is not compared, and that is told`()
    throws
  {
    let store = try open()
    let title = try store.key(named: "title")
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let context = try store.beginContext(name: "editor", on: .none)
    try store.record(.inserted(object), by: context)
    _ = try store.commit(
      CommitRequest([.init(object, base: .none, nil, to: Row())]), by: context)
    try store.endContext(context)
    try store.beginSegment()
    try store.compact(keeping: .latest)
    let session = try store.sessions
    #expect(session == [], "nothing is left of it")
    let verification = try store.verification()
    #expect(verification.findings == [])
    #expect(verification.firstCommit == 2)
    let later = try store.beginContext(name: "later", on: store.lastCommit)
    try store.record(.set(object, title, "later"), by: later)
    _ = try store.commit(
      CommitRequest([.init(object, base: 1, Row(), to: Row([title: "later"]))]), by: later)
    #expect(try store.verification().comparedCommitCount == 1)
    #expect(try store.verification(deep: false).firstCommit == nil)
    try store.close()
  }
}
