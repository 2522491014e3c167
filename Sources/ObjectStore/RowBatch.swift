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
  /// Of each place, whether its row is to be passed over; none where no row is.
  private var hidden: [Bool] = []

  init(_ source: Source) { self.source = source }

  mutating func hide(_ place: Int) {
    if hidden.isEmpty { hidden = [Bool](repeating: false, count: count) }
    hidden[place] = true
  }

  /// How many places there are.
  package var count: Int {
    switch source {
    case .block(_, let block): block.directory.rowCount
    case .rows(let rows): rows.count
    }
  }

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
      return try onRun { () throws(RunError) in try run.row(place, block) }
    }
  }

  /// The values of a key.
  ///
  /// Costs: the column is read, checked and decompressed, unless the cache has it. No value is made yet.
  package func column(_ key: KeyNumber) throws(StoreError) -> Column {
    switch source {
    case .rows(let rows): return Column(.values(rows.map { $0.row[key] }))
    case .block(let run, let block):
      guard let place = block.directory.column(of: key) else {
        return Column(.nothing(count: block.directory.rowCount))
      }
      return try onRun { () throws(RunError) in
        Column(.content(try run.content(ofColumn: place, block), run, block, column: place))
      }
    }
  }

  /// The values that the rows of a batch have for a key. What places without a row have means nothing.
  package struct Column {
    enum Source {
      case nothing(count: Int)
      case values([Value?])
      case content(ColumnContent, Run, Block, column: Int)
    }

    private let source: Source

    init(_ source: Source) { self.source = source }

    /// The value at a place; nil where there is none.
    ///
    /// - Throws: where what is on the disk cannot be read.
    package func value(_ place: Int) throws(StoreError) -> Value? {
      switch source {
      case .nothing: return .none
      case .values(let values): return values[place]
      case .content(let content, let run, let block, let column):
        do {
          return try content.values.value(place).unlessNull
        } catch {
          throw StoreError(run.malformed(block.directory.columns[column], block.index))
        }
      }
    }

    /// Reads all values that are integers.
    ///
    /// Costs: a few nanoseconds a row.
    ///
    /// - Parameters:
    ///   - numbers: gets a number for each place; 0 where the value is no integer.
    ///   - others: gets the places that have other values, or none, in order.
    package func readIntegers(into numbers: inout [Int], others: inout [Int]) {
      switch source {
      case .content(let content, _, _, _):
        content.values.readIntegers(into: &numbers, others: &others)
      case .nothing(let count):
        numbers = [Int](repeating: 0, count: count)
        others = Array(0..<count)
      case .values(let values):
        numbers = values.map { $0?.integer ?? 0 }
        others = values.indices.filter { values[$0]?.integer == nil }
      }
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
