import Foundation
import ManagedObjects
import ObjectModel
import Testing
import XJournal

/// What values of attributes' types are stored as, and which stored values they are read from.
@Suite struct StoredKindTests {
  private enum Grade: Int, AttributeConvertible { case low = 1 }

  private static let id = ObjectID(
    entity: EntityNumber(rawValue: 0), number: 1, store: StoreTag(rawValue: 1))

  /// A value of each kind.
  private static func values() throws -> [Value] {
    [
      .null, true, 1, 1.5, .decimal(2), "x", .data(Data([1])),
      .date(Date(timeIntervalSince1970: 1)),
      .uuid(UUID()), .url(try #require(URL(string: "https://example.org"))), [1, 2], ["a": 1],
      .counter(1), .set([1]), .reference(id),
    ]
  }

  private func expect<Content: AttributeConvertible & Equatable>(
    _ content: Content, isReadOf kinds: Set<Value.Kind>
  ) throws {
    #expect(Content(storedValue: content.storedValue) == content)
    #expect(Content(storedValue: nil) == nil && !Content.isOptional)
    for value in try Self.values() {
      let isRead = Content(storedValue: value) != nil
      #expect(isRead == kinds.contains(value.kind), "\(Content.self) of \(value)")
    }
    #expect(Content?(storedValue: .null) == .some(nil) && Content?.isOptional)
    #expect(
      Content?.none.storedValue == nil && Content?(content).storedValue == content.storedValue)
  }

  @Test func `S29: a type is read of the kinds it is stored as, and of no others`() throws {
    try expect(true, isReadOf: [.boolean])
    try expect(3, isReadOf: [.integer, .counter])
    try expect(Int8(3), isReadOf: [.integer, .counter])
    try expect(0.5, isReadOf: [.real])
    try expect(Decimal(3), isReadOf: [.decimal])
    try expect("x", isReadOf: [.string])
    try expect(Data([2]), isReadOf: [.data])
    try expect(Date(timeIntervalSince1970: 9), isReadOf: [.date])
    try expect(UUID(), isReadOf: [.uuid])
    try expect(try #require(URL(string: "https://example.org/a")), isReadOf: [.url])
    try expect(Self.id, isReadOf: [.reference])
    #expect(ObjectID.attributeType == .reference && !ObjectID.isPropertyList)
    try expect(Set([1]), isReadOf: [.set])
    try expect([1], isReadOf: [.array])
    try expect(["a": 2], isReadOf: [.dictionary])
    try expect(1..<3, isReadOf: [.array])
    try expect(1...3, isReadOf: [.array])
    try expect(Grade.low, isReadOf: [.integer, .counter])
    try expect(CGPoint(x: 1, y: 2), isReadOf: [.array])
    try expect(CGSize(width: 1, height: 2), isReadOf: [.array])
    try expect(CGRect(x: 1, y: 2, width: 3, height: 4), isReadOf: [])
  }

  @Test func `S29: what is within a value is read of its kind, too`() {
    #expect([Int](storedValue: [1, "x"]) == nil && [Int?](storedValue: [1, nil]) == [1, nil])
    #expect([Int?]([1, nil]).storedValue == [1, nil])
    #expect([String: Int](storedValue: ["a": 1, "b": "x"]) == nil)
    #expect(["a": 1, "b": nil].storedValue == ["a": 1])
    #expect(Set<Int>(storedValue: .set([1, "x"])) == [1])
    #expect(Range<Int>(storedValue: [1]) == nil && Range<Int>(storedValue: [1, "x"]) == nil)
    #expect(
      Range<Int>(storedValue: [3, 1]) == nil && ClosedRange<Int>(storedValue: [3, 1]) == nil)
    #expect(ClosedRange<Int>(storedValue: [3]) == nil && (1..<3).storedValue == [1, 3])
    #expect(Grade(storedValue: 7) == nil)
    #expect(CGPoint(storedValue: [1, "x"]) == nil && CGPoint(storedValue: [1, 2, 3]) == nil)
    #expect(CGSize(storedValue: [1, true]) == nil && CGRect(storedValue: [1, 2, 3]) == nil)
    #expect(CGRect(storedValue: [1, 2.5, 3, 4]) == CGRect(x: 1, y: 2.5, width: 3, height: 4))
  }

  @Test func `S22: what can be part of a property list is known of each type`() {
    #expect(Range<Int>.isPropertyList && !Range<Decimal>.isPropertyList)
    #expect(ClosedRange<Date>.isPropertyList && !ClosedRange<Decimal>.isPropertyList)
    #expect([String: Range<Int>].attributeType == .dictionary)
    #expect([String: ClosedRange<Decimal>].attributeType == .transformed(by: "Dictionary"))
    #expect([Int?].isPropertyList && ![UUID?].isPropertyList && !Set<Int>.isPropertyList)
  }
}
