internal import ObjectModel

/// What has happened in a context since pending changes were processed last.
struct ContextEvent {
  /// Which event it is.
  var number: UInt32 = 1
  /// Which stretch of unsaved work it is: a new one begins whenever everything is saved or given up.
  var stretch: UInt32 = 1
  /// Which stretch it is in which values were set by edits of their own and not brought back by others.
  var setStretch: UInt32 = 1
  /// The objects that were inserted, changed or deleted, in order.
  var changed: [ObjectID] = []
  /// What their values were before.
  var valuesBefore: [ObjectID: [KeyNumber: Value?]] = [:]
  var inserted: Set<ObjectID> = []
  var deleted: Set<ObjectID> = []
  var refreshed: Set<ObjectID> = []

  var isEmpty: Bool { changed.isEmpty && inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty }

  /// Whether it is kept which objects are set: while hooks run before a save.
  var collectsSets = false
  /// Whether those are kept, too, that are set without anybody being told: while hooks validate.
  var collectsPrimitiveSets = false
  private var setSince: Set<ObjectID> = []

  mutating func noteSet(_ object: ObjectID) { setSince.insert(object) }

  /// The objects that were set since this was asked last.
  mutating func takeSet() -> Set<ObjectID> {
    defer { setSince = [] }
    return setSince
  }

  mutating func end() {
    number &+= 1
    changed = []
    valuesBefore = [:]
    inserted = []
    deleted = []
    refreshed = []
  }
}
