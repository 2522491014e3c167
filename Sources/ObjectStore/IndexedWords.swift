internal import EventCoding
internal import FoundationEssentials
internal import Journaling
internal import ObjectModel

/// A value in four words, in whose order values of one kind are as `Value.precedes` has them.
///
/// Numbers, booleans, dates, UUIDs and references are there as they are. Of strings, data and URLs there are
/// 24 bytes, and then their count; where they are longer, 63 bits of a hash of all of them instead, so that
/// longer ones of the same beginning are told apart, but have no order.
struct IndexedWords: Hashable, Sendable {
  private(set) var first: UInt64 = 0
  private(set) var second: UInt64 = 0
  private(set) var third: UInt64 = 0
  private(set) var fourth: UInt64 = 0

  static let beginningByteCount = 24
  /// The bit that tells a hash from a count.
  private static let longBit: UInt64 = 1 << 63
  private static let signBit: UInt64 = 1 << 63

  init() {}

  private init(
    first: UInt64, _ second: UInt64 = 0, _ third: UInt64 = 0, _ fourth: UInt64 = 0
  ) {
    (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
  }

  init(_ value: Value) {
    switch value {
    case .boolean(let value): self.init(first: value ? 1 : 0)
    case .integer(let value), .counter(let value):
      self.init(first: UInt64(bitPattern: Int64(value)) ^ Self.signBit)
    case .real(let value): self.init(first: Self.ordered(value.bitPattern))
    case .date(let value):
      self.init(first: Self.ordered(value.timeIntervalSinceReferenceDate.bitPattern))
    case .reference(let object): self.init(first: object.store.rawValue, object.rawValue)
    case .uuid(let value): self = withUnsafeBytes(of: value.uuid) { Self(bytes: $0) }
    case .string(var text): self = text.withUTF8 { Self(bytes: UnsafeRawBufferPointer($0)) }
    case .url(let url):
      var text = url.absoluteString
      self = text.withUTF8 { Self(bytes: UnsafeRawBufferPointer($0)) }
    case .data(let data): self = data.withUnsafeBytes { Self(bytes: $0) }
    case .decimal(let number): self.init(number)
    case .null, .array, .dictionary, .set: self.init()
    }
  }

  private init(bytes: UnsafeRawBufferPointer) {
    let kept = min(bytes.count, Self.beginningByteCount)
    var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &words) {
      $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<kept]))
    }
    let isLong = bytes.count > Self.beginningByteCount
    let last =
      isLong ? Checksum.of(bytes, salt: 0) | Self.longBit : UInt64(bytes.count)
    self.init(first: words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, last)
  }

  /// Sign and size of a decimal number, then the 39 digits it may have, in three words.
  private init(_ number: Decimal) {
    guard let parts = DecimalParts(number), parts.mantissa != 0 else {
      // A number that is none comes first.
      self.init(first: number.isNaN ? 0 : Self.signBit)
      return
    }
    let digits = Array(String(parts.mantissa).utf8.map { UInt64($0 &- 48) })
    let size = UInt64(parts.exponent + digits.count + 1024)
    func word(_ place: Int) -> UInt64 {
      (place..<place + 13).reduce(0) { $0 * 10 + ($1 < digits.count ? digits[$1] : 0) }
    }
    self.init(first: size | Self.signBit, word(0), word(13), word(26))
    if parts.isNegative { self.init(first: ~first, ~second, ~third, ~fourth) }
  }

  /// The bits of a real, so that their order is that of `isTotallyOrdered`.
  private static func ordered(_ bits: UInt64) -> UInt64 {
    bits & signBit == 0 ? bits | signBit : ~bits
  }

  private static func bits(ofOrdered word: UInt64) -> UInt64 {
    word & signBit == 0 ? ~word : word & ~signBit
  }

  /// Whether no two values of a kind have the same words.
  static func areWhole(_ kind: Value.Kind) -> Bool {
    switch kind {
    case .boolean, .integer, .counter, .real, .date, .uuid, .reference: true
    case .decimal, .string, .url, .data, .null, .array, .dictionary, .set: false
    }
  }

  /// Whether no other value of a kind has the same words.
  func isWhole(_ kind: UInt8) -> Bool {
    guard let kind = Value.Kind(rawValue: kind) else { return false }
    return switch kind {
    case .decimal: first != 0
    case .string, .url, .data: fourth & Self.longBit == 0
    default: Self.areWhole(kind)
    }
  }

  /// Whether two values that are longer begin with the same bytes.
  func hasSameBeginning(as other: IndexedWords) -> Bool {
    first == other.first && second == other.second && third == other.third
  }

  /// The least words of values that are longer and begin as this one, where it is longer itself.
  var leastOfLong: IndexedWords? {
    fourth & Self.longBit == 0 ? nil : Self(first: first, second, third, Self.longBit)
  }

  /// The largest words of such values.
  var largestOfLong: IndexedWords? {
    fourth & Self.longBit == 0 ? nil : Self(first: first, second, third, .max)
  }

  /// The value of a kind; nil where the words do not tell, and for decimal numbers.
  func value(_ kind: UInt8) -> Value? {
    guard let kind = Value.Kind(rawValue: kind), isWhole(kind.rawValue) else { return nil }
    switch kind {
    case .boolean: return .boolean(first != 0)
    case .integer: return .integer(Int(Int64(bitPattern: first ^ Self.signBit)))
    case .counter: return .counter(Int(Int64(bitPattern: first ^ Self.signBit)))
    case .real: return .real(Double(bitPattern: Self.bits(ofOrdered: first)))
    case .date:
      let seconds = Double(bitPattern: Self.bits(ofOrdered: first))
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .reference:
      return .reference(ObjectID(rawValue: second, store: StoreTag(rawValue: first)))
    case .string: return withBytes { .string(String(decoding: $0, as: UTF8.self)) }
    case .data: return withBytes { .data(Data($0)) }
    case .url:
      guard let url = withBytes({ URL(string: String(decoding: $0, as: UTF8.self)) }) else {
        return nil
      }
      return .url(url)
    case .uuid:
      return withBytes { .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) }
    default: return nil
    }
  }

  private func withBytes<Answer>(_ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
    let words = (first.bigEndian, second.bigEndian, third.bigEndian)
    let count = Int(min(fourth, UInt64(Self.beginningByteCount)))
    return withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }
}

extension IndexedWords: Comparable {
  @inline(__always)
  static func < (one: IndexedWords, other: IndexedWords) -> Bool {
    if one.first != other.first { return one.first < other.first }
    if one.second != other.second { return one.second < other.second }
    if one.third != other.third { return one.third < other.third }
    return one.fourth < other.fourth
  }
}
