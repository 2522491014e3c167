// Regular expressions find what Swift's find, and no pattern takes long.

import ObjectModel
import TestSupport
import Testing

@Suite struct Patterns {
  @Test func `random patterns match what Swift's expressions match`() throws {
    let campaign = Campaign(count: "XJ_PATTERNS", inGate: 1500)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      var dice = Dice(seed: seed)
      let text = dice.alternatives(3)
      guard let expression = try? Regex(text), let pattern = Pattern.read(text) else { return }
      for _ in 0..<8 {
        let sample = (0..<dice.pick(7)).map { _ in dice.one(of: Dice.characters) }.joined()
        let (whole, part) = (
          try expression.wholeMatch(in: sample), try expression.firstMatch(in: sample)
        )
        if whole != nil || part != nil { tally.count("matches") }
        guard
          (whole != nil) != pattern.matches(sample) || (part != nil) != pattern.isFound(in: sample)
        else { continue }
        tally.violation("seed \(seed): \(text.debugDescription) in \(sample.debugDescription)")
      }
    }
    #expect(tally.violations == "")
    #expect(tally["matches"] > campaign.count)
  }

  @Test(arguments: [
    "(a+)+", "(a*)*b", "(a|a)*b", "(a|aa)+b", "(?:a?){1000}b", "(?:.*){9}b", "(?=(a+)+b)a*",
    "((?=a*b).)*",
    "(?:(?<=a*)a)*b",
  ])
  func `no pattern takes more time than its length times that of the text`(_ text: String) throws {
    let pattern = try #require(Pattern.read(text))
    #expect(!pattern.matches(String(repeating: "a", count: 3000) + "c"))
  }

  @Test(arguments: [
    "a++", "(?>a)", "(a)\\1", "\\k<n>", "\\p{Greek}", "\\p{Lx}", "\\pL", "\\q", "\\xg", "\\u12",
    "\\x{110000}",
    "(", ")", "(?i", "(?q)", "(?<1>a)", "(?<n", "(?Pn)", "[", "[]", "[^]", "[z-a]", "[a&&]",
    "[a-\\d]", "[!-[]", "[a-[b]]",
    "[[:foo:]]", "*", "a**", "a{3,2}", "a{9000}", "(?:){99999999}", "(((a{0}){999}){999}){999}",
    String(repeating: "(?=a)", count: 17),
    String(repeating: "(", count: 65) + String(repeating: ")", count: 65),
    "[" + String(repeating: "a", count: 9000) + "]", "\\",
  ])
  func `what cannot be matched is refused`(_ text: String) {
    #expect(Pattern.read(text) == nil)
    #expect(Pattern.refusal(of: text).contains("is no regular expression"))
  }

  @Test(arguments: [
    ("(?<=a)b", "ab", "b"), ("(?<!a)b", "b", "ab"), ("^b", "b", "ab"), ("(?m)^b", "a\nb", "ab"),
    ("a$", "a", "a\n"), ("a\\Z", "a\n", "a\n\n"), ("(?m)a$", "a\nb", "ab"),
    ("\\bb\\b", "a b", "ab"),
    ("a\\Bb", "ab", "a b"), ("(?i)É", "é", "e"), ("(?i)[à-ü]", "É", "e"),
    ("(?x) a b # c", "ab", "a b"),
    ("(?xx)[a b]", "b", " "), ("\\Qa.b\\E", "a.b", "aab"), ("[\\Q-]\\E]", "]", "a"),
    ("a{x", "a{x", "a"),
    ("a{,2}b{ 2 }", "bb", "b"), ("(?#c)a", "a", "b"), ("(?P<n>a)|(?'m'b)", "b", "c"),
    ("\\x41\\u{42}\\U00000043\\o{104}\\0104", "ABCDD", "ABCD"), ("\\u0065\\u0301", "é", "e"),
    ("\\r\\n", "\r\n", "\n"), ("[\\b\\n]", "\u{8}", "b"), ("[a-z&&[^b]]", "a", "b"),
    ("[ab--b]", "a", "b"),
    ("[ab~~bc]", "c", "b"), ("[[:^alpha:]]", "1", "a"), ("[:alpha:]", "a", "1"),
    ("\\p{Lu}", "A", "a"),
    ("\\P{Letter}", "1", "a"), ("\\p{any}\\R\\X", "a\nb", "ab"), ("[[:xdigit:]]", "F", "g"),
    ("[[:ascii:]]", "a", "é"), ("\\p{Sc}", "€", "e"), ("[[:cntrl:]]", "\u{1}", "a"),
    ("(?^)a", "a", "A"),
    ("(?is-i:a.)", "a\n", "A\n"), ("\\H\\S\\W\\D\\V", "aa aa", "aaaa"),
    ("[[:blank:]\\-]", "\t", "\n"),
    ("[[:graph:]]", "a", " "), ("[[:print:]]", " ", "\n"), ("(?U)a+?", "a", "b"),
    ("[!-\\[]", "[", "\\"), ("[A-\\[]", "Z", "a"), ("[\\x41-\\x5B]", "[", "]"),
    ("(?i)e\\u{301}", "É", "e"), ("(?i)\\u0065\\u0301", "é", "e"), ("(?i:E)\\u{301}x", "éx", "ex"),
  ])
  func `parts of a pattern mean what they say`(_ text: String, _ found: String, _ missed: String)
    throws
  {
    let pattern = try #require(Pattern.read(text))
    #expect(pattern.isFound(in: found))
    #expect(!pattern.isFound(in: missed))
  }

  @Test func `classes hold what Swift's hold, of all characters`() throws {
    for text in [
      "\\d", "\\w", "\\s", "\\h", "\\v", ".", "[[:alpha:]]", "[[:alnum:]]", "[[:upper:]]",
      "[[:lower:]]",
      "[[:punct:]]", "\\p{L}", "\\p{M}", "\\p{N}", "\\p{P}", "\\p{S}", "\\p{Z}", "\\p{Cc}",
      "\\p{Cf}", "(?i)[a-e]",
    ] {
      let (pattern, expression) = (try #require(Pattern.read(text)), try Regex(text))
      for number in UInt32(0)..<0x3000 {
        guard let scalar = Unicode.Scalar(number) else { continue }
        let sample = String(Character(scalar))
        guard pattern.matches(sample) != (try expression.wholeMatch(in: sample) != nil) else {
          continue
        }
        Issue.record("\(text) and U+\(String(number, radix: 16))")
      }
    }
  }
}

