internal import ObjectModel

// Numbers that stand for what a model says; part of the format.
enum ModelTags {
  /// Types without a name of their own, in the order of their numbers.
  static let plainTypes: [AttributeType] = [
    .boolean, .integer, .real, .decimal, .string, .data, .date, .uuid, .url, .dictionary, .counter,
    .set, .reference,
  ]
  static let transformedType: UInt8 = 13

  static let mergingAsWhole: UInt8 = 0
  static let mergingByKey: UInt8 = 1
  static let mergingByFunction: UInt8 = 2

  static let minLength: UInt8 = 0
  static let maxLength: UInt8 = 1
  static let minimum: UInt8 = 2
  static let maximum: UInt8 = 3
  static let matches: UInt8 = 4

  /// Flags, the first one lowest.
  static func byte(_ flags: Bool...) -> UInt8 {
    flags.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
  }
}
