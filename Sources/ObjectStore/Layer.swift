internal import ObjectModel

/// Objects whose rows were written in one era.
struct Layer: Sendable {
  /// The place of the era among the catalogue's.
  let era: Int
  /// What has changed since the runs were written.
  var changes = ObjectTable<StoredRow>()
  /// The newest first.
  var runs: [Run] = []

  /// What the layer says of an object; nil where it says nothing.
  func stored(_ object: ObjectID) throws(StoreError) -> StoredRow? {
    if let stored = changes[object] { return stored }
    for run in runs {
      if let stored = try onRun({ () throws(RunError) in try run.stored(object) }) { return stored }
    }
    return nil
  }
}

/// Goes over the rows of layers, the newest of each object, in the order of the objects.
struct LayeredRows {
  /// A row, and the era it is of.
  typealias Element = (object: ObjectID, stored: StoredRow, era: Int)

  private var sources: [Source] = []
  private let layers: [Layer]
  private let store: StoreTag
  private var last = UInt64.max

  /// Rows from first to last of all layers, the newest layer first.
  init(_ layers: [Layer], _ store: StoreTag) {
    self.layers = layers
    self.store = store
    move(from: ObjectID(rawValue: 0, store: store), through: ObjectID(rawValue: .max, store: store))
  }

  /// Goes on with an object, whether there is one or not.
  mutating func move(from first: ObjectID, through last: ObjectID) {
    self.last = last.rawValue
    sources = layers.flatMap { layer in
      [Source(.changes(TableCursor(layer.changes, store, from: first)), layer.era)]
        + layer.runs.map { Source(.run(RunCursor($0, from: first)), layer.era) }
    }
  }

  mutating func next() throws(StoreError) -> Element? {
    var least: (object: UInt64, source: Int)?
    for index in sources.indices {
      guard let object = try sources[index].head()?.object.rawValue, object <= last else {
        continue
      }
      if least.map({ object < $0.object }) ?? true { least = (object, index) }
    }
    guard let least, let (object, stored) = sources[least.source].takeHead() else { return nil }
    // What lies below is older.
    for index in sources.indices where index > least.source {
      if try sources[index].head()?.object == object { _ = sources[index].takeHead() }
    }
    return (object, stored, sources[least.source].era)
  }

  /// One of the sources, with its next row at hand.
  private struct Source {
    enum Cursor {
      case changes(TableCursor)
      case run(RunCursor)
    }

    let era: Int
    private var cursor: Cursor
    private var next: (object: ObjectID, stored: StoredRow)?
    private var isAtEnd = false

    init(_ cursor: Cursor, _ era: Int) {
      self.cursor = cursor
      self.era = era
    }

    mutating func head() throws(StoreError) -> (object: ObjectID, stored: StoredRow)? {
      if let next { return next }
      if isAtEnd { return nil }
      switch cursor {
      case .changes(var table):
        next = table.next()
        cursor = .changes(table)
      case .run(var run):
        next = try onRun { () throws(RunError) in try run.next() }
        cursor = .run(run)
      }
      isAtEnd = next == nil
      return next
    }

    mutating func takeHead() -> (object: ObjectID, stored: StoredRow)? {
      defer { next = nil }
      return next
    }
  }
}

/// Goes over a table in the order of its objects, some of them at a time.
struct TableCursor {
  private let table: ObjectTable<StoredRow>
  private let store: StoreTag
  private var rows: ArraySlice<(object: ObjectID, stored: StoredRow)> = []
  /// The least object that is still to come; nil after the last.
  private var first: UInt64?

  private static let stride = 256

  init(_ table: ObjectTable<StoredRow>, _ store: StoreTag, from first: ObjectID) {
    self.table = table
    self.store = store
    self.first = first.rawValue
  }

  mutating func next() -> (object: ObjectID, stored: StoredRow)? {
    if rows.isEmpty { load() }
    return rows.popFirst()
  }

  private mutating func load() {
    guard let first else { return }
    var loaded: [(object: ObjectID, stored: StoredRow)] = []
    table.forEach(from: first) { rawValue, stored in
      loaded.append((ObjectID(rawValue: rawValue, store: store), stored))
      return loaded.count < Self.stride
    }
    let isFull = loaded.count == Self.stride
    self.first = isFull ? loaded.last.flatMap { $0.object.rawValue.successor } : nil
    rows = loaded[...]
  }
}

extension UInt64 {
  fileprivate var successor: UInt64? { self == .max ? nil : self + 1 }
}

/// Reads or writes runs, whose failures are the store's.
func onRun<Answer>(_ body: () throws(RunError) -> Answer) throws(StoreError) -> Answer {
  do throws(RunError) {
    return try body()
  } catch {
    throw StoreError(error)
  }
}
