// Names of somebody else's, by which things are found.

/// How many combining marks may follow each other in a name: more than any writing has. Texts are the same where they are
/// so in whichever order the marks stand, so that to compare them takes time that grows with the square of a run.
private let longestRunOfMarks = 64

extension String {
  /// Why it is no name that something could be found by, in what follows the word for it; nil where it is one.
  var problemAsName: String? {
    // The first mark is U+0300.
    if utf8.allSatisfy({ $0 < 0xCC }) { return nil }
    var count = 0
    for scalar in unicodeScalars {
      let isMark =
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
      count = isMark ? count + 1 : 0
      if count > longestRunOfMarks {
        return "has more than \(longestRunOfMarks) combining marks in a row"
      }
    }
    return nil
  }
}
