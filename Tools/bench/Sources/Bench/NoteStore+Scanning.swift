import ObjectModel
import ObjectQuery
import ObjectStore

// What a program asks of a store.
extension NoteStore {
  /// How many notes have ranks below one.
  func count(ofRanksBelow bound: Int, in snapshot: Snapshot) throws -> Int {
    try snapshot.count(of: query("StoredNote where rank < \(bound)", in: snapshot))
  }

  /// The first hundred titles of notes that have ranks below one.
  func firstTitles(ofRanksBelow bound: Int, in snapshot: Snapshot) throws -> [String] {
    let query = try query("StoredNote where rank < \(bound) sort title limit 100", in: snapshot)
    return try snapshot.values(of: query.query.sort.map(\.path), in: query)
      .compactMap { $0.values[0].string }
  }

  /// A query, ready.
  func query(_ text: String, in snapshot: Snapshot) throws -> SnapshotQuery {
    try store.prepare(try Query(text), in: snapshot, text: text)
  }
}

/// Keeps the first hundred of many texts: a heap whose top is the last of them.
struct FirstFew {
  private var heap: [String] = []

  var sorted: [String] { heap.sorted() }

  /// Adds the title of a packed note whose rank is below one.
  mutating func add(_ note: UnsafeRawBufferPointer, ofRanksBelow bound: Int) {
    var reader = PackedReader(note)
    if reader.rank() < bound { add(reader.title()) }
  }

  mutating func add(_ text: String) {
    if heap.count < 100 {
      heap.append(text)
      if heap.count == 100 { heap.sort(by: >) }
    } else if text < heap[0] {
      sink(text)
    }
  }

  /// Puts a text in the place of the last one.
  private mutating func sink(_ text: String) {
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1] > heap[child] { child += 1 }
      guard heap[child] > text else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = text
  }
}