extension Dice {
  fileprivate static let characters = ["a", "b", "c", "1", " ", "\n", "é", "B", "A", "-"]

  fileprivate mutating func one(of texts: [String]) -> String { texts[pick(texts.count)] }

  /// A pattern, with groups up to a depth.
  fileprivate mutating func alternatives(_ depth: Int) -> String {
    (0...pick(3) / 2).map { _ in (0...pick(3)).map { _ in piece(depth - 1) }.joined() }
      .joined(separator: "|")
  }

  private mutating func piece(_ depth: Int) -> String {
    // Where one of these is repeated Swift's expressions do not find all there is.
    let places = ["^", "$", "\\A", "\\z", "\\Z"]
    if depth == 2, chance(10) { return one(of: places) }
    if depth == 2, chance(10) { return one(of: ["(?=", "(?!"]) + alternatives(depth) + ")" }
    return atom(depth)
      + one(of: ["", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{,2}", "{2,}", "+?"])
  }

  private mutating func atom(_ depth: Int) -> String {
    switch pick(depth > 0 ? 5 : 3) {
    case 0: return one(of: ["a", "b", "c", "1", " ", "é", "B", "\\n", "\\x61", "-"])
    case 1: return one(of: [".", "\\d", "\\w", "\\s", "\\W", "\\S", "\\h", "\\v", "\\X", "\\R"])
    case 2: return characterClass()
    case 3: return one(of: ["(?:", "("]) + "a" + alternatives(depth) + ")"
    default: return one(of: ["(?i:", "(?s:", "(?m:", "(?x: "]) + "b" + alternatives(depth) + ")"
    }
  }

  private mutating func characterClass() -> String {
    let parts = [
      "a", "b", "1", "é", "a-c", "\\d", "\\w", "[ab]", "[:alpha:]", "\\n", "\\-", "B", "\\p{Lu}",
      "à-ü",
    ]
    let members = (0..<2).map { _ in (0...pick(3)).map { _ in one(of: parts) }.joined() }
    let joined = members.joined(separator: one(of: ["", "", "&&", "--", "~~"]))
    return "[\(one(of: ["", "^"]))\(joined)]"
  }
}
