internal import ByteCoding
internal import Journaling
internal import ObjectModel

// A directory to bytes, and back.
extension BlockDirectory {
  static let currentFormat: UInt8 = 1
  static let gapsFlag: UInt8 = 1
  static let deletionsFlag: UInt8 = 2
  /// A key, two lengths of a byte each, and a check.
  private static let smallestColumnByteCount = 1 + 1 + 1 + 8

  /// The next column, as far as the directory says.
  private struct Stretch {
    var offset: UInt64
    let end: UInt64
    var payloadByteCount: UInt64

    /// Reads where a column is; nil where it would reach past the end.
    mutating func readColumn(
      _ key: KeyNumber?, _ reader: inout ByteReader
    ) throws(ByteCodingError) -> Column? {
      let stored = try reader.readVarint()
      let byteCount = try reader.readVarint()
      let check: UInt64 = try reader.readInteger()
      guard stored > 0, stored <= end - offset, Limits.allow(payload: byteCount, in: stored) else {
        return nil
      }
      defer {
        offset += stored
        payloadByteCount += byteCount
      }
      return Column(
        key: key, offset: offset, storedByteCount: Int(stored), byteCount: Int(byteCount),
        check: check)
    }
  }

  /// Writes a directory.
  ///
  /// - Parameters:
  ///   - objects: one at least, in order.
  ///   - deletions: a bit a row, lowest first.
  ///   - columns: that of the commits first.
  static func write(
    objects: [UInt64], deletions: [UInt8], columns: [Column], to writer: inout ByteWriter
  ) {
    let (first, last) = (objects[0], objects[objects.count - 1])
    let hasGaps = last - first != UInt64(objects.count - 1)
    let hasDeletions = deletions.contains { $0 != 0 }
    writer.write(currentFormat)
    writer.write((hasGaps ? gapsFlag : 0) | (hasDeletions ? deletionsFlag : 0))
    writer.write(first)
    writer.writeVarint(UInt64(objects.count))
    if hasGaps {
      for index in objects.indices.dropFirst() {
        writer.writeVarint(objects[index] - objects[index - 1] - 1)
      }
    }
    if hasDeletions { writer.write(deletions) }
    var nextKey: UInt64 = 0
    for column in columns {
      if let key = column.key.map({ UInt64($0.rawValue) }) {
        writer.writeVarint(key - nextKey)
        nextKey = key + 1
      }
      writer.writeVarint(UInt64(column.storedByteCount))
      writer.writeVarint(UInt64(column.byteCount))
      writer.write(column.check)
      if column.key == nil { writer.writeVarint(UInt64(columns.count - 1)) }
    }
  }

  /// What the bytes of a directory turned out to be.
  enum Reading {
    case directory(BlockDirectory)
    case malformed
    case newer(format: UInt8)
  }

