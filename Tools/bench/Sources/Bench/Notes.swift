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
  /// What notes have by now, by their numbers; empty until something is changed.
  private var values: [(rank: Int, score: Int)] = []

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

  private static let (titleWordCount, textWordCount) = (3, 20)
  /// Scores are eighths.
  private static let scoreBound = 10_000

  /// The next notes, as many as are saved together; none when all have been made.
  mutating func next() -> [Note] {
    let numbers = lastNumber..<min(lastNumber + Self.saveCount, count)
    lastNumber = numbers.upperBound
    return numbers.map { number in
      let (title, text) = (words(Self.titleWordCount), words(Self.textWordCount))
      let values = newValues()
      return Note(
        number: number + 1, title: title, text: text, rank: values.rank,
        created: 700_000_000 + Double(number) * 0.25, score: Double(values.score) / 8,
        isDone: number % 3 == 0)
    }
  }

  private mutating func newValues() -> (rank: Int, score: Int) {
    (chance.number(below: Self.rankBound), chance.number(below: Self.scoreBound))
  }

  /// What notes have when they are made.
  private static func firstValues(_ count: Int) -> [(rank: Int, score: Int)] {
    var source = NoteSource(count)
    return (0..<count).map { _ in
      for _ in 0..<(titleWordCount + textWordCount) { _ = source.chance.number() }
      return source.newValues()
    }
  }

  /// Changes of random notes, each of which changes a value: a rank or a score is never the one that the note has, and
  /// that three words are the same again happens once in 69 thousand million times.
  mutating func changes(_ changeCount: Int = saveCount) -> [NoteChange] {
    if values.isEmpty { values = Self.firstValues(count) }
    return (0..<changeCount).map { _ in
      let (number, kind) = (randomNumber(), chance.number(below: 3))
      let attribute: NoteChange.Attribute
      switch kind {
      case 0: attribute = .title(words(Self.titleWordCount))
      case 1:
        values[number - 1].rank = other(than: values[number - 1].rank, below: Self.rankBound)
        attribute = .rank(values[number - 1].rank)
      default:
        values[number - 1].score = other(than: values[number - 1].score, below: Self.scoreBound)
        attribute = .score(Double(values[number - 1].score) / 8)
      }
      return NoteChange(number: number, attribute: attribute)
    }
  }

  private mutating func other(than number: Int, below bound: Int) -> Int {
    let other = chance.number(below: bound - 1)
    return other < number ? other : other + 1
  }

  /// The number of any note.
  mutating func randomNumber() -> Int { 1 + chance.number(below: count) }
}
