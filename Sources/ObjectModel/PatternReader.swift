/// That a text is no regular expression that can be matched.
struct NoPattern: Error {}

/// Reads a regular expression into its parts.
struct PatternReader {
  /// How deep groups and classes may stand within each other: who reads one calls itself.
  private static let largestDepth = 64

  struct Options {
    var ignoresCase = false
    var takesNewlines = false
    var isOfLines = false
    var hasSpace = false
    var hasSpaceInClasses = false
  }

  private let text: [Character]
  private var place = 0
  private var depth = 0
  private(set) var options = Options()

  init(_ text: String) { self.text = Array(text) }

  var next: Character? { place < text.count ? text[place] : nil }
  func next(after count: Int) -> Character? {
    place + count < text.count ? text[place + count] : nil
  }

  mutating func take() throws(NoPattern) -> Character {
    guard let next else { throw NoPattern() }
    place += 1
    return next
  }

  mutating func take(_ wanted: Character) -> Bool {
    guard next == wanted else { return false }
    place += 1
    return true
  }

  /// What stands up to a character, which is taken, too.
  mutating func take(through end: Character) throws(NoPattern) -> String {
    guard let last = text[place...].firstIndex(of: end) else { throw NoPattern() }
    defer { place = last + 1 }
    return String(text[place..<last])
  }

  /// What stands between `\Q` and `\E`, or the end.
  mutating func takeQuoted() -> [Character] {
    let start = place
    while place < text.count, next != "\\" || next(after: 1) != "E" { place += 1 }
    defer { place = min(place + 2, text.count) }
    return Array(text[start..<place])
  }

  /// Reads what stands within something else.
  mutating func within<Part>(
    _ body: (inout PatternReader) throws(NoPattern) -> Part
  ) throws(NoPattern) -> Part {
    depth += 1
    guard depth <= Self.largestDepth else { throw NoPattern() }
    let part = try body(&self)
    depth -= 1
    return part
  }

  mutating func whole() throws(NoPattern) -> PatternPart {
    let part = try choice()
    guard next == nil else { throw NoPattern() }
    return part
  }

  private mutating func choice() throws(NoPattern) -> PatternPart {
    var ways = [try sequence()]
    while take("|") { ways.append(try sequence()) }
    return ways.count == 1 ? ways[0] : .choice(ways)
  }

