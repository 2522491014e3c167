import FoundationEssentials
import ObjectModel
import ObjectStore
import PropertyListCoding
import Testing

/// Whatever is let into a commit has room in a run.
@Suite struct RowSizeTests {
  private static let store = StoreTag(rawValue: 7)
  private static let count = 20_000
  /// How many bytes a frame of a run may have.
  private static let largestFrame = 64 << 20

  private enum Kind: String, CaseIterable {
    case null, boolean, integer, real, counter, date, shortDecimal, longDecimal, smallDecimal
    case letter, text, wideText, byte, uuid, url, reference, array, set, dictionary

    /// The value of the kind of a number; of different numbers they are different, where the kind has so many.
    func value(_ number: Int) -> Value {
      switch self {
      case .null: .null
      case .boolean: .boolean(number % 2 == 0)
      case .integer: .integer(.max - number)
      case .real: .real(Double(number) + 0.5)
      case .counter: .counter(.max - number)
      case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
      case .shortDecimal: .decimal(Decimal(number) / 100)
      case .longDecimal: .decimal(Decimal(sign: .plus, exponent: 120, significand: Decimal(number)))
      case .smallDecimal:
        .decimal(Decimal(sign: .minus, exponent: -120, significand: Decimal(number + 1)))
      case .letter: .string(String(UnicodeScalar(0x4E00 + number).map(Character.init) ?? "x"))
      case .text: .string("text \(number)")
      case .wideText: .string("wörter \(number) ")
      case .byte: .data(Data([UInt8(number & 0xFF), UInt8(number >> 8)]))
      case .uuid:
        .uuid(
          UUID(
            uuid: (
              UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
            )))
      case .url: URL(string: "x:\(number)").map { .url($0) } ?? .null
      case .reference:
        .reference(
          ObjectID(
            entity: EntityNumber(rawValue: 1), number: UInt64(number) + 1,
            store: RowSizeTests.store))
      case .array: .array([.integer(number)])
      case .set: .set([.integer(number)])
      case .dictionary: .dictionary(["\(number)": .boolean(true)])
      }
    }
  }

  @Test(arguments: Kind.allCases)
  private func `a row that is let in takes no more of a run than that has room for`(_ kind: Kind)
    throws
  {
    let list = Value.array((0..<Self.count).map(kind.value))
    let row = Row([KeyNumber(rawValue: 1): list])
    let written = try PropertyListWriter.encode(list)
    // Where there are most, a place and a reference have another byte each, and each object two references.
    let objectCount = written.suffix(24).prefix(8).reduce(0) { $0 << 8 | Int($1) }
    #expect(objectCount > 1 && objectCount <= 4 * Self.count)
    let worst = Double(written.count + 3 * objectCount)
    let share = Double(row.roughByteCount) / Double(Row.largestByteCount)
    #expect(
      worst / Double(Self.largestFrame) <= share,
      "\(written.count) bytes are taken for \(row.roughByteCount)")
  }
}
