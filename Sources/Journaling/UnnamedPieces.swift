/// The pieces that a walk has passed and no entry has named yet.
///
/// A piece is named once: otherwise a few bytes could stand for any number of large edits, each of which costs
/// what it takes to read it. In which order pieces are named is free: edits of several threads, and commits, come
/// by each other on their way into a batch.
package struct UnnamedPieces {
  /// Rows of frames, in order; what is in none of them is no piece, or was named.
  private var rows: [Range<FrameNumber>]
  private let largestRowCount: Int

  /// Begins a walk at a frame. Of what stands before it nothing is known: each frame may be named once.
  ///
  /// - Parameter largestRowCount: how many rows are remembered. The oldest are forgotten: they are what writes
  ///   have left that failed, which nobody names any more.
  package init(from first: FrameNumber, largestRowCount: Int = 1024) {
    rows = first > FrameNumber(1) ? [FrameNumber(1)..<first] : []
    self.largestRowCount = largestRowCount
  }

  /// Takes in a piece that the walk passes.
  package mutating func add(_ piece: FrameNumber) {
    if let last = rows.last, last.upperBound == piece {
      rows[rows.count - 1] = last.lowerBound..<piece.next
    } else {
      rows.append(piece..<piece.next)
      forgetOldest()
    }
  }

  /// Names the pieces of an edit or commit.
  ///
  /// - Returns: false where one of them is not there to be named.
  package mutating func take(_ span: Span) -> Bool {
    let index = rows.firstIndex(inOrder: { $0.upperBound > span.firstFrame })
    guard index < rows.count, rows[index].lowerBound <= span.firstFrame,
      span.lastFrame < rows[index].upperBound
    else { return false }
    let row = rows[index]
    let rest = [row.lowerBound..<span.firstFrame, span.lastFrame.next..<row.upperBound]
    rows.replaceSubrange(index...index, with: rest.filter { !$0.isEmpty })
    forgetOldest()
    return true
  }

  private mutating func forgetOldest() {
    if rows.count > largestRowCount { rows.removeFirst() }
  }
}

extension Array {
  /// The first place from which on a condition holds, of elements in an order in which it holds from some place on.
  func firstIndex(inOrder condition: (Element) -> Bool) -> Int {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if condition(self[middle]) { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}
