import Foundation
import ManagedObjects
import ObjectModel
import Testing
import XJournal

private enum Mood: String, AttributeConvertible { case sunny, dull }
private enum Grade: Int, AttributeConvertible {
  case low = 1
  case high
}

private struct Settings: Codable, Hashable {
  struct Margin: Codable, Hashable { var left = 1.5, right: Float = 2.25 }
  enum Side: Codable, Hashable { case left, right(by: Int) }
  var name = "none"
  var margins = [Margin()]
  var side = Side.right(by: 3)
  var wide: UInt8 = 255
  var blob = Data([1, 2, 3])
  var date = Date(timeIntervalSince1970: 5)
  var uuid: UUID?
  var holes: [Int?] = [1, nil, 3]
  var table: [String: [Bool]] = ["a": [true, false]]
  var price = Decimal(12) / 10
}

private final class Sheet: ManagedObject {
  @Attribute("mood") var mood: Mood?
  @Attribute("grade") var grade: Grade = .low
  @Attribute("range") var range: Range<Int>?
  @Attribute("closed") var closed: ClosedRange<Double> = 0.5...1.5
  @Attribute("point") var point: CGPoint?
  @Attribute("size") var size: CGSize = CGSize(width: 1, height: 2)
  @Attribute("rect") var rect: CGRect?
  @Attribute("settings", .codable) var settings: Settings?
  @Attribute("marks", .codable) var marks: [UInt64]?
  @Attribute("standard", .codable(writing: .beforeSave)) var standard: Settings = Settings()
  @Attribute("numbers") var numbers: [Int]?
  @Attribute("words") var words: Set<String> = ["x"]
  @Attribute("titles") var titles: [String: String] = [:]
  @Attribute("any") var any: [String: Value]?
  @Attribute("owners") var owners: [String: UUID]?
  @Attribute("prices") var prices: [String: [Decimal?]] = [:]
  @Attribute("groups") var groups: [String: Set<Int>]?
  @Attribute("small") var small: Int16 = -3
  @Attribute("ratio") var ratio: Float?
  @Attribute("price") var price: Decimal?
  @Attribute("flag") var flag: Bool = true
  @Attribute("link") var link: URL?
  @Attribute("blob") var blob: Data?
  @Attribute("strict", .required, .minLength(2), .maxLength(4), .matches("[a-z]*")) var strict:
    String?
  @Attribute("loose", .optional, .validation(.minimum(1), .maximum(9))) var loose: Int = 5
  @ValueSet("ids") var ids: Set<UUID>
  @Counter("count", .maximum(10)) var count: Int = 2
}

@Suite struct DeclaredTypesTests {
  @Test func `S29: values of every type come back from the store as they were set`() throws {
    let stage = try Stage(ManagedObjectModel(Sheet.self))
    let context = stage.context()
    let sheet = context.insert(Sheet.self)
    #expect(sheet.grade == .low && sheet.closed == 0.5...1.5 && sheet.words == ["x"])
    #expect(sheet.size == CGSize(width: 1, height: 2) && sheet.standard == Settings())
    #expect(sheet.small == -3 && sheet.flag && sheet.loose == 5 && sheet.count == 2)
    var settings = Settings()
    settings.name = "wide"
    settings.uuid = UUID()
    let id = UUID()
    sheet.mood = .dull
    sheet.grade = .high
    sheet.range = 3..<9
    sheet.closed = -1...1
    sheet.point = CGPoint(x: 1.5, y: -2)
    sheet.size = CGSize(width: 3, height: 4)
    sheet.rect = CGRect(x: 1, y: 2, width: 3, height: 4)
    sheet.settings = settings
    sheet.standard.name = "standard"
    sheet.numbers = [3, 1, 2]
    sheet.words = ["a", "b"]
    sheet.titles = ["en": "Title"]
    sheet.any = ["a": [1, "b"]]
    sheet.small = 300
    sheet.ratio = 0.25
    sheet.price = Decimal(5) / 4
    sheet.flag = false
    sheet.link = URL(string: "https://example.org/a")
    sheet.blob = Data([9, 8])
    sheet.strict = "abc"
    sheet.ids = [id]
    try context.save()
    let again = try Stage(killing: stage, ManagedObjectModel(Sheet.self))
    let other = again.context()
    defer { withExtendedLifetime(other) {} }
    let found = try other.existingObject(with: sheet.objectID, as: Sheet.self)
    #expect(found.mood == .dull && found.grade == .high)
    #expect(found.range == 3..<9 && found.closed == -1...1)
    #expect(found.point == CGPoint(x: 1.5, y: -2) && found.size == CGSize(width: 3, height: 4))
    #expect(found.rect == CGRect(x: 1, y: 2, width: 3, height: 4))
    found.setValue([1, 2, 3.5, 4], forKey: "rect")
    #expect(found.rect == CGRect(x: 1, y: 2, width: 3.5, height: 4))
    #expect(found.settings == settings && found.standard.name == "standard")
    #expect(found.numbers == [3, 1, 2] && found.words == ["a", "b"])
    #expect(found.titles == ["en": "Title"] && found.any == ["a": [1, "b"]])
    #expect(found.small == 300 && found.ratio == 0.25 && found.price == Decimal(5) / 4)
    #expect(!found.flag && found.link == URL(string: "https://example.org/a"))
    #expect(found.blob == Data([9, 8]) && found.strict == "abc" && found.ids == [id])
  }