  /// Reads the directory of a block that the index has an entry for.
  static func read(_ bytes: UnsafeRawBufferPointer, _ entry: RunIndex.Entry) -> Reading {
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      let format: UInt8 = try reader.readInteger()
      guard format == currentFormat else { return .newer(format: format) }
      let flags: UInt8 = try reader.readInteger()
      let first: UInt64 = try reader.readInteger()
      let rowCount = try reader.readVarint()
      guard flags & ~(gapsFlag | deletionsFlag) == 0, first == entry.firstObject,
        rowCount == UInt64(entry.rowCount),
        let distances = try readDistances(&reader, entry, hasGaps: flags & gapsFlag != 0),
        let deletions = try readDeletions(&reader, entry, flags & deletionsFlag != 0),
        let (columns, end, payload) = try readColumns(&reader, entry)
      else { return .malformed }
      try reader.expectEnd()
      return .directory(
        BlockDirectory(
          firstObject: first, rowCount: Int(rowCount), distances: distances, deletions: deletions,
          columns: columns, endOffset: end, payloadByteCount: payload))
    } catch {
      return .malformed
    }
  }

  /// Which objects a directory is of, and how long it is, by itself; nil where it does not say so.
  ///
  /// - Parameter bytes: begin with the directory.
  static func extent(
    of bytes: UnsafeRawBufferPointer
  ) -> (objects: ClosedRange<UInt64>, rowCount: Int, byteCount: Int)? {
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      _ = try reader.readInteger(UInt8.self)
      let flags: UInt8 = try reader.readInteger()
      let first: UInt64 = try reader.readInteger()
      let rowCount = try reader.readVarint()
      guard (1...UInt64(RunLimits.rowCount)).contains(rowCount) else { return nil }
      var distance = rowCount - 1
      if flags & gapsFlag != 0 {
        for _ in 1..<rowCount {
          let between = try reader.readVarint()
          guard between <= RunLimits.span else { return nil }
          distance += between
        }
      }
      if flags & deletionsFlag != 0 { _ = try reader.readBytes((Int(rowCount) + 7) / 8) }
      try skipColumn(&reader)
      for _ in 0..<(try reader.readCount(ofAtLeast: smallestColumnByteCount)) {
        _ = try reader.readVarint()
        try skipColumn(&reader)
      }
      let (last, overflows) = first.addingReportingOverflow(distance)
      return overflows
        ? nil : (first...last, Int(rowCount), bytes.count - reader.remainingByteCount)
    } catch {
      return nil
    }
  }

  private static func skipColumn(_ reader: inout ByteReader) throws(ByteCodingError) {
    _ = try reader.readVarint()
    _ = try reader.readVarint()
    _ = try reader.readInteger(UInt64.self)
  }

  private static func readDistances(
    _ reader: inout ByteReader, _ entry: RunIndex.Entry, hasGaps: Bool
  ) throws(ByteCodingError) -> [UInt32]? {
    let span = entry.lastObject - entry.firstObject
    guard hasGaps else { return span == UInt64(entry.rowCount - 1) ? [] : nil }
    var distances: [UInt32] = [0]
    distances.reserveCapacity(Int(entry.rowCount))
    var distance: UInt64 = 0
    for _ in 1..<max(1, entry.rowCount) {
      let between = try reader.readVarint()
      guard between < span - distance else { return nil }
      distance += between + 1
      distances.append(UInt32(distance))
    }
    return distance == span ? distances : nil
  }

  private static func readDeletions(
    _ reader: inout ByteReader, _ entry: RunIndex.Entry, _ areThere: Bool
  ) throws(ByteCodingError) -> [UInt8]? {
    guard areThere else { return [] }
    let bits = try reader.readBytes((Int(entry.rowCount) + 7) / 8)
    let usedBits = entry.rowCount % 8
    if usedBits > 0, let last = bits.last, last >> UInt8(usedBits) != 0 { return nil }
    return [UInt8](bits)
  }

  /// - Returns: the columns, where the last one ends, and the length of the whole payload.
  private static func readColumns(
    _ reader: inout ByteReader, _ entry: RunIndex.Entry
  ) throws(ByteCodingError) -> ([Column], UInt64, UInt64)? {
    var stretch = Stretch(
      offset: RunIndex.directoryOffset + UInt64(entry.storedDirectoryByteCount),
      end: UInt64(entry.sealedByteCount) - UInt64(LZ4Frame.endMarkByteCount),
      payloadByteCount: UInt64(entry.directoryByteCount))
    guard let commits = try stretch.readColumn(nil, &reader) else { return nil }
    let count = try reader.readCount(ofAtLeast: smallestColumnByteCount)
    var columns = [commits]
    columns.reserveCapacity(count + 1)
    var nextKey: UInt64 = 0
    for _ in 0..<count {
      let (key, overflows) = nextKey.addingReportingOverflow(try reader.readVarint())
      guard !overflows, key <= UInt64(UInt32.max),
        let column = try stretch.readColumn(KeyNumber(rawValue: UInt32(key)), &reader)
      else { return nil }
      columns.append(column)
      nextKey = key + 1
    }
    guard stretch.offset == stretch.end,
      stretch.payloadByteCount <= UInt64(Limits.payloadByteCount)
    else { return nil }
    return (columns, stretch.end, stretch.payloadByteCount)
  }
}
