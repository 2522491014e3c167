internal import Journaling
internal import ObjectModel

/// Where the frames lie that hold commits, in their order.
///
/// Costs: about 5 bytes for each frame, of which most are differences from the one before; finding one takes a
/// search by halves, and then up to 64 steps.
struct PlaceList {
  /// A frame that holds commits.
  struct Entry: Equatable {
    let firstCommit: CommitNumber
    let place: FramePlace
  }

  /// An entry that is told whole, and where in the bytes the differences of those behind it begin.
  private struct Mark {
    let entry: Entry
    let byteOffset: Int
  }

  private static let stride = 64

  private var marks: ContiguousArray<Mark> = []
  private var bytes: ContiguousArray<UInt8> = []
  private var last: Entry?
  /// How many entries there are behind the last mark.
  private var countBehindMark = 0

  var isEmpty: Bool { marks.isEmpty }
  var first: Entry? { marks.first?.entry }
  /// How much memory it takes.
  var byteCount: Int { bytes.count + marks.count * MemoryLayout<Mark>.stride }

  /// Adds the next entry: of a later frame, which holds later commits.
  mutating func append(_ entry: Entry) {
    defer { last = entry }
    guard let last, countBehindMark + 1 < Self.stride, last.place.segment == entry.place.segment
    else {
      marks.append(Mark(entry: entry, byteOffset: bytes.count))
      countBehindMark = 0
      return
    }
    append(entry.firstCommit.rawValue &- last.firstCommit.rawValue)
    append(entry.place.number.rawValue &- last.place.number.rawValue)
    append(entry.place.offset &- last.place.offset)
    countBehindMark += 1
  }

  /// Adds all of another list, which goes on behind this one.
  mutating func append(_ other: PlaceList) {
    guard !other.isEmpty else { return }
    marks += other.marks.map { Mark(entry: $0.entry, byteOffset: bytes.count + $0.byteOffset) }
    bytes += other.bytes
    (last, countBehindMark) = (other.last, other.countBehindMark)
  }

  private mutating func append(_ number: UInt64) {
    var number = number
    while number >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(number))
  }

  /// The last entry whose first commit is not after one.
  func last(upTo commit: CommitNumber) -> Entry? {
    var found: Entry?
    forEach(from: lastMark { $0.firstCommit <= commit }) { entry in
      guard entry.firstCommit <= commit else { return false }
      found = entry
      return true
    }
    return found
  }

  /// The first entry whose frame is not before one.
  func first(from frame: FrameNumber) -> Entry? {
    var found: Entry?
    forEach(from: lastMark { $0.place.number < frame }) { entry in
      guard entry.place.number >= frame else { return true }
      found = entry
      return false
    }
    return found
  }

  /// The last mark that a condition holds for, which holds for all before it; the first one where it holds for
  /// none.
  private func lastMark(where holds: (Entry) -> Bool) -> Int {
    max(0, marks.indices.firstPlace(inOrder: { !holds(marks[$0].entry) }) - 1)
  }

  private func forEach(from mark: Int, _ body: (Entry) -> Bool) {
    for index in marks.indices.dropFirst(mark) {
      var entry = marks[index].entry
      guard body(entry) else { return }
      var offset = marks[index].byteOffset
      let end = index + 1 < marks.count ? marks[index + 1].byteOffset : bytes.count
      while offset < end {
        entry = Entry(
          firstCommit: CommitNumber(rawValue: entry.firstCommit.rawValue &+ number(&offset)),
          place: FramePlace(
            number: FrameNumber(entry.place.number.rawValue &+ number(&offset)),
            segment: entry.place.segment, offset: entry.place.offset &+ number(&offset)))
        guard body(entry) else { return }
      }
    }
  }

  private func number(_ offset: inout Int) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    repeat {
      number |= UInt64(bytes[offset] & 0x7F) << shift
      shift += 7
      offset += 1
    } while bytes[offset - 1] >= 0x80
    return number
  }
}
