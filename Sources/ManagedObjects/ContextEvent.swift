internal import ObjectModel

/// By what a context tells whether something was done to an object already. It is asked by every edit.
struct EventMarks {
  /// Which event it is.
  var event: UInt32 = 1
  /// Which stretch of unsaved work it is: a new one begins whenever everything is saved or given up.
  var stretch: UInt32 = 1
  /// Which stretch it is in which values were set by edits of their own and not brought back by others.
  var setStretch: UInt32 = 1
  /// Whether it is kept which objects are set: while hooks run before a save.
  var collectsSets = false
  /// Whether those are kept, too, that are set without anybody being told: while hooks validate.
  var collectsPrimitiveSets = false
}

/// What has happened in a context since pending changes were processed last.
struct ContextEvent {
  /// The objects that were inserted, changed or deleted, in order.
  var changed: [ObjectID] = []
  /// What their values were before.
  var valuesBefore: [ObjectID: [KeyNumber: Value?]] = [:]
  var inserted: Set<ObjectID> = []
  var deleted: Set<ObjectID> = []
  var refreshed: Set<ObjectID> = []

  var isEmpty: Bool { changed.isEmpty && inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty }

  private var setSince: Set<ObjectID> = []

  mutating func noteSet(_ object: ObjectID) { setSince.insert(object) }

  /// The objects that were set since this was asked last.
  mutating func takeSet() -> Set<ObjectID> {
    defer { setSince = [] }
    return setSince
  }

  /// Nothing has happened since.
  mutating func clear() {
    if isEmpty, valuesBefore.isEmpty { return }
    changed = []
    valuesBefore = [:]
    inserted = []
    deleted = []
    refreshed = []
  }
}

extension ManagedObjectContext {
  /// Ends the event; what happens next belongs to another one.
  func endEvent() {
    marks.event &+= 1
    event.clear()
  }
}
