internal import ObjectModel

/// Goes over the rows of layers, the newest of each object, in the order of the objects.
struct LayeredRows {
  /// A row, and the era it is of.
  typealias Element = (object: ObjectID, stored: StoredRow, era: Int)
  /// The same, with what lies in runs yet to be decoded.
  typealias Found = (object: ObjectID, row: FoundRow, era: Int)

  private var sources: [Source] = []
  private let layers: [Layer]
  private let snapshot: Snapshot
  private var last = UInt64.max

  /// Rows from first to last of all of a snapshot's layers.
  init(of snapshot: Snapshot) { self.init(snapshot.layers, of: snapshot) }

  /// Rows from first to last of some of a snapshot's layers, the newest layer first.
  init(_ layers: [Layer], of snapshot: Snapshot) {
    self.layers = layers
    self.snapshot = snapshot
    let store = snapshot.store
    move(from: ObjectID(rawValue: 0, store: store), through: ObjectID(rawValue: .max, store: store))
  }

  /// Goes on with an object, whether there is one or not.
  mutating func move(from first: ObjectID, through last: ObjectID) {
    self.last = last.rawValue
    sources = layers.flatMap { layer in
      [Source(TableCursor(layer.changes, snapshot.store, from: first), layer.era)]
        + layer.runs.map { Source(RunCursor($0, from: first), layer.era) }
    }
  }

  mutating func next() throws(StoreError) -> Element? {
    guard let found = try nextFound() else { return nil }
    let stored = try onRun { () throws(RunError) in try found.row.stored() }
    return (found.object, stored, found.era)
  }

  mutating func nextFound() throws(StoreError) -> Found? {
    var least: (object: ObjectID, source: Int)?
    for index in sources.indices {
      guard let object = try sources[index].headObject(), object.rawValue <= last else { continue }
      if least.map({ object.rawValue < $0.object.rawValue }) ?? true { least = (object, index) }
    }
    guard let least else { return nil }
    var assembly = RowAssembly(least.object)
    var found: (row: FoundRow, era: Int)?
    // What lies below is older.
    for index in least.source..<sources.count {
      guard try sources[index].headObject() == least.object,
        let head = try sources[index].takeHead()
      else { continue }
      if found == nil { found = try assembly.take(head, sources[index].era, in: snapshot) }
    }
    if let found { return (least.object, found.row, found.era) }
    // What they lie over is in none of these layers.
    let era = sources[least.source].era
    guard let whole = try snapshot.assembled(least.object, through: era) else {
      throw .chainBroken(least.object, in: snapshot.number)
    }
    return (least.object, .stored(whole.stored), whole.era)
  }

  /// The block of a run of an era that comes next, if no other source has an object among its own: what the
  /// layers say of its objects is what the block says.
  mutating func nextBlock(ofEra era: Int) throws(StoreError) -> (run: Run, block: Int)? {
    guard let (index, run, block) = firstBlock(ofEra: era) else { return nil }
    let end = run.index.entries[block].lastObject
    for other in sources.indices where other != index {
      if let object = try sources[other].headObject(), object.rawValue <= end { return nil }
    }
    return end <= last ? (run, block) : nil
  }

  /// Goes on behind the block that comes next.
  mutating func skipBlock(ofEra era: Int) {
    if let (index, _, _) = firstBlock(ofEra: era) { sources[index].skipBlock() }
  }

  /// Of the blocks of an era that begin where their sources are, the first one.
  private func firstBlock(ofEra era: Int) -> (source: Int, run: Run, block: Int)? {
    var least: (source: Int, run: Run, block: Int)?
    for index in sources.indices where sources[index].era == era {
      guard let (run, block) = sources[index].wholeBlock else { continue }
      let first = run.index.entries[block].firstObject
      if let other = least, other.run.index.entries[other.block].firstObject <= first { continue }
      least = (index, run, block)
    }
    return least
  }

  /// What a source has of an object.
  enum Head {
    case overlay(Overlay)
    case placed(BlockRows, Int)
  }

  /// One of the sources, with its next row at hand.
  private struct Source {
    let era: Int
    // One of the two: changed in place, as a copy of a cursor costs more than its next row.
    private var table: TableCursor?
    private var run: RunCursor?
    private var next: (object: ObjectID, head: Head)?
    private var isAtEnd = false

    init(_ table: TableCursor, _ era: Int) {
      self.table = table
      self.era = era
    }

    init(_ run: RunCursor, _ era: Int) {
      self.run = run
      self.era = era
    }

    /// The block whose first row comes next, if none of its rows has been read.
    var wholeBlock: (run: Run, block: Int)? {
      guard next == nil, !isAtEnd else { return nil }
      return run?.wholeBlock
    }

    mutating func skipBlock() { run?.skipBlock() }

    /// The next object; of a block that begins with it, nothing is read.
    mutating func headObject() throws(StoreError) -> ObjectID? {
      if let (run, block) = wholeBlock { return run.id(run.index.entries[block].firstObject) }
      try readHead()
      return next?.object
    }

    private mutating func readHead() throws(StoreError) {
      if next != nil || isAtEnd { return }
      do throws(RunError) {
        if let (rows, place) = try run?.nextPlace() {
          next = (rows.object(place), .placed(rows, place))
        }
      } catch {
        throw StoreError(error)
      }
      if let read = table?.next() { next = (read.object, .overlay(read.overlay)) }
      isAtEnd = next == nil
    }

    mutating func takeHead() throws(StoreError) -> Head? {
      try readHead()
      defer { next = nil }
      return next?.head
    }
  }
}

/// Goes over a table in the order of its objects, some of them at a time.
struct TableCursor {
  private let table: ObjectTable<Overlay>
  private let store: StoreTag
  private var rows: ArraySlice<(object: ObjectID, overlay: Overlay)> = []
  /// The least object that is still to come; nil after the last.
  private var first: UInt64?

  private static let stride = 256

  init(_ table: ObjectTable<Overlay>, _ store: StoreTag, from first: ObjectID) {
    self.table = table
    self.store = store
    self.first = first.rawValue
  }

  mutating func next() -> (object: ObjectID, overlay: Overlay)? {
    if rows.isEmpty { load() }
    return rows.popFirst()
  }

  private mutating func load() {
    guard let first else { return }
    var loaded: [(object: ObjectID, overlay: Overlay)] = []
    table.forEach(from: first) { rawValue, overlay in
      loaded.append((ObjectID(rawValue: rawValue, store: store), overlay))
      return loaded.count < Self.stride
    }
    let isFull = loaded.count == Self.stride
    self.first = isFull ? loaded.last.flatMap { $0.object.rawValue.successor } : nil
    rows = loaded[0...]
  }
}

extension UInt64 {
  fileprivate var successor: UInt64? { self == .max ? nil : self + 1 }
}
