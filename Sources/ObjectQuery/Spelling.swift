/// Finds what somebody may have meant.
package enum Spelling {
  /// The name most like another; nil where none is like it.
  package static func nearest(to name: String, among names: [String]) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    guard wanted.count <= 100 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in names where candidate.utf8.count <= 400 {
      let letters = Array(candidate.lowercased().unicodeScalars)
      let distance = distance(wanted, letters)
      // What has no letter in common was not meant.
      guard distance <= max(1, wanted.count / 3), distance < max(wanted.count, letters.count)
      else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.name
  }

  /// How many letters must be put in, taken out, changed or exchanged with their neighbour.
  private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var (older, row) = ([Int](), Array(0...other.count))
    for (index, letter) in one.enumerated() {
      var next = [index + 1]
      for (place, candidate) in other.enumerated() {
        var least = min(
          row[place + 1] + 1, next[place] + 1, row[place] + (letter == candidate ? 0 : 1))
        if index > 0, place > 0, letter == other[place - 1], one[index - 1] == candidate {
          least = min(least, older[place - 1] + 1)
        }
        next.append(least)
      }
      (older, row) = (row, next)
    }
    return row[other.count]
  }
}
