package import ObjectModel
internal import PropertyListCoding

/// Rows of an entity that lie together: a block of a run, or some that have changed since.
///
/// For whoever goes over many rows and wants few of their values. It is used only where it was handed out.
package struct RowBatch {
  enum Source {
    case block(Run, Block)
    case rows([(object: ObjectID, row: Row)])
  }

  let source: Source
  /// How many places there are.
  package let count: Int
  /// Of each place, whether its row is to be passed over; none where no row is.
  private var hidden: [Bool] = []
  /// Values that lie over those of the block, by place.
  private var patches: [Int: PartialRow] = [:]

  init(_ source: Source) {
    self.source = source
    switch source {
    case .block(_, let block): count = block.directory.rowCount
    case .rows(let rows): count = rows.count
    }
  }

  mutating func hide(_ place: Int) {
    if hidden.isEmpty { hidden = [Bool](repeating: false, count: count) }
    hidden[place] = true
  }

  /// Puts later values over those of a place.
  mutating func patch(_ place: Int, _ row: PartialRow) { patches[place] = row }

  /// Whether there are later values over those of a place.
  func isPatched(_ place: Int) -> Bool { patches[place] != nil }

  /// Whether every place has a row of the snapshot.
  package var isWhole: Bool { hidden.isEmpty }

  /// Whether a place has a row of the snapshot; otherwise its object was deleted, or has changed since.
  @inline(__always)
  package func hasRow(_ place: Int) -> Bool { hidden.isEmpty || !hidden[place] }

  /// The object of a place; the objects ascend.
  package func object(_ place: Int) -> ObjectID {
    switch source {
    case .block(let run, let block): run.id(block.directory.object(place))
    case .rows(let rows): rows[place].object
    }
  }

  /// All values of a place that has a row.
  func row(_ place: Int) throws(StoreError) -> Row {
    switch source {
    case .rows(let rows): return rows[place].row
    case .block(let run, let block):
      let row = try onRun { () throws(RunError) in try run.row(place, block) }
      return patches[place]?.applied(to: row) ?? row
    }
  }

  /// The values of a key.
  ///
  /// Costs: the column is read, checked and decompressed, unless the cache has it. No value is made yet.
  package func column(_ key: KeyNumber) throws(StoreError) -> Column {
    switch source {
    case .rows(let rows): return Column(values: rows.map { $0.row[key] })
    case .block(let run, let block):
      var patched: [Int: Value?] = [:]
      for (place, row) in patches {
        for entry in row.values where entry.key == key {
          patched.updateValue(entry.value.unlessNull, forKey: place)
        }
      }
      guard let place = block.column(of: key) else {
        var values = [Value?](repeating: .none, count: block.directory.rowCount)
        for (place, value) in patched { values[place] = value }
        return Column(values: values)
      }
      return try onRun { () throws(RunError) in
        Column(
          try run.content(ofColumn: place, block), patched: patched, column: place, of: block, run)
      }
    }
  }

  /// The values that the rows of a batch have for a key. What places without a row have means nothing.
  package struct Column {
    /// What a column of a block holds; nil where the values are not in one.
    private let content: ColumnContent?
    private let values: [Value?]
    /// Values that lie over those of the content, by place.
    private let patched: [Int: Value?]
    /// Where the column is, to tell what is wrong with it.
    private let origin: (run: Run, block: Block, column: Int)?

    init(values: [Value?]) {
      (content, origin, patched) = (nil, nil, [:])
      self.values = values
    }

    init(
      _ content: ColumnContent, patched: [Int: Value?], column: Int, of block: Block, _ run: Run
    ) {
      self.content = content
      self.patched = patched
      values = []
      origin = (run, block, column)
    }

    /// The value at a place; nil where there is none.
    ///
    /// - Throws: where what is on the disk cannot be read.
    package func value(_ place: Int) throws(StoreError) -> Value? {
      guard let content else { return values[place] }
      if !patched.isEmpty, let value = patched[place] { return value }
      do {
        return try content.values.value(place).unlessNull
      } catch {
        throw StoreError(malformed)
      }
    }

    /// Calls a closure with the bytes of a text at a place; nil where they do not lie there as they are.
    ///
    /// - Throws: where what is on the disk cannot be read.
    func withText<Answer>(
      _ place: Int, _ body: (UnsafeRawBufferPointer) -> Answer
    ) throws(StoreError) -> Answer? {
      guard let content, patched.isEmpty || patched[place] == nil else { return nil }
      do {
        return try content.values.withASCII(place, body)
      } catch {
        throw StoreError(malformed)
      }
    }

    private var malformed: RunError {
      guard let (run, block, column) = origin else {
        preconditionFailure("values that are in no block have been read already")
      }
      return run.malformed(block.directory.columns[column], block.index)
    }

    /// Reads all values that are integers.
    ///
    /// Costs: a few nanoseconds a row.
    ///
    /// - Parameters:
    ///   - numbers: gets a number for each place; 0 where the value is no integer.
    ///   - others: gets the places that have other values, or none, in order.
    package func readIntegers(into numbers: inout [Int], others: inout [Int]) {
      guard let content else {
        numbers = values.map { $0?.integer ?? 0 }
        others = values.indices.filter { values[$0]?.integer == nil }
        return
      }
      content.values.readIntegers(into: &numbers, others: &others)
      if patched.isEmpty { return }
      others.removeAll { patched[$0] != nil }
      for (place, value) in patched {
        numbers[place] = value?.integer ?? 0
        if value?.integer == nil { others.append(place) }
      }
      others.sort()
    }
  }
}

extension Run {
  /// The rows of a block, but for those of deleted objects.
  package func batch(ofBlock index: Int) throws(RunError) -> RowBatch {
    let block = try block(index)
    var batch = RowBatch(.block(self, block))
    if block.directory.hasDeletions {
      for place in 0..<block.directory.rowCount where block.directory.isDeleted(place) {
        batch.hide(place)
      }
    }
    return batch
  }
}
