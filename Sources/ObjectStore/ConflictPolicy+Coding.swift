internal import EventCoding
internal import EventFold

extension ConflictPolicy {
  /// The number that a commit has of the policy by which it was merged with rivals; part of the format.
  private var number: UInt8 {
    switch self {
    case .tell: 0
    case .storeWins: 1
    case .objectWins: 2
    case .overwrite: 3
    case .rollBack: 4
    case .custom: 5
    }
  }

  /// The field of a commit that says by which policy it was merged.
  var field: CommitField { CommitField(kind: CommitField.policyKind, bytes: [number]) }

  /// The policy by which a commit was merged; that to tell of rivals where it says none.
  ///
  /// - Parameter merge: stands for functions of the program, and for policies of newer code.
  init(of fields: [CommitField], merge: @escaping @Sendable (ObjectConflict) -> ObjectMerge) {
    let field = fields.first { $0.kind == CommitField.policyKind }
    self =
      switch field?.bytes {
      case nil, [0]: .tell
      case [1]: .storeWins
      case [2]: .objectWins
      case [3]: .overwrite
      case [4]: .rollBack
      default: .custom(merge)
      }
  }
}
