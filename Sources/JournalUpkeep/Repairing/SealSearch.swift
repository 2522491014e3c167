internal import DiskAccess
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// Looks for seals in a file wherever they may stand, a piece of it in memory at a time.
struct SealSearch {
  private static let pieceByteCount = 1 << 20
  private static let mark = UInt8(truncatingIfNeeded: Seal.magicNumber)

  private let file: any ReadableFile
  private let salt: UInt64
  private let byteCount: UInt64
  private var bytes: [UInt8] = []
  private var start: UInt64 = 0
  /// How many zeros have come one after the other. Behind more of them than a writer writes nothing is looked for: a
  /// hole may be of any length.
  private var zeroCount: UInt64 = 0

  init(in file: any ReadableFile, salt: UInt64) throws(JournalError) {
    self.file = file
    self.salt = salt
    do throws(DiskError) {
      byteCount = try file.information().byteCount
    } catch {
      throw .disk(error)
    }
  }

  /// The next place where a seal stands that is sound, and later than those before; nil where there is none.
  mutating func next(
    from first: UInt64, after last: FrameNumber
  ) throws(JournalError) -> (offset: UInt64, seal: Seal)? {
    var offset = first
    while zeroCount <= Limits.zerosByteCount, try load(offset) {
      if let found = find(from: Int(offset - start), after: last) { return found }
      offset = start + UInt64(bytes.count - Seal.byteCount + 1)
    }
    return nil
  }

  private func find(
    from first: Int, after last: FrameNumber
  ) -> (offset: UInt64, seal: Seal)? {
    bytes.withUnsafeBytes { bytes in
      var first = first
      let end = bytes.count - Seal.byteCount
      while first <= end,
        let found = UnsafeRawBufferPointer(rebasing: bytes[first...end])
          .firstIndex(ofByte: Self.mark)
      {
        let place = first + found
        let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
        if case .seal(let seal) = Seal.read(rest, salt: salt), seal.number > last {
          return (start + UInt64(place), seal)
        }
        first = place + 1
      }
      return nil
    }
  }

  /// Has the bytes at a place in memory; false where there are too few for a seal.
  private mutating func load(_ offset: UInt64) throws(JournalError) -> Bool {
    let needed = UInt64(Seal.byteCount)
    guard offset <= byteCount, byteCount - offset >= needed else { return false }
    if offset >= start, offset + needed <= start + UInt64(bytes.count) { return true }
    let wanted = Int(min(UInt64(Self.pieceByteCount), byteCount - offset))
    do throws(DiskError) {
      bytes = try file.content(wanted, at: offset)
    } catch {
      throw .disk(error)
    }
    start = offset
    let isZero = bytes.withUnsafeBytes { $0.isZero }
    zeroCount = isZero ? zeroCount + UInt64(bytes.count) : 0
    return bytes.count >= Seal.byteCount
  }
}
