internal import FoundationEssentials

/// Times as people say them: `now`, `today`, `yesterday`, `2 hours ago`, `1.day.ago`.
enum RelativeTime {
  private static let units: [(name: String, seconds: Double)] = [
    ("second", 1), ("minute", 60), ("hour", 3600), ("day", 86_400), ("week", 604_800),
    ("month", 2_592_000), ("year", 31_536_000),
  ]

  /// The moment; nil where the text says none.
  static func read(_ text: Substring, now: Date) -> Date? {
    let words = text.lowercased().split { $0 == " " || $0 == "." || $0 == "_" }
    switch words.count {
    case 1 where words[0] == "now": return now
    case 1 where words[0] == "today":
      // Midnight, as times are shown in UTC.
      return Date(
        timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    case 1 where words[0] == "yesterday": return now.addingTimeInterval(-86_400)
    case 3 where words[2] == "ago":
      let count = words[0] == "a" || words[0] == "an" ? 1 : Double(UInt32(words[0]) ?? .max)
      guard count < Double(UInt32.max) else { return nil }
      let name = words[1].hasSuffix("s") ? words[1].dropLast() : words[1]
      return units.first { $0.name == name }.map { now.addingTimeInterval(-count * $0.seconds) }
    default: return nil
    }
  }
}
