package import DiskAccess

// How much of a journal is durable, as its edit buffer knows it, without the edits.
extension EditBufferContents {
  /// Whether a writer has stored anything into a buffer, sound or not; one that was only made has nothing
  /// behind its header.
  static func hasContent(in folder: any ReadableFolder) throws(JournalError) -> Bool {
    try onDisk { () throws(DiskError) in
      guard try folder.information(of: JournalFiles.edits) != nil else { return false }
      let file = try folder.fileForReading(JournalFiles.edits)
      let bytes = try file.bytes(limit: Limits.editBufferByteCount)
      return bytes.dropFirst(EditBufferLayout.headerByteCount).contains { $0 != 0 }
    }
  }

  /// What stands before the halves; nil where there is no file, or something else in its place.
  private static func firstBytes(in folder: any ReadableFolder) throws(DiskError) -> [UInt8]? {
    do throws(DiskError) {
      guard try folder.information(of: JournalFiles.edits) != nil else { return nil }
      let file = try folder.fileForReading(JournalFiles.edits)
      return try file.bytes(limit: EditBufferLayout.firstHalfOffset)
    } catch {
      guard error.meetsNoFile else { throw error }
      return nil
    }
  }

  /// What keeps it from being known how many frames are durable; nil where that is known.
  package static func durabilityFinding(
    in folder: any ReadableFolder, store: StoreIdentity
  ) throws(DiskError) -> Finding? {
    func finding(_ kind: Finding.Kind) -> Finding { Finding(kind, JournalFiles.edits) }
    guard let file = try folder.information(of: JournalFiles.edits) else {
      return finding(.editBufferMissing)
    }
    guard let bytes = try firstBytes(in: folder) else { return finding(.editBufferDamaged) }
    return bytes.withUnsafeBytes { bytes in
      guard bytes.count == EditBufferLayout.firstHalfOffset else {
        return finding(.editBufferDamaged)
      }
      switch EditBufferHeader.read(bytes) {
      case .damaged: return finding(.editBufferDamaged)
      case .newer(let format, let features):
        return finding(.editBufferNewer(format: format, requiredFeatures: features))
      case .header(let header):
        guard header.store == store else { return finding(.editBufferForeign) }
        let wanted = EditBufferLayout.byteCount(halfByteCount: header.halfByteCount)
        guard file.byteCount >= UInt64(wanted) else { return finding(.editBufferDamaged) }
        let slots = EditBufferLayout.slotOffsets.map { offset in
          UnsafeRawBufferPointer(rebasing: bytes[offset...].prefix(EditBufferLayout.slotByteCount))
        }
        let isCount = slots.map { Self.slot($0, salt: header.salt) != nil }
        if isCount == [true, true] { return nil }
        // The second is stored into when the first has a count. An empty one may be that, or a count that is lost.
        let isLost = !isCount[0] && !isCount[1] && slots[1].contains { $0 != 0 }
        return finding(isLost ? .editBufferDamaged : .editCountDamaged)
      }
    }
  }

  /// Reads only how many frames are durable, as another process does that follows a live journal.
  package static func durableThrough(
    in folder: any ReadableFolder, store: StoreIdentity
  ) throws(DiskError) -> FrameNumber? {
    guard let bytes = try firstBytes(in: folder) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      guard bytes.count == EditBufferLayout.firstHalfOffset,
        case .header(let header) = EditBufferHeader.read(bytes), header.store == store
      else { return nil }
      return EditBufferLayout.slotOffsets.compactMap { offset in
        slot(UnsafeRawBufferPointer(rebasing: bytes[offset...]), salt: header.salt)
      }.max()
    }
  }
}
