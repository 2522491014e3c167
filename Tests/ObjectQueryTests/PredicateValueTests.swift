import FoundationEssentials
import ObjectModel
import ObjectQuery
import Testing

private enum Mood: String, Codable { case sunny }
private struct Unknown: Codable, Hashable { var a = 1 }

/// What a predicate takes from around it, of every kind, and what of it no filter takes.
private final class Letter {
  var flag = true
  var likes = 0
  var wide: UInt64 = 0
  var score: Double = 0
  var ratio: Float = 0
  var price: Decimal = 0
  var title = ""
  var mood = Mood.sunny
  var note: String?
  var rank: Int?
  var bytes = Data()
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var number = UUID()
  var link: URL?
  var unknown = Unknown()
  var other: Unknown?
  var tags: [Int] = []
  var names: [String: String] = [:]
}

struct PredicateValueTests {
  private func filter(_ predicate: Predicate<Letter>) throws -> Filter {
    let names: [AnyKeyPath: String] = [
      \Letter.flag: "flag", \Letter.likes: "likes", \Letter.wide: "wide", \Letter.score: "score",
      \Letter.ratio: "ratio", \Letter.price: "price", \Letter.title: "title",
      \Letter.mood: "mood", \Letter.note: "note", \Letter.rank: "rank",
      \Letter.bytes: "bytes", \Letter.date: "date", \Letter.number: "number",
      \Letter.link: "link", \Letter.unknown: "unknown", \Letter.other: "other",
      \Letter.tags: "tags",
      \Letter.names: "names",
    ]
    return try Filter(predicate) { names[$0] }
  }

  private func expect(_ predicate: Predicate<Letter>, _ text: String) throws {
    #expect(try filter(predicate).description == text)
  }

  private func refuse(_ predicate: Predicate<Letter>, _ words: String) {
    let error = #expect(throws: QueryError.self) { try filter(predicate) }
    #expect(error?.code == .untranslatable)
    #expect(error?.message.contains(words) ?? false, "\(error?.message ?? "")")
  }

  @Test
  func `S68: a value of any type that a store has a kind for is taken from around a predicate`()
    throws
  {
    let (ratio, price) = (Float(0.5), Decimal(3) / 2)
    let (bytes, number, small) = (
      Data([1, 2]), try #require(UUID(uuidString: Self.uuid)), UInt64(7)
    )
    let link: URL? = URL(string: "https://example.org")
    let (none, some): (Int?, Int?) = (nil, 4)
    try expect(#Predicate { $0.ratio == ratio }, "ratio == 0.5")
    try expect(#Predicate { $0.price > price }, "price > decimal('1.5')")
    try expect(#Predicate { $0.bytes == bytes }, "bytes == data('AQI=')")
    try expect(#Predicate { $0.number == number }, "number == uuid('\(Self.uuid)')")
    try expect(#Predicate { $0.link == link }, "link == url(\"https://example.org\")")
    try expect(#Predicate { $0.rank == none }, "rank == null")
    try expect(#Predicate { $0.rank == some }, "rank == 4")
    try expect(#Predicate { $0.wide == small }, "wide == 7")
    let moods = [Mood.sunny.rawValue]
    try expect(#Predicate { moods.contains($0.title) }, "title IN [\"sunny\"]")
    let wanted: Set<Int> = [3]
    try expect(#Predicate { wanted.contains($0.likes) }, "likes IN [3]")
    let mood = Mood.sunny
    try expect(#Predicate { $0.mood == mood }, "mood == \"sunny\"")
    try expect(#Predicate { $0.bytes.isEmpty }, "bytes == data('')")
    try expect(#Predicate { $0.title.isEmpty }, "title == \"\"")
  }

  private static let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

  @Test func `S68: ranges of every shape ask for what they contain`() throws {
    let (closed, open) = (1...5, 1..<5)
    let (from, below, through) = (3..., ..<3, ...3)
    let (one, two) = (1, 2)
    try expect(#Predicate { closed.contains($0.likes) }, "likes BETWEEN {1, 5}")
    try expect(#Predicate { open.contains($0.likes) }, "likes >= 1 AND likes < 5")
    try expect(#Predicate { from.contains($0.likes) }, "likes >= 3")
    try expect(#Predicate { below.contains($0.likes) }, "likes < 3")
    try expect(#Predicate { through.contains($0.likes) }, "likes <= 3")
    try expect(#Predicate { (one...two).contains($0.likes) }, "likes BETWEEN {1, 2}")
    let wide: Range<UInt64> = 1..<UInt64.max
    refuse(#Predicate { wide.contains($0.wide) }, "with such bounds")
    let words = "a"..."c"
    try expect(#Predicate { words.contains($0.title) }, "title BETWEEN {\"a\", \"c\"}")
  }

  @Test func `S68: what is compared with true and false is that, or not that`() throws {
    let (yes, no) = (true, false)
    try expect(#Predicate { ($0.likes > 1) == yes }, "likes > 1")
    try expect(#Predicate { no == ($0.likes > 1) }, "NOT (likes > 1)")
    try expect(#Predicate { ($0.likes > 1) != yes }, "NOT (likes > 1)")
    try expect(#Predicate { $0.likes <= 1 && $0.likes >= 0 }, "likes <= 1 AND likes >= 0")
    try expect(#Predicate { $0.likes - 1 > 0 }, "likes - 1 > 0")
    try expect(
      #Predicate { $0.note?.contains("a") == false },
      "note != null AND NOT (note CONTAINS \"a\")")
    try expect(#Predicate { $0.note?.contains("a") == nil }, "NOT (note != null)")
    try expect(
      #Predicate { $0.note?.contains("a") != true }, "NOT (note != null AND note CONTAINS \"a\")")
    try expect(
      #Predicate { $0.note?.contains("a") ?? true },
      "NOT (note != null) OR note CONTAINS \"a\"")
    try expect(#Predicate { $0.rank.flatMap { -$0 } == 3 }, "-(rank) == 3")
    try expect(
      #Predicate { $0.likes < 2 ? true : false }, "likes < 2 AND true OR NOT (likes < 2) AND false")
  }

  @Test func `S68: what no filter can say of a value is refused by its name`() throws {
    let (wide, unknown) = (UInt64.max, Unknown())
    refuse(#Predicate { $0.wide == wide }, "where it is a UInt64")
    refuse(#Predicate { $0.unknown == unknown }, "where it is a Unknown")
    let list = [Unknown()]
    refuse(#Predicate { list.contains($0.unknown) }, "where it is a Array<Unknown>")
    let maybe: Unknown? = Unknown()
    refuse(#Predicate { $0.other == maybe }, "where it is a Optional<Unknown>")
    let start = [1]
    refuse(#Predicate { $0.tags.starts(with: start) }, "but for texts")
    refuse(#Predicate { $0.tags.contains(start) }, "but for texts")
    refuse(#Predicate { ($0.likes > 1 ? $0.title : "x") == "y" }, "where it chooses a value")
    refuse(#Predicate { ($0.likes > 1) == ($0.score > 1) }, "between two conditions")
    refuse(#Predicate { $0.names[$0.title] == "x" }, "unless the key is a text that is known")
    refuse(
      #Predicate { $0.names[$0.title, default: ""] == "x" },
      "unless the key is a text that is known")
    refuse(#Predicate { $0.title.count > 3 }, "counts what is in a String")
    refuse(#Predicate { $0.bytes.count > 3 }, "counts what is in a Data")
  }
}
