// Journaling: segments, sealed frames, the edit buffer, writer, scanner, recovery. Does not know what a
// payload means. The bytes are described in docs/format.md, the promises in docs/durability.md.

/// A position in the journal's one row of frames. The first frame has number 1; 0 stands before it.
package struct FrameNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Before the first frame.
  package static let none = FrameNumber(0)

  package var next: FrameNumber { FrameNumber(rawValue &+ 1) }
  package var previous: FrameNumber { FrameNumber(rawValue == 0 ? 0 : rawValue - 1) }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A position in the one row of edits of all contexts. The first edit has number 1.
@usableFromInline
package struct EditNumber: RawRepresentable, Hashable, Comparable, Sendable {
  @usableFromInline package let rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  package static let none = EditNumber(0)

  @inlinable package static func == (left: Self, right: Self) -> Bool {
    left.rawValue == right.rawValue
  }

  @inlinable package static func < (left: Self, right: Self) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The edit so many places further on.
  package static func + (left: Self, count: UInt64) -> Self { EditNumber(left.rawValue &+ count) }
}

/// A segment's place in the row of segments. The first has number 1.
package struct SegmentNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  package var next: SegmentNumber { SegmentNumber(rawValue &+ 1) }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The name of the segment's file: ten digits, so that names sort as numbers do.
  package var fileName: String {
    let digits = String(rawValue)
    return String(repeating: "0", count: max(0, 10 - digits.count)) + digits + Self.fileExtension
  }

  /// The segment's file as the store's folder names it.
  package var path: String { JournalFiles.journalFolder + "/" + fileName }

  /// Reads a number from the name of a segment's file.
  package init?(fileName: String) {
    guard fileName.hasSuffix(Self.fileExtension) else { return nil }
    guard let number = UInt64(fileName.dropLast(Self.fileExtension.count)) else { return nil }
    self.init(number)
    guard self.fileName == fileName, number > 0 else { return nil }
  }

  private static let fileExtension = ".xj"
}

/// Who a store is, for as long as it lives: sixteen random bytes given at its creation.
package struct StoreIdentity: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
