// Single characters of a regular expression: those that are escaped, and classes of them.
extension PatternReader {
  /// A kind of characters, behind a backslash; nil where it is none.
  mutating func kind(escapedAs letter: Character) throws(NoPattern) -> CharacterTest? {
    switch letter {
    case "d": .kind(.digit)
    case "D": .not(.kind(.digit))
    case "w": .kind(.word)
    case "W": .not(.kind(.word))
    case "s": .kind(.space)
    case "S": .not(.kind(.space))
    case "h": .kind(.horizontal)
    case "H": .not(.kind(.horizontal))
    case "v": .kind(.newline)
    case "V": .kind(.inLine)
    case "p": try property()
    case "P": .not(try property())
    default: nil
    }
  }

  /// `{Lu}`, `{Letter}`, `{Alphabetic}`.
  private mutating func property() throws(NoPattern) -> CharacterTest {
    guard take("{") else { throw NoPattern() }
    return try Self.property(named: try take(through: "}"))
  }

  private static func property(named name: String) throws(NoPattern) -> CharacterTest {
    let plain = name.lowercased().filter { !"_- ".contains($0) }
    let categories = [
      "letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "mark": "M", "number": "N",
      "decimalnumber": "Nd", "punctuation": "P", "symbol": "S", "separator": "Z", "other": "C",
    ]
    if plain == "any" { return .any }
    if let category = categories[plain] { return .category(category) }
    if let kind = CharacterKind(named: plain) { return .kind(kind) }
    let known = [
      "L": "ultmo", "M": "nce", "N": "dlo", "P": "cdseifo", "S": "mcko", "Z": "slp", "C": "cfson",
    ]
    let category = plain.prefix(1).uppercased() + plain.dropFirst()
    guard let letters = known[String(category.prefix(1))], category.count <= 2,
      category.count == 1 || letters.contains(category.suffix(1))
    else { throw NoPattern() }
    return .category(category)
  }

  /// The character that is written with a backslash before.
  mutating func character(escapedAs letter: Character) throws(NoPattern) -> Character {
    switch letter {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "f": return "\u{C}"
    case "e": return "\u{1B}"
    case "a": return "\u{7}"
    case "0": return try character(of: digits(radix: 8, atMost: 3, atLeast: 0), radix: 8)
    case "o" where next == "{", "x" where next == "{", "u" where next == "{":
      _ = take("{")
      return try character(of: try take(through: "}"), radix: letter == "o" ? 8 : 16)
    case "x": return try character(of: digits(radix: 16, atMost: 2, atLeast: 1), radix: 16)
    case "u": return try character(of: digits(radix: 16, atMost: 4, atLeast: 4), radix: 16)
    case "U": return try character(of: digits(radix: 16, atMost: 8, atLeast: 8), radix: 16)
    case _ where letter.isLetter || letter.isNumber: throw NoPattern()
    default: return letter
    }
  }

  private mutating func digits(
    radix: Int, atMost most: Int, atLeast least: Int
  ) throws(NoPattern) -> String {
    var digits = ""
    while digits.count < most, let digit = next, Int(String(digit), radix: radix) != nil {
      digits.append(try take())
    }
    guard digits.count >= least else { throw NoPattern() }
    return digits.isEmpty ? "0" : digits
  }

  private func character(of digits: String, radix: Int) throws(NoPattern) -> Character {
    guard let number = UInt32(digits, radix: radix), let scalar = Unicode.Scalar(number) else {
      throw NoPattern()
    }
    return Character(scalar)
  }

  // MARK: Classes

  /// A class, behind its bracket.
  mutating func characterClass() throws(NoPattern) -> CharacterTest {
    if next == ":", let named = try namedClass() { return named }
    let isNegated = take("^")
    var tests: [JoinedTest] = []
    var members: [JoinedTest] = []
    var joint = JoinedTest.Joint.or
    while true {
      let character = try take()
      let following: JoinedTest.Joint? =
        switch character {
        case "&" where next == "&": .and
        case "-" where next == "-": .without
        case "~" where next == "~": .either
        default: nil
        }
      if character == "]" || following != nil {
        guard !members.isEmpty else { throw NoPattern() }
        tests.append(JoinedTest(joint: joint, test: .list(members, isNegated: false)))
        guard let following else { break }
        _ = try take()
        (joint, members) = (following, [])
      } else if !(options.hasSpaceInClasses && character.isWhitespace) {
        members += try self.members(beginningWith: character).map {
          JoinedTest(joint: .or, test: $0)
        }
      }
    }
    return tests.count == 1 && !isNegated ? tests[0].test : .list(tests, isNegated: isNegated)
  }

  private mutating func members(
    beginningWith character: Character
  ) throws(NoPattern) -> [CharacterTest] {
    var first = character
    if character == "[" {
      return [try within { (reader) throws(NoPattern) in try reader.characterClass() }]
    }
    if character == "\\" {
      let letter = try take()
      if letter == "Q" { return takeQuoted().map { test(of: $0) } }
      if let kind = try kind(escapedAs: letter) { return [kind] }
      first = letter == "b" ? "\u{8}" : try self.character(escapedAs: letter)
    }
    // Before the end of the class, and before what combines it with another, the hyphen is one.
    guard next == "-", let end = next(after: 1), !["]", "-"].contains(end),
      !["&", "~"].contains(end) || next(after: 2) != end
    else { return [test(of: first)] }
    _ = try take()
    var last = try take()
    if last == "[" { throw NoPattern() }
    if last == "\\" { last = try self.character(escapedAs: try take()) }
    guard first.unicodeScalars.count == 1, last.unicodeScalars.count == 1,
      let lower = first.unicodeScalars.first, let upper = last.unicodeScalars.first, lower <= upper
    else { throw NoPattern() }
    return [.range(lower...upper, ignoringCase: options.ignoresCase)]
  }

  /// `:alpha:]` or `:^alpha:]`; nil where it is none.
  private mutating func namedClass() throws(NoPattern) -> CharacterTest? {
    var ahead = self
    guard ahead.take(":"), let inner = try? ahead.take(through: "]"), inner.hasSuffix(":") else {
      return nil
    }
    let name = inner.dropLast()
    self = ahead
    let test = try Self.property(named: String(name.hasPrefix("^") ? name.dropFirst() : name))
    return name.hasPrefix("^") ? .not(test) : test
  }
}
