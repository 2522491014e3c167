internal import ByteCoding
internal import FoundationEssentials
internal import Journaling
internal import ObjectModel
internal import PropertyListCoding

/// A block in the making: rows turned into columns. Its memory is kept between blocks.
struct BlockAssembly: ~Copyable {
  /// A key's values in the making.
  private struct Column {
    let key: KeyNumber
    /// The values of the first rows; those that follow have none.
    var values: [ArrayElement] = []
    /// How many of them are not null.
    var valueCount = 0
  }

  private var objects: [UInt64] = []
  private var deletions: [UInt8] = []
  private var commits: [ArrayElement] = []
  /// Sorted by key.
  private var columns: [Column] = []
  /// How many bytes the values have, roughly.
  private var byteCount = 0
  /// The rows of other runs that values lie in.
  private var sources: [BlockRows] = []
  private var sourceByteCount = 0

  // Of the block that has been compressed
  private var list = ByteWriter(capacity: 64 << 10)
  private var directory = ByteWriter(capacity: 1 << 10)
  private var storedDirectory = ByteWriter(capacity: 1 << 10)
  private var storedColumns = ByteWriter(capacity: 64 << 10)
  private var limit = LZ4Frame.BlockLimit.kibibytes64
  private(set) var payloadByteCount = 0

  /// What a column takes besides its values, and a row in each column.
  private static let columnByteCount = 64

  var isEmpty: Bool { objects.isEmpty }
  var rowCount: Int { objects.count }

  /// Whether a row can be added to those that are there.
  func hasRoom(
    for object: UInt64, byteCount: Int, valueCount: Int, _ options: RunOptions
  ) -> Bool {
    guard let first = objects.first else { return true }
    // Every column has a reference for every row. How many columns there will be is not known, but no more
    // than twice as many as this.
    let columnCount = max(columns.count, valueCount)
    let references = columnCount * (objects.count + 1 + Self.columnByteCount)
    return objects.count < options.blockRowCount
      && self.byteCount + byteCount + references <= options.blockByteCount
      && RunIndex.prefix(of: first) == RunIndex.prefix(of: object)
      && object - first <= RunLimits.span
  }

  /// How many bytes of other blocks are kept: of more than many of them.
  private static let largestSourceByteCount = 4 << 20

  /// Whether rows of another run may be kept until the block is written.
  func mayKeep(_ rows: BlockRows) -> Bool {
    isKept(rows) || sourceByteCount + rows.byteCount <= Self.largestSourceByteCount
  }

  private func isKept(_ rows: BlockRows) -> Bool { sources.contains { $0 === rows } }

  /// Keeps the rows that the next row's values lie among, until the block is written.
  mutating func keep(_ rows: BlockRows?) {
    guard let rows, !isKept(rows) else { return }
    sources.append(rows)
    sourceByteCount += rows.byteCount
  }

  /// Adds a row.
  ///
  /// - Parameter entries: its values, sorted by key; nil where the object is deleted.
  mutating func append(
    _ object: UInt64, changed: CommitNumber, _ entries: [RunEntry]?, byteCount: Int
  ) {
    let place = objects.count
    objects.append(object)
    if place % 8 == 0 { deletions.append(0) }
    commits.append(.value(.integer(Int(changed.rawValue))))
    self.byteCount += byteCount
    guard let entries else {
      deletions[place / 8] |= 1 << UInt8(place % 8)
      return
    }
    var column = 0
    for entry in entries {
      while column < columns.count, columns[column].key < entry.key { column += 1 }
      if column == columns.count || columns[column].key != entry.key {
        columns.insert(Column(key: entry.key), at: column)
      }
      Self.pad(&columns[column], to: place)
      columns[column].values.append(entry.element)
      columns[column].valueCount += 1
      column += 1
    }
  }

  /// Gives a column nulls for the rows it lacks.
  private static func pad(_ column: inout Column, to count: Int) {
    let missing = count - column.values.count
    guard missing > 0 else { return }
    column.values.append(contentsOf: repeatElement(.value(.null), count: missing))
  }

  /// Forgets the rows.
  mutating func removeAll() {
    // What most blocks have, the next one has too, but a key that was rare stays no longer than its block.
    columns.removeAll { $0.valueCount <= objects.count / 2 }
    for index in columns.indices {
      columns[index].values.removeAll(keepingCapacity: true)
      columns[index].valueCount = 0
    }
    objects.removeAll(keepingCapacity: true)
    deletions.removeAll(keepingCapacity: true)
    commits.removeAll(keepingCapacity: true)
    sources.removeAll(keepingCapacity: true)
    (sourceByteCount, byteCount) = (0, 0)
  }

  // MARK: Compressing

