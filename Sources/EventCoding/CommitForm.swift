/// Numbers of the encoding of commits; part of the format.
enum CommitForm {
  static let format: UInt8 = 1
  /// The lower bits of a change's first number, which has the form of the change.
  static let formBitCount: UInt64 = 3
  /// The lower bits of an object's first number, which has what becomes of it.
  static let kindBitCount: UInt64 = 2

  static let added: UInt8 = 0
  static let addedByEdit: UInt8 = 1
  static let removed: UInt8 = 2
  static let replaced: UInt8 = 3
  static let replacedByEdit: UInt8 = 4
  static let spliced: UInt8 = 5
  static let counted: UInt8 = 6
  static let regrouped: UInt8 = 7
}

/// A field that a commit may have, or that newer code added and this code may pass over: kept as it is.
package struct CommitField: Hashable, Sendable {
  /// From 1; from 128 on, who does not know the kind must refuse the commit.
  package let kind: UInt8
  package let bytes: [UInt8]

  package init(kind: UInt8, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  /// By which policy the commit was merged with what others had committed meanwhile: a byte.
  package static let policyKind: UInt8 = 1

  /// Whether this code knows the kind.
  package var isKnown: Bool { kind == Self.policyKind }

  /// Whether who does not know a kind may pass the field over.
  static func mayBePassedOver(_ kind: UInt8) -> Bool { (1..<0x80).contains(kind) }
}
