/// The first byte of a value. Numbers are part of the format.
enum ValueTag {
  static let absent: UInt8 = 0
  static let null: UInt8 = 1
  static let no: UInt8 = 2
  static let yes: UInt8 = 3
  static let integer: UInt8 = 4
  static let real: UInt8 = 5
  static let decimal: UInt8 = 6
  static let negativeDecimal: UInt8 = 7
  static let string: UInt8 = 8
  static let data: UInt8 = 9
  static let date: UInt8 = 10
  static let uuid: UInt8 = 11
  static let url: UInt8 = 12
  static let array: UInt8 = 13
  static let dictionary: UInt8 = 14
  static let counter: UInt8 = 15
  static let set: UInt8 = 16
  static let reference: UInt8 = 17
  static let foreignReference: UInt8 = 18
  /// No value, but the middle of one, where an object has values again, or, within such, that there are several.
  static let splice: UInt8 = 19
  /// This and the 63 above: a string of no more bytes than the tag is above this.
  static let shortString: UInt8 = 0x40
  static var shortStringByteCounts: ClosedRange<Int> { 0...63 }
  /// This and all above: an integer, its distance from the least small one.
  static let smallInteger: UInt8 = 0x80
  static var smallIntegers: ClosedRange<Int> { -16...111 }
}