  @Test func `S29: a dictionary of what no property list has is a value of the program's own`()
    async throws
  {
    let stage = try Stage(ManagedObjectModel(Sheet.self))
    let context = stage.context()
    let sheet = context.insert(Sheet.self)
    let owner = UUID()
    sheet.strict = "abc"
    sheet.owners = ["ann": owner]
    sheet.prices = ["tea": [Decimal(5) / 4, nil]]
    sheet.groups = ["odd": [1, 3]]
    try await context.save()
    let other = stage.context()
    let found = try other.existingObject(with: sheet.objectID, as: Sheet.self)
    #expect(found.owners == ["ann": owner] && found.groups == ["odd": [1, 3]])
    #expect(found.prices == ["tea": [Decimal(5) / 4, nil]])
    let types = Dictionary(
      uniqueKeysWithValues: sheet.entity.attributes.map { ($0.name, $0.type) })
    #expect(types["owners"] == .transformed(by: "Dictionary"))
    #expect(types["titles"] == .dictionary && types["any"] == .dictionary)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try Stage(ManagedObjectModel(Sheet.self)).context()
      defer { withExtendedLifetime(context) {} }
      let sheet = context.insert(Sheet.self)
      sheet.any = ["a": .uuid(UUID())]
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("it takes dictionaries of property-list values"))
  }

  @Test func `S29: a coded value has integers that need all of 64 bits`() throws {
    let stage = try Stage(ManagedObjectModel(Sheet.self))
    let context = stage.context()
    let sheet = context.insert(Sheet.self)
    sheet.strict = "abc"
    sheet.marks = [0, UInt64(Int.max), UInt64(Int.max) + 1, .max]
    try context.save()
    let other = stage.context()
    let found = try other.existingObject(with: sheet.objectID, as: Sheet.self)
    #expect(found.marks == [0, UInt64(Int.max), UInt64(Int.max) + 1, .max])
    #expect(other.object(with: found.objectID).primitiveValue(forKey: "marks")?.array?.first == 0)
  }

  @Test func `S29: a coded value is stored as a property list that can be looked into`() throws {
    let context = try Stage(ManagedObjectModel(Sheet.self)).context()
    defer { withExtendedLifetime(context) {} }
    let sheet = context.insert(Sheet.self)
    sheet.settings = Settings()
    let stored = sheet.value(forKey: "settings")?.dictionary
    #expect(stored?["name"] == "none" && stored?["wide"] == 255 && stored?["uuid"] == nil)
    #expect(stored?["margins"] == [["left": 1.5, "right": 2.25]])
    #expect(stored?["side"] == ["right": ["by": 3]])
    #expect(stored?["blob"] == .data(Data([1, 2, 3])))
    #expect(stored?["holes"] == [1, nil, 3])
    sheet.setValue(["name": 3], forKey: "settings")
    #expect(sheet.settings == nil)
    #expect(throws: DecodingError.self) {
      try sheet.transformedValue(forKey: "settings", as: Settings.self)
    }
  }

  @Test func `a value of another kind than the property's is nil, or the default`() throws {
    let context = try Stage(ManagedObjectModel(Sheet.self)).context()
    defer { withExtendedLifetime(context) {} }
    let sheet = context.insert(Sheet.self)
    sheet.setValue("stormy", forKey: "mood")
    sheet.setValue(77, forKey: "grade")
    sheet.setValue(1_000_000, forKey: "small")
    sheet.setValue([1, "b"], forKey: "numbers")
    sheet.setValue([9, 3], forKey: "range")
    sheet.setValue(nil, forKey: "loose")
    #expect(sheet.mood == nil && sheet.grade == .low && sheet.small == -3)
    #expect(sheet.numbers == nil && sheet.range == nil && sheet.loose == 5)
  }

  @Test func `S62: options of a declaration are rules of a save`() throws {
    let context = try Stage(ManagedObjectModel(Sheet.self)).context()
    defer { withExtendedLifetime(context) {} }
    let sheet = context.insert(Sheet.self)
    sheet.strict = "A"
    sheet.loose = 10
    sheet.count = 11
    let errors = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(errors.failures.compactMap(\.key) == ["strict", "strict", "loose", "count"])
    sheet.strict = "ab"
    sheet.setValue(nil, forKey: "loose")
    sheet.count = 10
    try context.save()
  }
}
