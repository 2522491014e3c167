// Search by halves, in what is in order.
extension Range<Int> {
  /// The first place that fulfils what all do from some place on; the end where none does.
  @inlinable @inline(__always)
  package func firstPlace(inOrder isFound: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isFound(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
