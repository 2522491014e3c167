// The writer of long journals, for whoever measures how the tool reads one, or looks at one while it grows.

import DiskAccess
import EventFold
import Foundation
import Journaling
import ObjectModel
import ObjectStore

/// A context that edits notes and saves them, a thousand values at a time, until the journal has so many events.
struct LongWriter {
  private static let noteCount = 100_000
  private static let valuesPerSave = 1000

  let path: String
  /// How many events there are to be; nil for as many as there can be until the process is killed, each save synced.
  let eventCount: Int?

  func run() throws {
    var options = StoreOptions()
    if eventCount != nil { options.durability = .written }
    let store = try JournaledStore(
      on: PosixDisk(), at: path, model: try StoreWriter.model(), options: options)
    let context = try store.beginContext(name: "writer", on: store.lastCommit)
    let (text, rank) = (try store.key(named: "text"), try store.key(named: "rank"))
    var notes: [(object: ObjectID, row: Row?)] = []
    var (count, next, base) = (0, 0, CommitNumber.none)
    let perSave = eventCount == nil ? 10 : Self.valuesPerSave
    while count < eventCount ?? .max {
      var changed: [CommitRequest.Object] = []
      var edits: [ObjectID: EditNumber] = [:]
      for _ in 0..<perSave {
        if next == notes.count {
          let object = try store.newObject(of: EntityNumber(rawValue: 0))
          notes.append((object, nil))
          try store.record(.inserted(object), by: context)
          count += 1
        }
        let (object, old) = notes[next]
        let key = count % 3 == 0 ? rank : text
        let value: Value = count % 3 == 0 ? .integer(count) : .string("note \(next), edit \(count)")
        edits[object] = try store.record(.set(object, key, value), by: context)
        var new = old ?? Row()
        new[key] = value
        notes[next].row = new
        changed.append(.init(object, base: base, old, to: new))
        count += 1
        next = (next + 1) % Self.noteCount
      }
      var request = CommitRequest(changed)
      request.author = "writer"
      request.edit = { [edits] object, _, _ in edits[object] }
      base = try store.commit(request, by: context)?.number ?? base
    }
    try store.close()
  }
}
