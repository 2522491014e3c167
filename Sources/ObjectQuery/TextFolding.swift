extension String {
  /// The text without what is not to be told apart.
  func folded(_ options: Filter.TextOptions) -> String {
    let text = options.contains(.ignoringDiacritics) ? withoutMarks : self
    return options.contains(.ignoringCase) ? text.lowercased() : text
  }

  /// The text with its marked letters replaced by those without marks.
  private var withoutMarks: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.value < 0x80 {
        text.append(scalar)
      } else if scalar.properties.canonicalCombiningClass == .notReordered {
        text.append(Marks.letter(of: scalar))
      }
    }
    return String(text)
  }

  /// Whether the bytes of another text stand in this one.
  func hasPart(_ part: String) -> Bool {
    var (text, part) = (self, part)
    return part.withUTF8 { part in
      text.withUTF8 { text in
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        for start in 0...text.count - part.count where text[start] == first {
          if text[start..<start + part.count].elementsEqual(part) { return true }
        }
        return false
      }
    }
  }

  /// Whether the text as a whole is like a pattern, in which `?` stands for a character, `*` for any number
  /// of them, and a backslash takes the meaning from what follows.
  func isLike(_ pattern: String) -> Bool {
    var (text, place) = (self[...], LikePattern.parts(of: pattern)[...])
    // Where to go on when what follows the last star does not fit.
    var resume: (text: Substring, place: ArraySlice<LikePattern.Part>)?
    while let character = text.first {
      switch place.first {
      case .any:
        place = place.dropFirst()
        resume = (text, place)
      case .one:
        (text, place) = (text.dropFirst(), place.dropFirst())
      case .character(let wanted) where wanted.utf8.elementsEqual(character.utf8):
        (text, place) = (text.dropFirst(), place.dropFirst())
      default:
        guard let last = resume else { return false }
        let rest = last.text.dropFirst()
        (text, place) = (rest, last.place)
        resume = (rest, last.place)
      }
    }
    return place.allSatisfy { $0 == .any }
  }
}

/// The pattern of LIKE, taken apart.
enum LikePattern {
  enum Part: Hashable {
    case character(Character)
    case one
    case any
  }

  static func parts(of pattern: String) -> [Part] {
    var parts: [Part] = []
    var rest = pattern[...]
    while let next = rest.popFirst() {
      switch next {
      case "*": parts.append(.any)
      case "?": parts.append(.one)
      case "\\": parts.append(.character(rest.popFirst() ?? next))
      default: parts.append(.character(next))
      }
    }
    return parts
  }
}

/// Letters that have a mark and are one scalar: Latin, Greek and Cyrillic.
private enum Marks {
  static func letter(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    if let letter = others[scalar] { return letter }
    guard let name = scalar.properties.name, let range = name.firstRange(of: " WITH ") else {
      return scalar
    }
    // A stroke is no mark: only what has been put together of letter and mark is taken apart.
    let parts = name[range.upperBound...].split(separator: " AND ").map(String.init)
    guard parts.allSatisfy(names.contains) else { return scalar }
    return letters[String(name[..<range.lowerBound])] ?? scalar
  }

  private static let names: Set<String> = [
    "ACUTE", "GRAVE", "CIRCUMFLEX", "TILDE", "MACRON", "BREVE", "DOT ABOVE", "DIAERESIS",
    "HOOK ABOVE", "RING ABOVE", "DOUBLE ACUTE", "CARON", "DOUBLE GRAVE", "INVERTED BREVE", "HORN",
    "DOT BELOW", "DIAERESIS BELOW", "RING BELOW", "COMMA BELOW", "CEDILLA", "OGONEK",
    "CIRCUMFLEX BELOW", "BREVE BELOW", "TILDE BELOW", "LINE BELOW", "TONOS", "DIALYTIKA", "PSILI",
    "DASIA", "OXIA", "VARIA", "PERISPOMENI", "YPOGEGRAMMENI", "PROSGEGRAMMENI", "VRACHY",
  ]

  /// Letters without marks, by their names.
  private static let letters: [String: Unicode.Scalar] = {
    var letters: [String: Unicode.Scalar] = [:]
    for range in [0x41...0x7A, 0xC0...0x24F, 0x391...0x3C9, 0x400...0x4FF] {
      for scalar in range.compactMap({ Unicode.Scalar(UInt32($0)) }) {
        if let name = scalar.properties.name, !name.contains(" WITH ") { letters[name] = scalar }
      }
    }
    return letters
  }()

  /// Those whose names do not say it.
  private static let others: [Unicode.Scalar: Unicode.Scalar] = [
    "й": "и", "Й": "И", "ё": "е", "Ё": "Е", "ї": "і", "Ї": "І", "ў": "у", "Ў": "У",
  ]
}
