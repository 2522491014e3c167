/// What the bytes of a binary property list mean, for writer and reader alike.
enum PropertyListFormat {
  /// `bplist00`.
  static let header: UInt64 = 0x6270_6C69_7374_3030
  static let headerByteCount = 8
  static let trailerByteCount = 32
  /// Header, one object of one byte, its offset, and the trailer.
  static let smallestByteCount = headerByteCount + 2 + trailerByteCount

  static let markFalse: UInt8 = 0x08
  static let markTrue: UInt8 = 0x09
  static let markReal: UInt8 = 0x23
  static let markDate: UInt8 = 0x33
  /// A count in the lower half of a marker that says that an integer with the count follows.
  static let countFollows = 15

  /// The upper half of a marker.
  enum Family: UInt8 {
    case single = 0x0
    case integer = 0x1
    case real = 0x2
    case date = 0x3
    case data = 0x4
    case asciiString = 0x5
    case utf16String = 0x6
    case uid = 0x8
    case array = 0xA
    case dictionary = 0xD

    /// Spelled out, because the initializer that comes with the type is a call to a search.
    @inline(__always)
    init?(marker: UInt8) {
      switch marker >> 4 {
      case 0x0: self = .single
      case 0x1: self = .integer
      case 0x2: self = .real
      case 0x3: self = .date
      case 0x4: self = .data
      case 0x5: self = .asciiString
      case 0x6: self = .utf16String
      case 0x8: self = .uid
      case 0xA: self = .array
      case 0xD: self = .dictionary
      default: return nil
      }
    }
  }

  /// How many nodes a list may have for each of its bytes, once every shared container stands wherever it is
  /// named.
  static let nodesPerByte = 8

  /// The smallest size for offsets or references: readers want that it could hold the count too.
  static func byteCount(holding count: Int) -> Int {
    count < 1 << 8 ? 1 : count < 1 << 16 ? 2 : count < 1 << 32 ? 4 : 8
  }
}
