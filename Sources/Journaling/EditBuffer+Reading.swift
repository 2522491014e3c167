package import DiskAccess

/// What an edit buffer left by an earlier writer holds. It is read by `pread`, never mapped, since
/// anybody may have cut the file.
package struct EditBufferContents {
  /// The last frame the buffer knows to be durable.
  package private(set) var durableThrough = FrameNumber.none
  package private(set) var findings: [Finding] = []
  private var halves: [Half] = []
  /// Everything in the file.
  private(set) var bytes: [UInt8] = []
  private var salt: UInt64 = 0

  private struct Half {
    let firstEdit: EditNumber
    let entries: Range<Int>
  }

  /// Reads the buffer in a store's folder; what cannot be read is found and left out.
  ///
  /// - Throws: also where something else has taken its name, as a writer must not go on then: a link may lead to edits.
  package init(in folder: any ReadableFolder, store: StoreIdentity) throws(JournalError) {
    let name = JournalFiles.edits
    guard try onDisk({ () throws(DiskError) in try folder.information(of: name) }) != nil else {
      findings = [Finding(.editBufferMissing, name)]
      return
    }
    bytes = try onDisk { () throws(DiskError) in
      try folder.fileForReading(name).bytes(limit: Limits.editBufferByteCount)
    }
    bytes.withUnsafeBytes { read($0, store) }
  }

  /// The same for whoever only looks: what has taken its name is found, too.
  package static func found(
    in folder: any ReadableFolder, store: StoreIdentity
  ) throws(JournalError) -> EditBufferContents {
    do throws(JournalError) {
      return try EditBufferContents(in: folder, store: store)
    } catch {
      guard case .disk(let cause) = error, cause.meetsNoFile else { throw error }
      var contents = EditBufferContents([], of: store)
      contents.findings = [Finding(.editBufferDamaged, JournalFiles.edits)]
      return contents
    }
  }

  /// The same of bytes that were read of the file.
  package init(_ bytes: [UInt8], of store: StoreIdentity) {
    self.bytes = bytes
    bytes.withUnsafeBytes { read($0, store) }
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer, _ store: StoreIdentity) {
    guard let header = readHeader(bytes, store) else { return }
    salt = header.salt
    for offset in EditBufferLayout.slotOffsets where offset + 16 <= bytes.count {
      let slot = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      if let count = Self.slot(slot, salt: salt) { durableThrough = max(durableThrough, count) }
    }
    let halfByteCount = header.halfByteCount
    guard bytes.count >= EditBufferLayout.byteCount(halfByteCount: halfByteCount) else {
      // What is left of it may still know what was durable.
      findings.append(Finding(.editBufferDamaged, JournalFiles.edits))
      return
    }
    let generations = [0, 1].map { index in
      bytes.loadUnaligned(
        fromByteOffset: EditBufferLayout.offset(ofHalf: index, halfByteCount: halfByteCount),
        as: UInt64.self
      ).littleEndian
    }
    for index in 0...1 {
      // A writer begins with both, the first one first and as the second generation, so that nothing is in the other yet.
      let mayBeNew = generations[1 - index] <= (index == 0 ? 0 : 2)
      readHalf(index, halfByteCount, bytes, mayBeNew: mayBeNew)
    }
    halves.sort { $0.firstEdit < $1.firstEdit }
  }

  /// - Returns: the header, where it is sound and this store's.
  private mutating func readHeader(
    _ bytes: UnsafeRawBufferPointer, _ store: StoreIdentity
  ) -> EditBufferHeader? {
    let fault: Finding.Kind
    switch EditBufferHeader.read(bytes) {
    case .newer(let format, let features):
      fault = .editBufferNewer(format: format, requiredFeatures: features)
    case .header(let header) where header.store != store:
      fault = .editBufferForeign
    case .header(let header): return header
    case .damaged:
      fault = .editBufferDamaged
    }
    findings.append(Finding(fault, JournalFiles.edits))
    return nil
  }

  /// A slot's count, where its check fits.
  static func slot(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> FrameNumber? {
    let count = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let check = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    guard Checksum.matches(check, EditBufferLayout.slotCheck(count, salt: salt)) else { return nil }
    return FrameNumber(count)
  }

  /// - Parameter mayBeNew: whether it may be that nobody has ever begun the half.
  private mutating func readHalf(
    _ index: Int, _ halfByteCount: Int, _ bytes: UnsafeRawBufferPointer, mayBeNew: Bool
  ) {
    let start = EditBufferLayout.offset(ofHalf: index, halfByteCount: halfByteCount)
    let entries = start + EditBufferLayout.halfHeaderByteCount
    let header = UnsafeRawBufferPointer(rebasing: bytes[start..<entries])
    let half = UnsafeRawBufferPointer(rebasing: bytes[start..<start + halfByteCount])
    if isYetToBegin(half) {
      if mayBeNew || header.contains(where: { $0 != 0 }) { return }
      findings.append(Finding(.editHalfEmpty, JournalFiles.edits, at: UInt64(start)))
      return
    }
    guard Checksum.endsWithCheck(header, salt: salt) else {
      findings.append(Finding(.editHalfDamaged, JournalFiles.edits, at: UInt64(start)))
      return
    }
    let first = header.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    halves.append(
      Half(
        firstEdit: EditNumber(UInt64(littleEndian: first)),
        entries: entries..<start + halfByteCount))
  }

  /// Whether a half was never begun, or its writer died while it began it.
  private func isYetToBegin(_ half: UnsafeRawBufferPointer) -> Bool {
    let generation = half.loadUnaligned(as: UInt64.self)
    let entries = half[EditBufferLayout.halfHeaderByteCount...].prefix(8)
    return generation == 0 && entries.allSatisfy { $0 == 0 }
  }

  /// Hands out the edits that no frame holds yet, in their unbroken order: nothing after a hole.
  ///
  /// - Parameters:
  ///   - expected: The edit after the last one that a frame holds.
  ///   - body: Takes an edit, or refuses it and with it all that follow.
  package mutating func forEachUnsealedEdit(
    from expected: EditNumber, _ body: (UnsafeRawBufferPointer, _ isSpan: Bool) -> Bool
  ) {
    var expected = expected
    for half in halves {
      var number = half.firstEdit
      var offset = half.entries.lowerBound
      while let entry = entry(at: offset, in: half, number, expected) {
        if number > expected {
          let kind = Finding.Kind.editsMissing(expected: expected, found: number)
          findings.append(Finding(kind, JournalFiles.edits, at: UInt64(offset)))
          return
        }
        if number == expected {
          let isTaken = bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[entry.bytes]), entry.isSpan)
          }
          guard isTaken else {
            let kind = Finding.Kind.editDamaged(expected: expected)
            findings.append(Finding(kind, JournalFiles.edits, at: UInt64(offset)))
            return
          }
          expected = expected + 1
        }
        number = number + 1
        offset += EditBufferLayout.roomForEntry(of: entry.bytes.count)
      }
    }
  }

  /// The edit that comes first of those that can be read; nil where none can.
  package var firstEdit: EditNumber? { halves.first?.firstEdit }

  /// The bytes as they would be if the edit at a place had not been put there, nor those that follow it.
  package func bytes(before offset: UInt64) -> [UInt8] {
    var cut = bytes
    func clear(_ place: Int) {
      cut.replaceSubrange(place..<place + 8, with: repeatElement(0, count: 8))
    }
    guard let last = halves.firstIndex(where: { $0.entries.contains(Int(offset)) }) else {
      return bytes
    }
    clear(Int(offset))
    // A half is begun by its generation, which comes first in its header.
    for half in halves[(last + 1)...] {
      clear(half.entries.lowerBound - EditBufferLayout.halfHeaderByteCount)
      clear(half.entries.lowerBound)
    }
    return cut
  }

  /// The entry at a position; nil at the end of the entries, or where one is not whole.
  private mutating func entry(
    at offset: Int, in half: Half, _ number: EditNumber, _ expected: EditNumber
  ) -> (bytes: Range<Int>, isSpan: Bool)? {
    let start = offset + EditBufferLayout.entryHeaderByteCount
    guard start <= half.entries.upperBound else { return nil }
    let header = bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    if header == 0 { return nil }
    let lengthField = UInt32(truncatingIfNeeded: header >> 32)
    let byteCount = Int(lengthField & ~EditBufferLayout.spanFlag)
    let isWithin = byteCount > 0 && byteCount <= half.entries.upperBound - start
    let isWhole =
      isWithin
      && bytes.withUnsafeBytes {
        let content = UnsafeRawBufferPointer(rebasing: $0[start..<start + byteCount])
        let check = EditBufferLayout.check(content, number, lengthField: lengthField, salt: salt)
        return Checksum.matches(UInt32(truncatingIfNeeded: header), check)
      }
    guard isWhole else {
      // Where the other half goes on before what is expected, frames hold all there was in this one.
      let isInFrames = halves.contains { half.firstEdit < $0.firstEdit && $0.firstEdit <= expected }
      if !isInFrames {
        findings.append(
          Finding(
            .editDamaged(expected: max(number, expected)), JournalFiles.edits, at: UInt64(offset)))
      }
      return nil
    }
    return (start..<start + byteCount, lengthField & EditBufferLayout.spanFlag != 0)
  }
}
