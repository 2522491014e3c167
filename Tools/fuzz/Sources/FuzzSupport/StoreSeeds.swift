// Runs and checkpoints as a store writes them, for the fuzzers of their readers to begin with.

internal import DiskAccess
internal import EventFold
internal import FoundationEssentials
internal import Journaling
internal import ObjectModel
internal import ObjectStore

enum StoreSeeds {
  /// Makes a store with two models, tags, contexts that are open, and runs with rows of every kind.
  static func make(on disk: any Disk, at path: String) throws {
    try work(on: disk, at: path, ["title", "rank"])
    try work(on: disk, at: path, ["title", "mood"])
  }

  private static func work(on disk: any Disk, at path: String, _ names: [String]) throws {
    var options = StoreOptions()
    options.journal.hasUpkeepThread = false
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", attributes: names.map { AttributeDescription($0, .string) })
    ])
    let store = try JournaledStore(on: disk, at: path, model: model, options: options)
    let context = try store.beginContext(name: "fuzzed", on: store.lastCommit)
    for count in [40, 3] {
      var objects: [CommitRequest.Object] = []
      for index in 0..<count {
        let object = try store.newObject(of: EntityNumber(rawValue: 0))
        let row = try row(index, names, object, store)
        objects.append(.init(object, base: .none, nil, to: row))
      }
      _ = try store.commit(CommitRequest(objects), by: context)
      try store.tag("tag \(count)")
      try store.checkpoint()
    }
    let last = try store.newObject(of: EntityNumber(rawValue: 0))
    try store.record(.inserted(last), by: context)
    try store.checkpoint()
    // The process ends as if it were killed, but for the lock.
    try store.close()
  }

  private static func row(
    _ index: Int, _ names: [String], _ object: ObjectID, _ store: JournaledStore
  ) throws -> Row {
    var row = Row()
    for name in names { row[try store.key(named: name)] = .string("\(name) \(index)") }
    let values: [Value] = [
      true, 7, 1.5, .decimal(-12.5), .data(Data([1, 2, 3])),
      .date(Date(timeIntervalSinceReferenceDate: 1)), .counter(-7), .reference(object),
      [1, "a", [2]], ["a": 1], .set([1, "a"]), .string(String(repeating: "long ", count: 40)),
    ]
    row[try store.key(named: "dynamic \(index % 5)")] = values[index % values.count]
    return row
  }
}
