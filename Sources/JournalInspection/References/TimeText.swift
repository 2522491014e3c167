/// A time in one of the ways that people write it, as `ISODate` reads it: `2026-11-26T20` and `20261126T202027,5z` too.
struct TimeText {
  /// The time with all its marks.
  let text: String

  /// Nil where the text looks like no time; whether there is one that it says is not asked.
  init?(_ word: Substring) {
    let digits = word.prefix { $0.isASCII && $0.isNumber }
    let isBasic = digits.count == 8
    let dayLength = isBasic ? 8 : 10
    let (day, rest) = (word.prefix(dayLength), word.dropFirst(dayLength))
    guard isBasic || Self.isDay(day) else { return nil }
    let date =
      isBasic ? "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))" : String(day)
    // Eight digits alone are the number of a commit.
    if rest.isEmpty, !isBasic {
      text = date
      return
    }
    guard let mark = rest.first, "Tt ".contains(mark), rest.dropFirst().first?.isNumber == true
    else { return nil }
    let time = rest.dropFirst()
    let clock = time.prefix { !"Zz+-".contains($0) }
    let zone = time.dropFirst(clock.count)
    text = "\(date)T\(Self.withMarks(clock))\(zone.uppercased())"
  }

  /// `2026-11-26`, whatever day that is.
  private static func isDay(_ text: Substring) -> Bool {
    text.count == 10
      && text.enumerated().allSatisfy { place, character in
        [4, 7].contains(place) ? character == "-" : character.isASCII && character.isNumber
      }
  }

  /// `20`, `2020` and `202027,5` as `20:00`, `20:20` and `20:20:27.5`.
  private static func withMarks(_ clock: Substring) -> String {
    let clock = String(clock).replacing(",", with: ".")
    let whole = clock.prefix { $0 != "." }
    let fraction = clock.dropFirst(whole.count)
    guard !whole.contains(":"), [2, 4, 6].contains(whole.count) else { return clock }
    if whole.count == 2 { return "\(whole):00\(fraction)" }
    let minutes = "\(whole.prefix(2)):\(whole.dropFirst(2).prefix(2))"
    return whole.count == 4 ? minutes + fraction : "\(minutes):\(whole.suffix(2))\(fraction)"
  }
}
