package import ByteCoding

/// The payload of a batch frame: edits in the order of their numbers, and the commits made with them.
///
///     first edit's number, count of edits, edits…, count of commits, commits…
///
/// Each edit or commit is an entry: twice its length, plus one where it spans pieces; then its bytes,
/// or the reference to its pieces. All numbers are variable-length.
package struct Batch {
  package let firstEdit: EditNumber
  package let editCount: Int
  package let commitCount: Int
  private let edits: UnsafeRawBufferPointer
  private let commits: UnsafeRawBufferPointer

  /// The number the edit after the batch has.
  package var nextEdit: EditNumber { firstEdit + UInt64(editCount) }

  /// Reads a payload, and checks all of its structure; nil where it is malformed.
  package init?(_ payload: UnsafeRawBufferPointer) {
    var reader = ByteReader(payload)
    var spans: [Span] = []
    var sum = SpanSum()
    do throws(ByteCodingError) {
      firstEdit = EditNumber(try reader.readVarint())
      editCount = try reader.readCount(ofAtLeast: 1)
      edits = try Self.skip(editCount, &reader, &spans, &sum)
      commitCount = try reader.readCount(ofAtLeast: 1)
      commits = try Self.skip(commitCount, &reader, &spans, &sum)
      try reader.expectEnd()
    } catch {
      return nil
    }
    guard Span.areApart(spans) else { return nil }
    guard Self.edits(from: firstEdit, UInt64(editCount)) != nil else { return nil }
  }

  /// So many edits from a number on; nil where their numbers cannot be.
  private static func edits(from first: EditNumber, _ count: UInt64) -> Range<EditNumber>? {
    guard Limits.allow(number: first.rawValue), count <= UInt64(Limits.batchEntryCount) else {
      return nil
    }
    return first..<first + count
  }

  /// Calls a closure with each edit, in order.
  package func forEachEdit<Failure: Error>(
    _ body: (EditNumber, Entry) throws(Failure) -> Void
  ) throws(Failure) {
    var reader = ByteReader(edits)
    var number = firstEdit
    while let entry = Entry(&reader) {
      try body(number, entry)
      number = number + 1
    }
  }

  /// Calls a closure with each commit, in order.
  package func forEachCommit<Failure: Error>(
    _ body: (Entry) throws(Failure) -> Void
  ) throws(Failure) {
    var reader = ByteReader(commits)
    while let entry = Entry(&reader) { try body(entry) }
  }

  private static func skip(
    _ count: Int, _ reader: inout ByteReader, _ spans: inout [Span], _ sum: inout SpanSum
  ) throws(ByteCodingError) -> UnsafeRawBufferPointer {
    guard count <= Limits.batchEntryCount else {
      throw ByteCodingError(code: .countTooLarge, offset: reader.offset)
    }
    let start = reader
    for _ in 0..<count {
      guard let entry = Entry(&reader) else {
        throw ByteCodingError(code: .endOfBytes, offset: reader.offset)
      }
      guard case .spanning(let span) = entry else { continue }
      guard sum.hasRoom(for: span.byteCount) else {
        throw ByteCodingError(code: .countTooLarge, offset: reader.offset)
      }
      sum.add(span.byteCount)
      spans.append(span)
    }
    var region = start
    return try region.readBytes(reader.offset - start.offset)
  }

  /// An edit or a commit in a batch.
  package enum Entry {
    /// All of it; valid as long as the payload.
    case whole(UnsafeRawBufferPointer)
    /// Where its pieces are.
    case spanning(Span)

    init?(_ reader: inout ByteReader) {
      do throws(ByteCodingError) {
        let field = try reader.readVarint()
        let bytes = try reader.readBytes(Int(field >> 1))
        if field & 1 == 0 {
          self = .whole(bytes)
        } else if let span = Span(bytes) {
          self = .spanning(span)
        } else {
          return nil
        }
      } catch {
        return nil
      }
    }
  }
}

/// Where the pieces of a large edit or commit are, and what they must add up to.
package struct Span: Hashable, Sendable {
  package let firstFrame: FrameNumber
  package let pieceCount: Int
  package let byteCount: Int
  package let check: UInt64
  /// How many bytes from its beginning on are wanted; nil for all.
  package private(set) var wantedByteCount: Int?

  /// The last of the pieces.
  package var lastFrame: FrameNumber { FrameNumber(firstFrame.rawValue &+ UInt64(pieceCount) &- 1) }

  package static let largestByteCount = 3 * Varint.maximumByteCount + 8

  package init(firstFrame: FrameNumber, pieceCount: Int, byteCount: Int, check: UInt64) {
    self.firstFrame = firstFrame
    self.pieceCount = pieceCount
    self.byteCount = byteCount
    self.check = check
  }

  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      firstFrame = FrameNumber(try reader.readVarint())
      let pieceCount = try reader.readVarint()
      let byteCount = try reader.readVarint()
      check = try reader.readInteger()
      try reader.expectEnd()
      guard Limits.allow(number: firstFrame.rawValue), byteCount <= UInt64(Limits.entryByteCount),
        pieceCount > 0, pieceCount <= byteCount
      else { return nil }
      self.pieceCount = Int(pieceCount)
      self.byteCount = Int(byteCount)
    } catch {
      return nil
    }
  }

  /// Whether no piece belongs to two spans: a few bytes could stand for any number of them otherwise.
  static func areApart(_ spans: [Span]) -> Bool {
    guard spans.count > 1 else { return true }
    let sorted = spans.sorted { $0.firstFrame < $1.firstFrame }
    return zip(sorted, sorted.dropFirst()).allSatisfy { $0.lastFrame < $1.firstFrame }
  }

  /// The same, of which no more than the beginning is wanted: that is not checked but by the frames it stands in.
  package func beginning(_ byteCount: Int) -> Span {
    var span = self
    span.wantedByteCount = byteCount
    return span
  }

  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(firstFrame.rawValue)
    writer.writeVarint(UInt64(pieceCount))
    writer.writeVarint(UInt64(byteCount))
    writer.write(check)
  }
}

/// How many spans a batch has, and what they add up to: a few bytes can stand for a gibibyte, and who reads a
/// batch may want all of it at once.
package struct SpanSum {
  private var count = 0
  private var byteCount = 0

  package init() {}

  /// Whether a batch with these spans may have another one, of an edit or commit of a length.
  package func hasRoom(
    for byteCount: Int, within largestByteCount: Int = Limits.spansByteCount
  ) -> Bool {
    // One by itself is bounded by its own limit.
    count == 0 || count < Limits.spanCount && byteCount <= largestByteCount - self.byteCount
  }

  package mutating func add(_ byteCount: Int) {
    count += 1
    self.byteCount += byteCount
  }
}

extension ByteWriter {
  package mutating func writeEntry(_ writer: borrowing ByteWriter, isSpan: Bool) {
    writeEntry(writer.unsafeBytes, isSpan: isSpan)
  }

  package mutating func writeEntry(_ bytes: UnsafeRawBufferPointer, isSpan: Bool) {
    writeVarint(UInt64(bytes.count) << 1 | (isSpan ? 1 : 0))
    write(bytes)
  }
}
