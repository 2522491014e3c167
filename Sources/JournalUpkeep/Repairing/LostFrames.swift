internal import Journaling
internal import ObjectModel

/// Frames that cannot be read any more, as the numbers of those tell it that can.
struct LostFrames {
  private struct Stretch {
    var first: FrameNumber
    let last: FrameNumber
    /// Whether a commit has been read that came behind it, whose number tells which commits are lost.
    var isBeforeCommit = false

    var words: String {
      first == last ? "\(first.rawValue)" : "\(first.rawValue) to \(last.rawValue)"
    }
  }

  private var last: FrameNumber
  private var stretches: [Stretch] = []

  init(behind last: FrameNumber) { self.last = last }

  mutating func comeTo(_ frame: FrameNumber) {
    comeToEnd(frame.previous)
    last = max(last, frame)
  }

  mutating func comeToCommit() {
    var place = stretches.endIndex
    while place > 0, !stretches[place - 1].isBeforeCommit {
      place -= 1
      stretches[place].isBeforeCommit = true
    }
  }

  /// Comes to where it is known that there were frames up to one.
  mutating func comeToEnd(_ frame: FrameNumber) {
    guard frame > last else { return }
    stretches.append(Stretch(first: last.next, last: frame))
    last = frame
  }

  /// What may have been in them that nothing else tells.
  ///
  /// - Parameters:
  ///   - known: the last frame that a state has in it which was kept.
  ///   - areTagsKnown: whether that state tells the tags as well.
  func words(behind known: FrameNumber, areTagsKnown: Bool) -> [String] {
    var words: [String] = []
    let unknown = stretches.filter { $0.last > known }.map { stretch in
      var stretch = stretch
      stretch.first = max(stretch.first, known.next)
      return stretch
    }
    let tagged = (areTagsKnown ? unknown : stretches).filter(\.isBeforeCommit)
    if !tagged.isEmpty {
      words.append(
        "what was tagged or adopted as a model in \(Self.words(of: tagged)), if anything was")
    }
    let all = unknown.filter { !$0.isBeforeCommit }
    if !all.isEmpty {
      words.append("\(Self.words(of: all)), with whatever was saved or tagged there")
    }
    return words
  }

  private static let largestCountTold = 20

  private static func words(of stretches: [Stretch]) -> String {
    let isOne = stretches.count == 1 && stretches[0].first == stretches[0].last
    let told = stretches.prefix(largestCountTold).map(\.words).joined(separator: ", ")
    return "\(isOne ? "frame" : "frames") \(told)\(stretches.count > largestCountTold ? ", …" : "")"
  }
}
