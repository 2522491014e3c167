package import FoundationEssentials

/// Dates as ISO 8601 writes them: `2026-11-21`, `2026-11-21T10:30`, `2026-11-21T10:30:00.5+01:00`. Without a
/// zone they are in UTC.
package enum ISODate {
  /// The date of a text; nil where it is none.
  package static func read(_ text: String) -> Date? {
    var rest = Substring(text).utf8[...]
    guard let year = number(&rest, 4), skip(&rest, "-"), let month = number(&rest, 2),
      skip(&rest, "-"), let day = number(&rest, 2), (1...12).contains(month),
      day >= 1, day <= length(ofMonth: month, year)
    else { return nil }
    var seconds = 86_400 * days(year, month, day)
    var fraction = 0.0
    if !rest.isEmpty {
      guard skip(&rest, "T") || skip(&rest, " "), let hour = number(&rest, 2), skip(&rest, ":"),
        let minute = number(&rest, 2), hour < 24, minute < 60
      else { return nil }
      seconds += 3600 * hour + 60 * minute
      if skip(&rest, ":") {
        guard let second = number(&rest, 2), second < 60 else { return nil }
        seconds += second
        if skip(&rest, ".") {
          let digits = rest.prefix { (48...57).contains($0) }
          guard !digits.isEmpty, digits.count <= 9,
            let value = Double("0." + String(Substring(digits)))
          else { return nil }
          fraction = value
          rest = rest.dropFirst(digits.count)
        }
      }
      guard let zone = zone(&rest) else { return nil }
      seconds -= zone
    }
    return rest.isEmpty
      ? Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction) : nil
  }

  /// The text that reads back as a date; nil where none does.
  static func text(_ date: Date) -> String? {
    let time = date.timeIntervalSinceReferenceDate
    guard time.isFinite, abs(time) < 1e11 else { return nil }
    let (seconds, rest) = divided(Int((time * 1000).rounded()), by: 1000)
    guard var text = clock(seconds) else { return nil }
    if rest != 0 { text += "." + padded(rest, 3) }
    text += "Z"
    let isExact = read(text)?.timeIntervalSinceReferenceDate.bitPattern == time.bitPattern
    return isExact ? text : nil
  }

  /// The text with the fewest digits behind the second that reads back as just this date; nil where nine are too few.
  package static func exactText(_ date: Date) -> String? {
    let time = date.timeIntervalSinceReferenceDate
    guard abs(time) < 1e12 else { return nil }
    let whole = time.rounded(.down)
    var power = 1.0
    for count in 0...9 {
      let fraction = ((time - whole) * power).rounded()
      if (whole + fraction / power).bitPattern == time.bitPattern {
        return clock(Int(whole)).map { text in
          text + (count == 0 ? "Z" : ".\(padded(Int(fraction), count))Z")
        }
      }
      power *= 10
    }
    return nil
  }

  /// Day and time of a second since 2001-01-01, without a zone; nil beyond the years of four digits.
  private static func clock(_ second: Int) -> String? {
    let (days, seconds) = divided(second, by: 86_400)
    let (year, month, day) = civil(days)
    guard (0...9999).contains(year) else { return nil }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
      + "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
  }

  private static func zone(_ rest: inout Substring.UTF8View.SubSequence) -> Int? {
    if rest.isEmpty || skip(&rest, "Z") { return 0 }
    let sign = skip(&rest, "+") ? 1 : skip(&rest, "-") ? -1 : 0
    guard sign != 0, let hours = number(&rest, 2), hours < 24 else { return nil }
    _ = skip(&rest, ":")
    guard let minutes = rest.isEmpty ? 0 : number(&rest, 2), minutes < 60 else { return nil }
    return sign * (3600 * hours + 60 * minutes)
  }

  private static func skip(
    _ rest: inout Substring.UTF8View.SubSequence, _ mark: Unicode.Scalar
  ) -> Bool {
    guard let first = rest.first, UInt32(first) == mark.value else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func number(_ rest: inout Substring.UTF8View.SubSequence, _ count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  // MARK: The Gregorian calendar, whose years begin in March here so that the leap day is the last

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    let next = month == 12 ? (year + 1, 1) : (year, month + 1)
    return days(next.0, next.1, 1) - days(year, month, 1)
  }

  /// The days since 2001-01-01.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let (era, ofEra) = divided(shifted, by: 400)
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 730_791
  }

  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, ofEra) = divided(days + 730_791, by: 146_097)
    let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let place = (5 * ofYear + 2) / 153
    let month = place < 10 ? place + 3 : place - 9
    return (era * 400 + year + (month <= 2 ? 1 : 0), month, ofYear - (153 * place + 2) / 5 + 1)
  }

  /// The quotient rounded down, and what is left.
  private static func divided(_ number: Int, by divisor: Int) -> (Int, Int) {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}