  /// Compresses directory and columns.
  ///
  /// - Returns: what the index says of the block, but for its length.
  mutating func compress(
    with lz4: borrowing LZ4FrameWriter, salt: UInt64, store: StoreTag
  ) throws(RunError) -> RunIndex.Entry {
    // A block has a row at least.
    let (first, last) = (objects[0], objects[objects.count - 1])
    storedColumns.removeAll()
    payloadByteCount = 0
    let object = ObjectID(rawValue: first, store: store)
    var parts = [try compress(commits, of: nil, with: lz4, salt: salt, object)]
    for index in columns.indices where !columns[index].values.isEmpty {
      Self.pad(&columns[index], to: objects.count)
      parts.append(
        try compress(columns[index].values, of: columns[index].key, with: lz4, salt: salt, object))
    }
    directory.removeAll()
    BlockDirectory.write(objects: objects, deletions: deletions, columns: parts, to: &directory)
    try count(directory.byteCount, object)
    storedDirectory.removeAll()
    lz4.writeBlocks(of: directory.unsafeBytes, .mebibytes4, to: &storedDirectory)
    let largest = parts.reduce(directory.byteCount) { max($0, $1.byteCount) }
    limit = LZ4Frame.BlockLimit(payloadByteCount: largest)
    return RunIndex.Entry(
      firstObject: first, lastObject: last, sealedByteCount: 0, rowCount: UInt32(objects.count),
      storedDirectoryByteCount: UInt32(storedDirectory.byteCount),
      directoryByteCount: UInt32(directory.byteCount),
      directoryCheck: Checksum.of(storedDirectory.unsafeBytes, salt: salt))
  }

  /// Writes the LZ4 frame of what has been compressed.
  borrowing func writeFrame(to writer: inout ByteWriter) {
    LZ4Frame.writePrefix(limit, to: &writer)
    writer.write(storedDirectory)
    writer.write(storedColumns)
    LZ4Frame.writeEndMark(to: &writer)
  }

  private mutating func compress(
    _ values: [ArrayElement], of key: KeyNumber?, with lz4: borrowing LZ4FrameWriter, salt: UInt64,
    _ first: ObjectID
  ) throws(RunError) -> BlockDirectory.Column {
    list.removeAll()
    do throws(PropertyListError) {
      try PropertyListWriter.writeArray(of: values, to: &list)
    } catch {
      throw unwritable(values, key, first, error)
    }
    try count(list.byteCount, first)
    let start = storedColumns.byteCount
    lz4.writeBlocks(of: list.unsafeBytes, .mebibytes4, to: &storedColumns)
    let stored = UnsafeRawBufferPointer(rebasing: storedColumns.unsafeBytes[start...])
    return BlockDirectory.Column(
      key: key, offset: 0, storedByteCount: stored.count, byteCount: list.byteCount,
      check: Checksum.of(stored, salt: salt))
  }

  private mutating func count(_ byteCount: Int, _ first: ObjectID) throws(RunError) {
    payloadByteCount += byteCount
    guard payloadByteCount <= Limits.payloadByteCount else {
      throw .rowTooLarge(first, byteCount: payloadByteCount, limit: Limits.payloadByteCount)
    }
  }

  /// Which value of a column it is that cannot be written.
  private func unwritable(
    _ values: [ArrayElement], _ key: KeyNumber?, _ first: ObjectID, _ error: PropertyListError
  ) -> RunError {
    let place = values.firstIndex { value in
      do throws(PropertyListError) {
        var scratch = ByteWriter()
        try PropertyListWriter.writeArray(of: [value], to: &scratch)
        return false
      } catch {
        return true
      }
    }
    let object = ObjectID(rawValue: objects[place ?? 0], store: first.store)
    return .unwritable(object, key ?? KeyNumber(rawValue: 0), error.code)
  }

  // MARK: Sizes

  /// How many bytes the values of a row have, roughly.
  static func byteCount(of row: Row?) -> Int {
    guard let row else { return 12 }
    return byteCount(of: row.entries.lazy.map(\.value))
  }

  static func byteCount(of values: some Sequence<Value>) -> Int {
    values.reduce(12) { $0 + byteCount(of: $1) }
  }

  static func byteCount(of entries: [RunEntry]) -> Int {
    entries.reduce(12) { sum, entry in
      switch entry.element {
      case .value(let value): sum + byteCount(of: value)
      case .text(let bytes), .data(let bytes): sum + 6 + bytes.count
      }
    }
  }

  private static func byteCount(of value: Value) -> Int {
    switch value {
    case .null, .boolean: 2
    case .integer, .real, .date: 12
    case .counter: 16
    case .decimal(let decimal): 32 + abs(decimal.exponent)
    case .string(let text): 6 + text.utf8.count
    case .data(let data): 6 + data.count
    case .uuid, .reference: 32
    case .url(let url): 16 + url.absoluteString.utf8.count
    case .array(let values): values.reduce(8) { $0 + 2 + byteCount(of: $1) }
    case .set(let values): values.reduce(10) { $0 + 2 + byteCount(of: $1) }
    case .dictionary(let values):
      values.reduce(8) { $0 + 8 + $1.key.utf8.count + byteCount(of: $1.value) }
    }
  }
}
