internal import ObjectModel

/// The values of a block, put in column by column and taken out row by row: each is moved, and none is copied.
struct BlockValues: ~Copyable {
  private let memory: UnsafeMutablePointer<Value>
  private let columnCount: Int
  private let rowCount: Int
  /// How many have been put in.
  private var count = 0
  private var takenRowCount = 0

  init(columnCount: Int, rowCount: Int) {
    (self.columnCount, self.rowCount) = (columnCount, rowCount)
    memory = .allocate(capacity: max(1, columnCount * rowCount))
  }

  deinit {
    for column in 0..<columnCount {
      let first = column * rowCount + takenRowCount
      let end = min(count, (column + 1) * rowCount)
      if first < end { (memory + first).deinitialize(count: end - first) }
    }
    memory.deallocate()
  }

  /// Puts the next value in, column after column.
  mutating func append(_ value: Value) {
    precondition(count < columnCount * rowCount, "a block has as many values as it has places")
    (memory + count).initialize(to: value)
    count += 1
  }

  /// Takes the next row out, when all values are in; those that are null are left out.
  ///
  /// - Parameter keys: those of the columns.
  mutating func takeRow(_ keys: [KeyNumber]) -> [Row.Entry] {
    precondition(
      count == columnCount * rowCount && takenRowCount < rowCount && keys.count == columnCount,
      "rows are taken when all values are in")
    let first = memory + takenRowCount
    defer { takenRowCount += 1 }
    return [Row.Entry](unsafeUninitializedCapacity: columnCount) { entries, entryCount in
      for column in 0..<columnCount {
        let value = (first + column * rowCount).move()
        if value.isNull { continue }
        entries.initializeElement(at: entryCount, to: Row.Entry(keys[column], value))
        entryCount += 1
      }
    }
  }
}
