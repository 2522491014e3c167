import ManagedObjects
import ObjectModel
import ObjectStore

/// What a context tells of itself.
enum NaiveNotification: Equatable {
  case willSave
  /// With the number of the commit.
  case didSave(Int?)
  case changed(NaiveChanges)

  static let allWords = ["will save", "did save", "inserted", "updated", "deleted", "refreshed"]

  /// What is told, for a count of it.
  var words: [String] {
    switch self {
    case .willSave: ["will save"]
    case .didSave: ["did save"]
    case .changed(let changes):
      [
        ("inserted", changes.inserted), ("updated", changes.updated), ("deleted", changes.deleted),
        ("refreshed", changes.refreshed),
      ].filter { !$0.1.isEmpty }.map(\.0)
    }
  }
}

/// Objects that have changed: each is in one of these, or in none.
struct NaiveChanges: Equatable {
  var inserted: Set<ObjectID> = []
  var updated: Set<ObjectID> = []
  var deleted: Set<ObjectID> = []
  var refreshed: Set<ObjectID> = []
}

/// What has happened in a context since changes were told last.
struct NaiveEvent {
  /// The objects to which something was done, and whether they were there before.
  var wereThere: [ObjectID: Bool] = [:]
  /// Those of them to which more was done than that they were read anew.
  var changed: Set<ObjectID> = []
  /// Those that are being read anew at this moment.
  var reading: Set<ObjectID> = []
}

// What is told follows from what objects were and are: an object that was not there and is has come, one that was
// there and is not has gone; one that was and is there was changed, or else has been read anew.
extension NaiveContext {
  /// Notes that something is about to be done to an object.
  func touch(_ id: ObjectID) {
    if event.wereThere[id] == nil { event.wereThere[id] = objects[id]?.isThere ?? false }
    if !event.reading.contains(id) { event.changed.insert(id) }
  }

  /// Reads objects anew, which by itself is no change of theirs.
  func reading(_ ids: Set<ObjectID>, _ body: () -> Void) {
    event.reading = ids
    for id in ids { touch(id) }
    body()
    event.reading = []
  }

  /// Tells what has changed, if anything has.
  ///
  /// - Parameter new: objects that came and were not read.
  func tell(came new: Set<ObjectID> = []) {
    var changes = NaiveChanges()
    changes.inserted = new
    for (id, wasThere) in event.wereThere {
      switch (wasThere, isThere(id)) {
      case (false, true): changes.inserted.insert(id)
      case (true, false): changes.deleted.insert(id)
      case (true, true) where event.changed.contains(id): changes.updated.insert(id)
      case (true, true): changes.refreshed.insert(id)
      case (false, false): break
      }
    }
    event = NaiveEvent()
    if changes != NaiveChanges() { notifications.append(.changed(changes)) }
  }

  /// What was told since this was asked last.
  func takeNotifications() -> [NaiveNotification] {
    defer { notifications = [] }
    return notifications
  }
}

/// What a context of the library has told.
final class HeardNotifications {
  private var heard: [NaiveNotification] = []
  private var tokens: [ObservationToken] = []

  init(_ context: ManagedObjectContext) {
    tokens = [
      context.onChange { [unowned self] change in
        heard.append(
          .changed(
            NaiveChanges(
              inserted: Set(change.inserted.map(\.objectID)),
              updated: Set(change.updated.map(\.objectID)),
              deleted: Set(change.deleted.map(\.objectID)),
              refreshed: Set(change.refreshed.map(\.objectID)))))
      },
      context.onWillSave { [unowned self] in heard.append(.willSave) },
      context.onDidSave { [unowned self] commit in
        heard.append(.didSave(commit.map { Int($0.number.rawValue) }))
      },
    ]
  }

  /// What was told since this was asked last.
  func take() -> [NaiveNotification] {
    defer { heard = [] }
    return heard
  }
}
