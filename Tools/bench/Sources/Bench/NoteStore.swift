import DiskAccess
import EventFold
import FoundationEssentials
import Journaling
import ManagedObjects
import ObjectModel
import ObjectStore

/// A store of notes. What a context does with its store is done here by hand.
final class NoteStore: Sendable {
  /// How changes come into the store.
  enum Way {
    /// Each edit is recorded when it is made, and the commit names it: as a context does.
    case edits
    /// By commits alone: as a batch does.
    case commits
  }

  let store: JournaledStore
  private let tag: StoreTag
  /// In the order of the model, and of their numbers.
  private let keys: [KeyNumber]

  /// Enough for all columns of a million notes, decompressed.
  static let ampleCacheByteCount = 512 << 20

  static let entity = EntityNumber(rawValue: 0)

  init(
    _ path: String, indexesRank: Bool = false, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws {
    var options = StoreOptions()
    change(&options)
    let types: [(String, AttributeType)] = [
      ("title", .string), ("text", .string), ("rank", .integer), ("created", .date),
      ("score", .real), ("isDone", .boolean),
    ]
    let indexed = EntityDescription(
      "StoredNote",
      attributes: types.map { AttributeDescription($0.0, $0.1, isIndexed: $0.0 == "rank") })
    let model =
      try indexesRank
      ? ManagedObjectModel(entities: [indexed]) : ManagedObjectModel(StoredNote.self)
    let store = try JournaledStore(at: path, model: model, options: options)
    self.store = store
    keys = try types.map { try store.key(named: $0.0) }
    tag = try JournalReader(at: path, on: PosixDisk()).manifest.store.tag
    guard zip(keys, keys.dropFirst()).allSatisfy({ $0.rawValue + 1 == $1.rawValue }) else {
      throw BenchError.wrongResult("the keys are not numbered one after another")
    }
  }

  func beginContext() throws -> LiveContext {
    try store.beginContext(name: "bench", on: store.head.number)
  }

  func object(_ number: Int) -> ObjectID {
    ObjectID(entity: Self.entity, number: UInt64(number), store: tag)
  }

  var rankKey: KeyNumber { keys[2] }
  var titleKey: KeyNumber { keys[0] }

  func insert(_ notes: [Note], _ way: Way, by context: LiveContext) throws {
    var objects: [CommitRequest.Object] = []
    objects.reserveCapacity(notes.count)
    var edits: [EditNumber] = []
    edits.reserveCapacity(notes.count * keys.count)
    for note in notes {
      let object = try store.newObject(of: Self.entity)
      let row = row(note)
      if way == .edits {
        try store.record(.inserted(object), by: context)
        for entry in row.entries {
          edits.append(try store.record(.set(object, entry.key, entry.value), by: context))
        }
      }
      objects.append(.init(object, base: .none, nil, to: row))
    }
    var request = CommitRequest(objects)
    if way == .edits, let first = objects.first?.object.number {
      request.edit = { [keys] object, key, _ in
        edits[Int(object.number - first) * keys.count + Int(key.rawValue - keys[0].rawValue)]
      }
    }
    _ = try store.commit(request, by: context)
  }

  /// Inserts them as a program does that needs no objects.
  func insertBatch(_ notes: [Note]) throws {
    try store.batchInsert(
      "StoredNote", keys: ["title", "text", "rank", "created", "score", "isDone"],
      notes.lazy.map { [self] note in values(note) })
  }

  func update(_ changes: [NoteChange], _ way: Way, by context: LiveContext) throws {
    let head = store.head
    var rows: [Int: (base: Row?, row: Row)] = [:]
    var edits: [UInt64: EditNumber] = [:]
    for change in changes {
      let object = object(change.number)
      let (key, value) = entry(change.attribute)
      if way == .edits {
        edits[object.number << 8 | UInt64(key.rawValue)] =
          try store.record(.set(object, key, value), by: context)
      }
      if rows[change.number] == nil {
        let base = try head.row(of: object)
        rows[change.number] = (base, base ?? Row())
      }
      rows[change.number]?.row[key] = value
    }
    var request = CommitRequest(
      rows.map { .init(object($0), base: head.number, $1.base, to: $1.row) })
    request.edit = { object, key, _ in edits[object.number << 8 | UInt64(key.rawValue)] }
    _ = try store.commit(request, by: context)
  }

  private func values(_ note: Note) -> [Value?] {
    [
      .string(note.title), .string(note.text), .integer(note.rank),
      .date(Date(timeIntervalSinceReferenceDate: note.created)), .real(note.score),
      .boolean(note.isDone),
    ]
  }

  private func row(_ note: Note) -> Row {
    Row(
      sorted: zip(keys, values(note)).compactMap { key, value in
        value.map { Row.Entry(key, $0) }
      }) ?? Row()
  }

  private func entry(_ attribute: NoteChange.Attribute) -> (KeyNumber, Value) {
    switch attribute {
    case .title(let title): (keys[0], .string(title))
    case .rank(let rank): (keys[2], .integer(rank))
    case .score(let score): (keys[4], .real(score))
    }
  }

  /// The rank of a note, as the peers are asked for it.
  func rank(of number: Int) throws -> Int {
    guard let rank = try store.head.handle(of: object(number))?.value(rankKey)?.integer else {
      throw BenchError.wrongResult("no rank of \(number)")
    }
    return rank
  }

  /// The rank in a row.
  func rank(in row: Row?) throws -> Int {
    guard let rank = row?[rankKey]?.integer else { throw BenchError.wrongResult("no rank") }
    return rank
  }

  /// All notes of a state: the sum of their ranks, and how many there are.
  func ranks(of snapshot: Snapshot) throws -> (sum: Int, count: Int) {
    var (sum, count) = (0, 0)
    let key = rankKey
    try snapshot.forEach(Self.entity) { _, row in
      sum += row[key]?.integer ?? 0
      count += 1
      return true
    }
    return (sum, count)
  }
}
