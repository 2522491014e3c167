// Edit buffers written byte by byte as docs/format.md has them, as a writer or a crash may leave them.

internal import ByteCoding
package import Journaling

/// An edit buffer in the making.
package struct EditBufferBytes: Sendable {
  /// A half of the buffer and the edits in it.
  package struct Half: Sendable {
    package var generation: UInt64 = 1
    package var firstEdit: UInt64
    package var edits: [[UInt8]]
    /// Which of the edits are references to pieces.
    package var spans: Set<Int> = []

    package init(from firstEdit: UInt64, _ edits: [[UInt8]]) {
      self.firstEdit = firstEdit
      self.edits = edits
    }
  }

  package var name: [UInt8] = Array("XJ-EDITS".utf8)
  package var format: UInt16 = 1
  package var requiredFeatures: UInt32 = 0
  package var store = StoreIdentity(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)
  package var salt: UInt64 = 0xFEDC_BA98_7654_3210
  package var halfByteCount: UInt32 = 256
  package var slots: [UInt64?] = [nil, nil]
  package var halves: [Half?] = [nil, nil]

  package init(_ halves: Half?...) {
    for (index, half) in halves.enumerated() { self.halves[index] = half }
  }

  /// Where a half begins.
  package func offset(ofHalf index: Int) -> Int { 4096 + index * Int(halfByteCount) }

  /// Where the entries of a half begin, and where the last of them ends.
  package func offsets(ofEntriesInHalf index: Int) -> [Int] {
    var offsets = [offset(ofHalf: index) + 32]
    for edit in halves[index]?.edits ?? [] {
      offsets.append((offsets.last ?? 0) + 8 + (edit.count + 7) / 8 * 8)
    }
    return offsets
  }

  /// The bytes of the file; `fileByteCount` where it is not what the header wants.
  package func encoded(fileByteCount: Int? = nil) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: fileByteCount ?? 4096 + 2 * Int(halfByteCount))
    func put(_ part: [UInt8], _ offset: Int) {
      bytes.replaceSubrange(offset..<offset + part.count, with: part)
    }
    put(header, 0)
    for (slot, offset) in zip(slots, [1024, 2048]) {
      if let slot { put(self.slot(slot), offset) }
    }
    for (index, half) in halves.enumerated() {
      if let half { put(encoded(half), offset(ofHalf: index)) }
    }
    return bytes
  }

  private var header: [UInt8] {
    var writer = ByteWriter()
    writer.write(name)
    writer.write(format)
    writer.write(UInt16(0))
    writer.write(requiredFeatures)
    for field in [store.high, store.low, salt] { writer.write(field) }
    writer.write(halfByteCount)
    while writer.byteCount < 56 { writer.write(UInt8(0)) }
    writer.writeCheck(salt: 0)
    return writer.array
  }

  /// A count of durable frames with its check.
  package func slot(_ count: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(count)
    writer.writeCheck(salt: salt)
    return writer.array
  }

  private func encoded(_ half: Half) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(half.generation)
    writer.write(half.firstEdit)
    writer.write(UInt64(0))
    writer.writeCheck(salt: salt)
    for (index, edit) in half.edits.enumerated() {
      let number = half.firstEdit &+ UInt64(index)
      writer.write(entry(edit, number, isSpan: half.spans.contains(index)))
    }
    return writer.array
  }

  /// An entry with its header, filled up to an eighth byte; the length may be claimed to be another.
  package func entry(
    _ edit: [UInt8], _ number: UInt64, isSpan: Bool = false, claiming byteCount: UInt32? = nil
  ) -> [UInt8] {
    let lengthField = (byteCount ?? UInt32(edit.count)) | (isSpan ? 0x8000_0000 : 0)
    let check = edit.withUnsafeBytes {
      Checksum.of($0, salt: salt &+ number &* 0x9E37_79B9_7F4A_7C15)
    }
    var writer = ByteWriter()
    writer.write(UInt32(truncatingIfNeeded: check) ^ lengthField)
    writer.write(lengthField)
    writer.write(edit)
    while writer.byteCount % 8 != 0 { writer.write(UInt8(0)) }
    return writer.array
  }
}

/// What is read of an edit buffer.
package struct EditBufferReading {
  package private(set) var edits: [[UInt8]] = []
  package private(set) var spans: Set<Int> = []
  package let durableThrough: UInt64
  package private(set) var findings: [Finding] = []

  /// Reads the edits from a number on; at most `limit` of them are taken.
  package init(
    of bytes: [UInt8]?, store: StoreIdentity = EditBufferBytes().store, from expected: UInt64 = 1,
    limit: Int = .max
  ) throws(JournalError) {
    let folder = bytes.map { MemoryFolder(JournalFiles.edits, $0) } ?? MemoryFolder([:])
    var contents = try EditBufferContents(in: folder, store: store)
    durableThrough = contents.durableThrough.rawValue
    var edits: [[UInt8]] = []
    var spans: Set<Int> = []
    contents.forEachUnsealedEdit(from: EditNumber(expected)) { bytes, isSpan in
      guard edits.count < limit else { return false }
      if isSpan { spans.insert(edits.count) }
      edits.append([UInt8](bytes))
      return true
    }
    (self.edits, self.spans, findings) = (edits, spans, contents.findings)
  }
}
