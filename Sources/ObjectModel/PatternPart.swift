/// A part of a regular expression.
indirect enum PatternPart {
  case one(CharacterTest)
  case sequence([PatternPart])
  case choice([PatternPart])
  case repeated(PatternPart, least: Int, most: Int?)
  case place(PatternPlace)
  /// What must, or must not, come next, or have come before.
  case around(PatternPart, isAhead: Bool, isWanted: Bool)
}

/// A place between the characters of a text.
enum PatternPlace {
  case start
  case end
  case endOrLastNewline
  case lineStart
  case lineEnd
  case wordEdge
  case noWordEdge

  /// Whether it is between two characters, of which none is there at an end of the text.
  ///
  /// - Parameter isLast: whether nothing comes behind the second.
  func isBetween(_ one: Character?, _ other: Character?, isLast: Bool) -> Bool {
    switch self {
    case .start: one == nil
    case .end: other == nil
    case .endOrLastNewline: other.map { isLast && $0.isNewline } ?? true
    case .lineStart: one?.isNewline ?? true
    case .lineEnd: other?.isNewline ?? true
    case .wordEdge: (one?.isOfWord ?? false) != (other?.isOfWord ?? false)
    case .noWordEdge: (one?.isOfWord ?? false) == (other?.isOfWord ?? false)
    }
  }
}

/// A test of a list, and how it goes together with those before it.
struct JoinedTest: Sendable {
  enum Joint { case or, and, without, either }

  let joint: Joint
  let test: CharacterTest
}

/// What one character must be like.
indirect enum CharacterTest: Sendable {
  case any
  case kind(CharacterKind)
  case category(String)
  case character(Character)
  /// The same in small letters as this.
  case letter(String)
  case range(ClosedRange<Unicode.Scalar>, ignoringCase: Bool)
  case list([JoinedTest], isNegated: Bool)
  /// The same test, with what is known of ASCII: a bit for each character.
  case known(low: UInt64, high: UInt64, CharacterTest)

  static func not(_ test: CharacterTest) -> CharacterTest {
    .list([JoinedTest(joint: .or, test: test)], isNegated: true)
  }

  /// How much there is to compare.
  var size: Int {
    switch self {
    case .list(let tests, _): tests.reduce(1) { $0 + $1.test.size }
    case .known(_, _, let test): test.size
    default: 1
    }
  }

  /// The same, which is quicker for ASCII.
  var withKnownASCII: CharacterTest {
    let bits = { (first: UInt8) in
      (0..<64).reduce(UInt64(0)) { bits, place in
        admits(Character(Unicode.Scalar(first + place))) ? bits | 1 << UInt64(place) : bits
      }
    }
    return .known(low: bits(0), high: bits(64), self)
  }

  func admits(_ character: Character) -> Bool {
    switch self {
    case .any: return true
    case .known(let low, let high, let test):
      // A return and a newline together count as ASCII, and are another character.
      guard let byte = character.asciiValue, byte != 0x0A else { return test.admits(character) }
      return (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
    case .kind(let kind): return kind.admits(character)
    case .category(let name): return character.category.hasPrefix(name)
    case .character(let wanted): return character == wanted
    case .letter(let wanted): return character.lowercased() == wanted
    case .range(let range, let ignoringCase):
      guard let scalar = character.onlyScalar else { return false }
      if range.contains(scalar) { return true }
      return ignoringCase
        && [character.lowercased(), character.uppercased()].contains { text in
          text.unicodeScalars.count == 1 && range.contains(text.unicodeScalars.first ?? scalar)
        }
    case .list(let tests, let isNegated):
      var isAdmitted = false
      for part in tests {
        switch part.joint {
        case .or: isAdmitted = isAdmitted || part.test.admits(character)
        case .and: isAdmitted = isAdmitted && part.test.admits(character)
        case .without: isAdmitted = isAdmitted && !part.test.admits(character)
        case .either: isAdmitted = isAdmitted != part.test.admits(character)
        }
      }
      return isAdmitted != isNegated
    }
  }
}

/// Kinds of characters that have a name.
enum CharacterKind: String {
  case digit, word, space, horizontal, newline, inLine
  case alpha, alnum, upper, lower, punct, xdigit, cntrl, blank, graph, print, ascii

  /// The kind that is called so between `[:` and `:]`, or in `\p{…}`.
  init?(named name: String) {
    let others = [
      "alphabetic": Self.alpha, "uppercase": .upper, "lowercase": .lower, "whitespace": .space,
      "hexdigit": .xdigit,
    ]
    guard !["horizontal", "newline", "inLine"].contains(name),
      let kind = CharacterKind(rawValue: name) ?? others[name]
    else { return nil }
    self = kind
  }

  func admits(_ character: Character) -> Bool {
    let properties = character.unicodeScalars[character.unicodeScalars.startIndex].properties
    switch self {
    case .digit: return character.isNumber
    case .word: return character.isOfWord
    case .space: return character.isWhitespace
    case .horizontal, .blank: return character == "\t" || character.category == "Zs"
    case .newline: return character.isNewline
    case .inLine: return !character.isNewline
    case .alpha: return properties.isAlphabetic
    case .alnum: return properties.isAlphabetic || properties.numericType != nil
    case .upper: return properties.isUppercase
    case .lower: return properties.isLowercase
    case .punct: return character.isPunctuation
    case .xdigit: return character.isHexDigit
    case .cntrl: return character.category == "Cc"
    case .graph: return !character.isWhitespace && !["Cc", "Cs", "Cn"].contains(character.category)
    case .print: return character.category != "Cc" && !character.isNewline
    case .ascii: return character.isASCII
    }
  }
}

extension Character {
  /// Whether it is a letter, a digit or an underscore.
  var isOfWord: Bool { isLetter || isNumber || self == "_" }

  fileprivate var onlyScalar: Unicode.Scalar? {
    unicodeScalars.count == 1 ? unicodeScalars.first : nil
  }

  /// The general category of its first scalar, in two letters.
  fileprivate var category: String {
    switch unicodeScalars[unicodeScalars.startIndex].properties.generalCategory {
    case .uppercaseLetter: "Lu"
    case .lowercaseLetter: "Ll"
    case .titlecaseLetter: "Lt"
    case .modifierLetter: "Lm"
    case .otherLetter: "Lo"
    case .nonspacingMark: "Mn"
    case .spacingMark: "Mc"
    case .enclosingMark: "Me"
    case .decimalNumber: "Nd"
    case .letterNumber: "Nl"
    case .otherNumber: "No"
    case .connectorPunctuation: "Pc"
    case .dashPunctuation: "Pd"
    case .openPunctuation: "Ps"
    case .closePunctuation: "Pe"
    case .initialPunctuation: "Pi"
    case .finalPunctuation: "Pf"
    case .otherPunctuation: "Po"
    case .mathSymbol: "Sm"
    case .currencySymbol: "Sc"
    case .modifierSymbol: "Sk"
    case .otherSymbol: "So"
    case .spaceSeparator: "Zs"
    case .lineSeparator: "Zl"
    case .paragraphSeparator: "Zp"
    case .control: "Cc"
    case .format: "Cf"
    case .surrogate: "Cs"
    case .privateUse: "Co"
    case .unassigned: "Cn"
    @unknown default: "Cn"
    }
  }
}
