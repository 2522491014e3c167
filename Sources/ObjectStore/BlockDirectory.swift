internal import ObjectModel

/// What a block has: the numbers of its rows, which of them are deleted, and where its columns are.
final class BlockDirectory: @unchecked Sendable {
  // Nothing is written once it is made, so that any thread may read it.

  /// What the directory says of a column.
  struct Column: Hashable, Sendable {
    /// Whose values it has; nil for the commits that changed the rows last.
    let key: KeyNumber?
    /// Where its LZ4 blocks begin, counted from the block's seal.
    var offset: UInt64
    /// The length of its LZ4 blocks.
    let storedByteCount: Int
    /// Its length, decompressed.
    let byteCount: Int
    /// The check of its LZ4 blocks.
    var check: UInt64
  }

  let firstObject: UInt64
  let rowCount: Int
  /// How far each row's number is from the first's; none where the numbers have no gaps.
  private let distances: [UInt32]
  /// Where the rows of objects are; nil where they lie too far apart for that.
  let map: PlaceMap?
  /// A bit a row, lowest first; none where no row is deleted.
  let deletions: [UInt8]
  /// That of the commits, and then those of the keys, which ascend.
  let columns: [Column]
  /// Those of the columns that have one.
  let keys: [KeyNumber]
  /// Where the last column ends, counted from the block's seal.
  let endOffset: UInt64
  /// The length of the directory and all columns, decompressed.
  let payloadByteCount: UInt64

  /// Roughly how much memory it takes.
  var memoryByteCount: Int {
    232 + distances.count * 4 + (map?.memoryByteCount ?? 0) + deletions.count + columns.count * 56
  }

  /// The place of an object's row; nil where there is none.
  @inline(__always)
  func place(of object: UInt64) -> Int? {
    if let map { return map.place(of: object) }
    let place = firstPlace(notBefore: object)
    return place < rowCount && self.object(place) == object ? place : nil
  }

  /// The first place whose object is not before one.
  func firstPlace(notBefore object: UInt64) -> Int {
    guard object > firstObject else { return 0 }
    let distance = object - firstObject
    if distances.isEmpty { return Int(min(distance, UInt64(rowCount))) }
    return (0..<rowCount).firstPlace(inOrder: { UInt64(distances[$0]) >= distance })
  }

  /// The object of a row.
  @inline(__always)
  func object(_ place: Int) -> UInt64 {
    firstObject + (distances.isEmpty ? UInt64(place) : UInt64(distances[place]))
  }

  var hasDeletions: Bool { !deletions.isEmpty }

  @inline(__always)
  func isDeleted(_ place: Int) -> Bool {
    !deletions.isEmpty && deletions[place / 8] >> UInt8(place % 8) & 1 == 1
  }

  var deletedCount: Int { deletions.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The places of the keys' columns.
  var placesOfKeys: Range<Int> { 1..<columns.count }

  /// The key of a column that has one.
  func key(_ column: Int) -> KeyNumber { keys[column - 1] }

  init(
    firstObject: UInt64, rowCount: Int, distances: [UInt32], deletions: [UInt8], columns: [Column],
    endOffset: UInt64, payloadByteCount: UInt64
  ) {
    self.firstObject = firstObject
    self.rowCount = rowCount
    self.distances = distances
    map = PlaceMap(firstObject: firstObject, rowCount: rowCount, distances: distances)
    self.deletions = deletions
    self.columns = columns
    keys = columns.compactMap(\.key)
    self.endOffset = endOffset
    self.payloadByteCount = payloadByteCount
  }

  deinit { map?.deallocate() }

  /// That of a block that has no rows.
  static let empty = BlockDirectory(
    firstObject: 0, rowCount: 0, distances: [], deletions: [], columns: [], endOffset: 0,
    payloadByteCount: 0)
}
