internal import ObjectModel

/// The shape of a patch as JSON, which docs/patching.md and docs/patch.schema.json describe.
enum JSONPatchShape {
  /// The version that is written, and the one that is read.
  static let version = 1

  /// The names of members.
  enum Name {
    static let version = "patch"
    static let objects = "objects"
    static let entity = "entity"
    static let identifier = "id"
    static let old = "old"
    static let new = "new"
    static let types = "types"
    static let relationships = "relationships"
    static let kind = "kind"
    static let removed = "removed"
    static let added = "added"
    static let patches = "patches"
    static let position = "position"
  }
}

extension RelationshipPatch.Kind {
  /// The kind's name in JSON.
  var jsonName: String {
    switch self {
    case .toOne: "toOne"
    case .toMany: "toMany"
    case .ordered: "ordered"
    }
  }

  init(_ relationship: RelationshipDescription) {
    self = !relationship.isToMany ? .toOne : relationship.isOrdered ? .ordered : .toMany
  }
}
