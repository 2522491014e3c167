// A journal whose checks are right and whose entries contradict each other is refused, with a word that says how.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ContradictionTests {
  private static let tag = ToldBatch.store
  private static let (text, count) = (KeyNumber(rawValue: 0), KeyNumber(rawValue: 1))
  private static let context = ContextNumber(rawValue: 1)
  private static let (note, stranger) = (object(1), object(9))

  private static func object(_ number: UInt64) -> ObjectID {
    ObjectID(entity: EntityNumber(rawValue: 0), number: number, store: tag)
  }

  private static func model(_ entities: [(UInt16, EntityDescription)]) -> Event {
    .modelAdopted(entities.map { NumberedEntity(EntityNumber(rawValue: $0), $1) })
  }

  private static let noteEntity = EntityDescription(
    "Note",
    attributes: [AttributeDescription("text", .string), AttributeDescription("count", .counter)])

  private static let beginning: [Event] = [
    .keyNamed(text, "text"), .keyNamed(count, "count"), model([(0, noteEntity)]),
    .contextBegan(context, name: "", on: .none, parent: nil),
  ]

  private static func commit(
    _ number: CommitNumber, after edits: Int, _ change: ObjectChange
  ) -> CommitContent {
    CommitContent(
      number: number, time: RecordedTime(rawValue: 0), context: context,
      precedingEditCount: edits, changes: [change])
  }

  private static let insertion = ObjectChange(
    inserting: note, Row([text: "old", count: .counter(1)]))

  private static func update(
    _ object: ObjectID, after previous: CommitNumber, _ key: KeyNumber = text,
    _ change: ValueChange = .replaced(old: "old", new: "new")
  ) -> ObjectChange {
    ObjectChange(object, .updated, [ObjectChange.Entry(key, change)], after: previous)
  }

  private static func deletion(after previous: CommitNumber) -> ObjectChange {
    ObjectChange(deleting: note, Row([text: "old", count: .counter(1)]), after: previous)
  }

  private static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    try JournaledStore(on: disk, at: "store", model: nil, options: .small)
  }

  /// What comes after a commit that inserts the note, in a frame of its own, and what is said of it.
  struct Contradiction: CustomTestStringConvertible, Sendable {
    let words: String
    fileprivate var events: [Event] = []
    fileprivate var changes: [ObjectChange] = []

    var testDescription: String { words }
  }

  static let ofEvents: [Contradiction] = [
    Contradiction(
      words: "key 5 cannot be named “new”", events: [.keyNamed(KeyNumber(rawValue: 5), "new")]),
    Contradiction(
      words: "key 2 cannot be named “text”", events: [.keyNamed(KeyNumber(rawValue: 2), "text")]),
    Contradiction(
      words: "the model cannot be adopted",
      events: [model([(0, noteEntity), (1, EntityDescription("Child", parent: "Nobody"))])]),
    Contradiction(
      words: "the model cannot be adopted",
      events: [model([(0, noteEntity), (0, EntityDescription("Other"))])]),
    Contradiction(
      words: "context 1 begins a second time",
      events: [.contextBegan(context, name: "", on: .none, parent: nil)]),
    Contradiction(
      words: "context 1 goes on and has not ended",
      events: [.contextResumed(context, name: "", on: 1, oldest: 1, firstEdit: 1)]),
  ]

  static let ofCommits: [Contradiction] = [
    Contradiction(
      words: "commit 2 does not follow the last change of", changes: [update(note, after: .none)]),
    Contradiction(words: "is inserted a second time", changes: [insertion]),
    Contradiction(
      words: "commit 2 does not follow the last change of",
      changes: [update(note, after: .none, count, .counted(2))]),
    Contradiction(
      words: "is updated and is not there",
      changes: [update(stranger, after: 1, count, .counted(2))]),
    Contradiction(
      words: "is not what its change was made of",
      changes: [update(note, after: 1, text, .counted(2))]
    ),
    Contradiction(
      words: "is updated and is not there", changes: [deletion(after: 1), update(note, after: 2)]),
    Contradiction(
      words: "is deleted and is not there", changes: [deletion(after: 1), deletion(after: 2)]),
  ]

  @Test(arguments: ofEvents + ofCommits)
  func
    `a journal that contradicts itself is refused with a word that says where, and left as it was`(
      contradiction: Contradiction
    ) throws
  {
    var second = ToldBatch(contradiction.events)
    for (place, change) in contradiction.changes.enumerated() {
      second.commits.append(
        Self.commit(CommitNumber(rawValue: UInt64(place) + 2), after: 0, change))
    }
    let first = ToldBatch(Self.beginning, commits: [Self.commit(1, after: 4, Self.insertion)])
    let disk = try ToldBatch.disk([first, second])
    let segment = try #require(disk.contents(of: "store/journal/0000000001.xj"))
    let error = #expect(throws: StoreError.self) { try Self.open(disk) }
    #expect(error?.code == .damaged)
    let said = error?.description ?? ""
    #expect(
      said.contains("contradicts itself in frame 2: ") && said.contains(contradiction.words),
      "\(said)")
    #expect(!said.contains(".;"), "\(said)")
    #expect(disk.contents(of: "store/journal/0000000001.xj")?.prefix(segment.count) == segment[...])
    // Who only reads is shown what comes before.
    let reader = try StoreReader(on: disk, at: "store")
    #expect(reader.lastCommit == 1 && reader.findings.count == 1)
    #expect(try reader.head.row(of: Self.note)?[Self.text] == "old")
    #expect(reader.findings.contains { $0.description.contains(contradiction.words) })
    let found = try reader.verification(deep: true).findings.map(\.description)
    #expect(found.contains { $0.contains(contradiction.words) }, "\(found)")
  }

  @Test func `a commit before any model is refused`() throws {
    let disk = try ToldBatch.disk([
      ToldBatch(
        [
          .keyNamed(Self.text, "text"),
          .contextBegan(Self.context, name: "", on: .none, parent: nil),
        ],
        commits: [Self.commit(1, after: 2, ObjectChange(inserting: Self.note, Row()))])
    ])
    let error = #expect(throws: StoreError.self) { try Self.open(disk) }
    #expect(error?.description.contains("a commit comes before any model") == true)
  }

  @Test func `a commit among edits that are not there is refused`() throws {
    let disk = try ToldBatch.disk([
      ToldBatch(Self.beginning, commits: [Self.commit(1, after: 40, Self.insertion)])
    ])
    let error = #expect(throws: StoreError.self) { try Self.open(disk) }
    #expect(
      error?.description.contains("commit 1 stands among edits that are not there") == true)
  }

  @Test func `values of an object that never was are no object, and asking for it says so`() throws
  {
    let disk = try ToldBatch.disk([
      ToldBatch(Self.beginning, commits: [Self.commit(1, after: 4, Self.insertion)]),
      ToldBatch(commits: [Self.commit(2, after: 0, Self.update(Self.stranger, after: 1))]),
    ])
    // Rows are not read while opening where that is not needed.
    let store = try Self.open(disk)
    let error = #expect(throws: StoreError.self) { try store.head.row(of: Self.stranger) }
    #expect(error?.code == .damaged, "\(error as Any)")
    #expect(try store.head.row(of: Self.note)?[Self.text] == "old")
    let found = try store.verify(deep: true).map(\.description)
    #expect(
      found.contains { $0.contains("commit 2 does not follow the last change of") }, "\(found)")
    try? store.close()
  }
}
