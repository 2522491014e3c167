internal import EventCoding
internal import Journaling
internal import ObjectModel

/// A frame that holds commits, kept to be read from again and again. Any thread may use it.
final class PastFrame: @unchecked Sendable {
  // Nothing is changed once it is made.
  /// Owns the bytes that the content points into.
  private let frame: LoadedFrame
  private let content: BatchContent
  private let outlines: [CommitOutline]
  /// Roughly how much memory it takes.
  let byteCount: Int

  /// - Parameter pieces: puts what spans frames together.
  init(
    _ frame: LoadedFrame, _ decoder: EventDecoder,
    pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) {
    self.frame = frame
    content = try frame.withPayload { (payload) throws(StoreError) in
      try BatchContent(gathering: payload, of: frame.number, decoder, pieces)
    }
    do throws(StoreError) {
      outlines = try content.outlines()
    } catch {
      content.giveBack()
      throw error
    }
    byteCount = content.byteCount + outlines.reduce(0) { $0 + $1.byteCount }
  }

  deinit { content.giveBack() }

  /// A commit of the frame; nil where it has none of the number.
  func commit(_ number: CommitNumber) -> PastCommit? {
    guard let first = outlines.first?.head.number, number >= first,
      number.rawValue - first.rawValue < UInt64(outlines.count)
    else { return nil }
    return PastCommit(frame: self, place: Int(number.rawValue - first.rawValue))
  }

  fileprivate func outline(_ place: Int) -> CommitOutline { outlines[place] }

  fileprivate func whole(_ place: Int) throws(StoreError) -> CommitContent {
    try content.commit(place).content
  }

  fileprivate func change(
    of object: ObjectID, _ place: Int
  ) throws(StoreError) -> ObjectChange? {
    try content.change(of: object, outlines[place], place)
  }

  fileprivate func side(
    _ side: CommitSide.Side, of object: ObjectID, _ place: Int
  ) throws(StoreError) -> CommitSide.Object? {
    try content.side(side, of: object, outlines[place], place)
  }
}

/// A commit of the past, of which no more is decoded than is asked for.
struct PastCommit {
  fileprivate let frame: PastFrame
  fileprivate let place: Int

  /// The commit without its changes.
  var head: CommitContent { frame.outline(place).head }

  /// All of the commit.
  func content() throws(StoreError) -> CommitContent { try frame.whole(place) }

  /// The change of an object; nil where the commit has none.
  func change(of object: ObjectID) throws(StoreError) -> ObjectChange? {
    try frame.change(of: object, place)
  }

  /// One side of the change of an object, which costs less to read; nil where the commit has none.
  func side(
    _ side: CommitSide.Side, of object: ObjectID
  ) throws(StoreError) -> CommitSide.Object? {
    try frame.side(side, of: object, place)
  }
}
