internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// How changes of objects are written for people, and in JSON.
enum ChangeWording {
  /// `+`, `~` or `-`.
  static func sign(_ kind: Commit.Kind) -> Words {
    switch kind {
    case .inserted: Words("+", .added)
    case .updated: Words("~", .heading)
    case .deleted: Words("-", .removed)
    }
  }

  /// Old and new, of which what comes to be has no old, and what is gone no new.
  static func words(
    _ value: Commit.ChangedValue, _ kind: Commit.Kind, _ wording: Wording
  ) -> Words {
    switch kind {
    case .inserted: Words(wording.text(value.new), .added)
    case .deleted: Words(wording.text(value.old), .removed)
    case .updated:
      "\(wording.text(value.old), .removed) → \(wording.text(value.new), .added)"
    }
  }

  static func json(_ change: Commit.Change, _ wording: Wording) -> JSONValue {
    .members([
      ("object", .string(wording.name(change.objectID))), ("uri", .string(change.objectID.uri)),
      ("entity", .string(change.entityName)), ("change", .string(change.kind.name)),
      (
        "values",
        json(change.values.sorted { $0.key < $1.key }, of: change.objectID, wording)
      ),
    ])
  }

  /// Values by key, each with old and new.
  static func json(
    _ values: [(key: String, value: Commit.ChangedValue)], of object: ObjectID, _ wording: Wording
  ) -> JSONValue {
    .members(
      values.map { key, value in
        let old = wording.json(value.old, key, of: object)
        let new = wording.json(value.new, key, of: object)
        return (key, .members([("old", old), ("new", new)]))
      })
  }
}

extension Commit.Kind {
  init(_ kind: ObjectChange.Kind) {
    self =
      switch kind {
      case .inserted: .inserted
      case .updated: .updated
      case .deleted: .deleted
      }
  }

  /// What it is called.
  var name: String {
    switch self {
    case .inserted: "inserted"
    case .updated: "updated"
    case .deleted: "deleted"
    }
  }
}
