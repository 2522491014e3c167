/// What all stores are measured with: an object of 6 attributes.
struct Note: Equatable {
  /// From 1 on, without gaps.
  var number: Int
  var title: String
  var text: String
  var rank: Int
  /// Seconds since 2001.
  var created: Double
  var score: Double
  var isDone: Bool
}

/// One attribute of a note that changes.
struct NoteChange {
  enum Attribute {
    case title(String)
    case rank(Int)
    case score(Double)
  }

  let number: Int
  let attribute: Attribute

  func apply(to note: inout Note) {
    switch attribute {
    case .title(let title): note.title = title
    case .rank(let rank): note.rank = rank
    case .score(let score): note.score = score
    }
  }
}

/// Notes and changes of them, the same for every store and in every run.
struct NoteSource {
  /// How many notes there are.
  let count: Int
  private var chance: Chance
  private var lastNumber = 0

  static let saveCount = 1000
  /// A quarter of the ranks is below a quarter of this.
  static let rankBound = 1000
  private static let words: [String] = {
    var chance = Chance(seed: 99)
    return (0..<4096).map { _ in
      let letters = (0..<(3 + chance.number(below: 7))).map { _ in
        UInt8(ascii: "a") + UInt8(chance.number(below: 26))
      }
      return String(decoding: letters, as: UTF8.self)
    }
  }()

  init(_ count: Int, seed: UInt64 = 1) {
    self.count = count
    chance = Chance(seed: seed)
  }

  private mutating func words(_ count: Int) -> String {
    (0..<count).map { _ in Self.words[chance.number(below: Self.words.count)] }
      .joined(separator: " ")
  }

  /// The next notes, as many as are saved together; none when all have been made.
  mutating func next() -> [Note] {
    let numbers = lastNumber..<min(lastNumber + Self.saveCount, count)
    lastNumber = numbers.upperBound
    return numbers.map { number in
      Note(
        number: number + 1, title: words(3), text: words(20),
        rank: chance.number(below: Self.rankBound),
        created: 700_000_000 + Double(number) * 0.25,
        score: Double(chance.number(below: 10_000)) / 8, isDone: number % 3 == 0)
    }
  }

  /// Changes of random notes.
  mutating func changes(_ changeCount: Int = saveCount) -> [NoteChange] {
    (0..<changeCount).map { _ in
      let attribute: NoteChange.Attribute =
        switch chance.number(below: 3) {
        case 0: .title(words(3))
        case 1: .rank(chance.number(below: Self.rankBound))
        default: .score(Double(chance.number(below: 10_000)) / 8)
        }
      return NoteChange(number: randomNumber(), attribute: attribute)
    }
  }

  /// The number of any note.
  mutating func randomNumber() -> Int { 1 + chance.number(below: count) }
}
