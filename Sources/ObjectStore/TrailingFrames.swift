internal import DiskAccess
internal import Journaling

/// The last frames of a long segment, found from its end: what is before them is not read.
///
/// A seal is taken for one only where its check fits the segment's salt and where frame follows frame from it to the end of
/// all frames. What the frames say is checked when they are read.
enum TrailingFrames {
  /// How much of a segment is looked at; of one that is not much longer nothing is gained.
  static let byteCount: UInt64 = 1 << 20

  /// The places of the last frames, in their order; none where they cannot be told.
  static func places(
    of segment: Manifest.Segment, in folder: any ReadableFolder
  ) throws(DiskError) -> [FramePlace] {
    let file = try folder.folderForReading(JournalFiles.journalFolder)
      .fileForReading(segment.number.fileName)
    let length = try file.information().byteCount
    let sealed = segment.sealing.map {
      $0.byteCount - min($0.byteCount, UInt64(SegmentFooter.byteCount))
    }
    guard length > 2 * byteCount else { return [] }
    var found = sealed
    if found == nil { found = try endOfContent(of: file, length) }
    guard let end = found, end <= length, end > 2 * byteCount else { return [] }
    // Behind the last frame of the active segment its own zeros may stand, and those ahead of it.
    let last = sealed ?? min(length, end + 64)
    let start = end - byteCount
    let bytes = try content(of: file, from: start, to: last)
    return bytes.withUnsafeBytes { bytes in
      var first = 0
      while first + Seal.byteCount <= bytes.count {
        if let places = chain(in: bytes, from: first, segment, start, isSealed: sealed != nil) {
          return places
        }
        first += 1
      }
      return []
    }
  }

  /// The frames that follow one another from a place to the end; nil where they do not.
  private static func chain(
    in bytes: UnsafeRawBufferPointer, from first: Int, _ segment: Manifest.Segment,
    _ start: UInt64, isSealed: Bool
  ) -> [FramePlace]? {
    guard bytes[first] == UInt8(truncatingIfNeeded: Seal.magicNumber) else { return nil }
    var places: [FramePlace] = []
    var offset = first
    while offset + Seal.byteCount <= bytes.count,
      case .seal(let seal) = Seal.read(
        UnsafeRawBufferPointer(rebasing: bytes[offset...]), salt: segment.salt)
    {
      guard places.last.map({ $0.number.next == seal.number }) ?? true else { return nil }
      places.append(
        FramePlace(
          number: seal.number, segment: segment.number, offset: start + UInt64(offset)))
      offset += seal.sealedByteCount
    }
    let isAtEnd =
      isSealed
      ? offset == bytes.count && places.last?.number == segment.sealing?.lastFrame
      : offset <= bytes.count && bytes[offset...].allSatisfy { $0 == 0 }
    return isAtEnd && !places.isEmpty ? places : nil
  }

  /// Where the content of a file ends that is followed by the zeros that a writer writes ahead; nil where there are more of
  /// them.
  private static func endOfContent(
    of file: any ReadableFile, _ length: UInt64
  ) throws(DiskError) -> UInt64? {
    var end = length
    while end > 0, length - end <= 4 * byteCount {
      let start = end - min(end, byteCount)
      let bytes = try content(of: file, from: start, to: end)
      let count = bytes.withUnsafeBytes(byteCountWithoutTrailingZeros)
      if count > 0 { return start + UInt64(count) }
      end = start
    }
    return nil
  }

  private static func byteCountWithoutTrailingZeros(_ bytes: UnsafeRawBufferPointer) -> Int {
    var count = bytes.count
    while count >= 8, bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) == 0 {
      count -= 8
    }
    while count > 0, bytes[count - 1] == 0 { count -= 1 }
    return count
  }

  private static func content(
    of file: any ReadableFile, from start: UInt64, to end: UInt64
  ) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(end - start))
    let count: Result<Int, DiskError> = bytes.withUnsafeMutableBytes { buffer in
      do throws(DiskError) {
        return .success(try file.read(into: buffer, at: start))
      } catch {
        return .failure(error)
      }
    }
    return Array(bytes.prefix(try count.get()))
  }
}