  private mutating func sequence() throws(NoPattern) -> PatternPart {
    var parts: [PatternPart] = []
    while let character = next, character != "|", character != ")" {
      if takeSpace() { continue }
      guard let part = try part() else { continue }
      let repeated = try repeated(part)
      // Characters that are written by their numbers may be one together.
      if case .one(let new) = repeated, case .one(let last)? = parts.last,
        let joined = last.joined(with: new)
      {
        parts[parts.count - 1] = .one(joined)
      } else {
        parts.append(repeated)
      }
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// Takes space and comments, where they mean nothing.
  private mutating func takeSpace() -> Bool {
    let start = place
    while options.hasSpace, let character = next {
      if character == "#" {
        while let character = next, !character.isNewline { place += 1 }
      } else if character.isWhitespace {
        place += 1
      } else {
        break
      }
    }
    return place > start
  }

  private mutating func part() throws(NoPattern) -> PatternPart? {
    switch try take() {
    case "(":
      return try within { (reader) throws(NoPattern) in try reader.group() }
    case "[":
      let test = try within { (reader) throws(NoPattern) in try reader.characterClass() }
      return .one(test.withKnownASCII)
    case ".": return .one(options.takesNewlines ? .any : .kind(.inLine))
    case "^": return .place(options.isOfLines ? .lineStart : .start)
    case "$": return .place(options.isOfLines ? .lineEnd : .end)
    case "*", "+", "?": throw NoPattern()
    case "\\": return try escaped()
    case let character: return .one(test(of: character))
    }
  }

  func test(of character: Character) -> CharacterTest {
    options.ignoresCase && character.isCased
      ? .letter(character.lowercased()) : .character(character)
  }

  private mutating func escaped() throws(NoPattern) -> PatternPart {
    let character = try take()
    switch character {
    case "b": return .place(.wordEdge)
    case "B": return .place(.noWordEdge)
    case "A": return .place(.start)
    case "z": return .place(.end)
    case "Z": return .place(.endOrLastNewline)
    case "R": return .one(.kind(.newline))
    case "X": return .one(.any)
    case "Q": return .sequence(takeQuoted().map { .one(test(of: $0)) })
    default:
      if let test = try kind(escapedAs: character) { return .one(test.withKnownASCII) }
      return .one(test(of: try self.character(escapedAs: character)))
    }
  }

  // MARK: Repetition

  private mutating func repeated(_ part: PatternPart) throws(NoPattern) -> PatternPart {
    _ = takeSpace()
    let start = place
    let least: Int
    let most: Int?
    if take("*") {
      (least, most) = (0, nil)
    } else if take("+") {
      (least, most) = (1, nil)
    } else if take("?") {
      (least, most) = (0, 1)
    } else if take("{"), let counts = counts() {
      (least, most) = counts
    } else {
      place = start
      return part
    }
    // Whether few are preferred or many makes no difference to whether there is a match; that none is given back does.
    if !take("?"), next == "+" { throw NoPattern() }
    guard most.map({ least <= $0 }) ?? true else { throw NoPattern() }
    return .repeated(part, least: least, most: most)
  }

  /// `3}`, `3,}`, `,5}` or `3,5}`; nil where it is none of these, and so the brace is one.
  private mutating func counts() -> (least: Int, most: Int?)? {
    let least = number()
    guard take(",") else { return take("}") ? least.map { ($0, $0) } : nil }
    let most = number()
    guard take("}"), least != nil || most != nil else { return nil }
    return (least ?? 0, most)
  }

  private mutating func number() -> Int? {
    while take(" ") {}
    var digits = ""
    while let digit = next, digit.isASCII, digit.isWholeNumber {
      digits.append(digit)
      place += 1
    }
    while take(" ") {}
    // What is larger is too large all the same.
    return digits.isEmpty ? nil : Int(digits) ?? .max
  }

  // MARK: Groups

  /// A group, behind its parenthesis; nil for a comment, and for options of what follows.
  private mutating func group() throws(NoPattern) -> PatternPart? {
    let outer = options
    guard take("?") else { return try rest(then: outer) }
    switch try take() {
    case ":": return try rest(then: outer)
    case "=": return .around(try rest(then: outer), isAhead: true, isWanted: true)
    case "!": return .around(try rest(then: outer), isAhead: true, isWanted: false)
    case "<":
      if take("=") { return .around(try rest(then: outer), isAhead: false, isWanted: true) }
      if take("!") { return .around(try rest(then: outer), isAhead: false, isWanted: false) }
      return try named(upTo: ">", outer)
    case "P":
      guard take("<") else { throw NoPattern() }
      return try named(upTo: ">", outer)
    case "'": return try named(upTo: "'", outer)
    case "#":
      _ = try take(through: ")")
      return nil
    case let character:
      place -= 1
      if try takeOptions(beginningWith: character) { return try rest(then: outer) }
      return nil
    }
  }

  private mutating func named(
    upTo end: Character, _ outer: Options
  ) throws(NoPattern) -> PatternPart {
    let name = try take(through: end)
    guard let first = name.first, !first.isNumber, name.allSatisfy(\.isOfWord) else {
      throw NoPattern()
    }
    return try rest(then: outer)
  }

  private mutating func rest(then outer: Options) throws(NoPattern) -> PatternPart {
    let part = try choice()
    guard take(")") else { throw NoPattern() }
    options = outer
    return part
  }

  /// Takes letters that say how to match.
  ///
  /// - Returns: whether what they are for follows, and not the end of the group.
  private mutating func takeOptions(beginningWith first: Character) throws(NoPattern) -> Bool {
    var isOn = true
    if first == "^" {
      options = Options()
      place += 1
    }
    while true {
      switch try take() {
      case "i": options.ignoresCase = isOn
      case "s": options.takesNewlines = isOn
      case "m": options.isOfLines = isOn
      case "x":
        options.hasSpaceInClasses = take("x") && isOn
        options.hasSpace = isOn
      // Which groups are kept and whether few are preferred makes no difference here.
      case "n", "U": break
      case "-" where isOn: isOn = false
      case ":": return true
      case ")": return false
      default: throw NoPattern()
      }
    }
  }
}

extension Character {
  fileprivate var isCased: Bool { isLetter || isCasedSymbol }
  private var isCasedSymbol: Bool { lowercased() != uppercased() }
}

extension CharacterTest {
  /// The test of this character and another as one, where they are.
  fileprivate func joined(with other: CharacterTest) -> CharacterTest? {
    guard case .character(let new) = other else { return nil }
    switch self {
    case .character(let last):
      let text = String([last, new])
      return text.count == 1 ? text.first.map { .character($0) } : nil
    case .letter(let last):
      let text = last + String(new)
      return text.count == 1 ? .letter(text) : nil
    default: return nil
    }
  }
}
