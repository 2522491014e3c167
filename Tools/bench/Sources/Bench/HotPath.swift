import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore

/// What is done most often, by itself and as often as is asked, for whoever counts its instructions: `Tools/check perf`.
enum HotPath: String, CaseIterable {
  /// One value of an object is set, by a resolved key.
  case edit
  /// One value is set and saved.
  case save
  /// An object is made, all its values are set, and it is saved with a thousand others.
  case insert
  /// An object is saved as a batch does it, with a thousand others: by a commit alone.
  case batch
  /// All of ten thousand objects are filtered by an integer.
  case filter
  /// A quarter of ten thousand objects is counted by an index.
  case index
  /// A fault is made and one value of it read.
  case fault
  /// One edit is folded.
  case fold

  func run(_ count: Int, at path: String) throws {
    if self == .fold { return fold(count) }
    let store = try NoteStore(path, indexesRank: self == .index) { $0.durability = .written }
    let context = NoteContext(store)
    let live = try store.beginContext()
    if self == .insert { context.context.disableUndoRegistration() }
    let noteCount =
      switch self {
      case .fault, .filter, .index: 10_000
      case .insert, .batch: count
      default: 100
      }
    var source = NoteSource(noteCount)
    var notes = source.next()
    while !notes.isEmpty {
      // Edits would be sealed while others read, whenever that is due.
      if [.batch, .filter, .index, .fault].contains(self) {
        try store.insert(notes, .commits, by: live)
      } else {
        try context.insert(notes)
      }
      notes = source.next()
    }
    if self == .index { try store.store.checkpoint() }
    if self == .filter { _ = try store.store.compact(keeping: .latest) }
    switch self {
    case .edit, .save:
      guard let rank = context.context.resolvedKey("rank", of: "StoredNote") else {
        throw BenchError.wrongResult("no key")
      }
      let objects = try (1...noteCount).map { try context.note($0) }
      for number in 0..<count {
        objects[number % noteCount][rank] = .integer(number)
        if self == .save { try context.context.save() }
      }
    case .insert, .batch: break
    case .filter:
      for _ in 0..<count { _ = try context.count(ofRanksBelow: NoteSource.rankBound / 4) }
    case .index:
      let head = store.store.head
      let bound = NoteSource.rankBound / 4
      let query = try store.query("StoredNote where rank < \(bound)", in: head)
      for _ in 0..<count where try head.count(of: query) == 0 {
        throw BenchError.wrongResult("no ranks")
      }
    default:
      let reading = NoteContext(store)
      var sum = 0
      for number in 0..<count { sum &+= try reading.note(1 + number % noteCount).rank ?? 0 }
      if sum == 0 { throw BenchError.wrongResult("no ranks") }
    }
    try store.store.close()
  }

  private func fold(_ count: Int) {
    var fold = ContextFold(ContextNumber(rawValue: 1), name: "", on: .none)
    let keys = (1...4).map { KeyNumber(rawValue: $0) }
    let store = StoreTag(rawValue: 1)
    let objects = (1...100).map { ObjectID(entity: NoteStore.entity, number: $0, store: store) }
    let row = Row([keys[0]: "title", keys[1]: 7])
    for number in 0..<count {
      let (object, key) = (objects[number % objects.count], keys[number % keys.count])
      // An edit that contradicts those before it would be a mistake of this loop.
      try? fold.apply(.set(object, key, .integer(number))) { (_, _) throws(Never) in row }
      if number % 10 == 9 { try? fold.apply(.stepEnded(name: nil)) { (_, _) throws(Never) in row } }
    }
    precondition(fold.editCount == count)
  }
}
