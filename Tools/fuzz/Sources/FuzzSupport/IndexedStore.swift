// A store with indexes of every kind, whose files the fuzzer of index runs begins with.

package import DiskAccess
internal import EventFold
internal import FoundationEssentials
internal import Journaling
package import ObjectModel
package import ObjectStore

package enum IndexedStore {
  /// The entities, by number, and the keys that have an index.
  package static let entities = [EntityNumber(rawValue: 0), EntityNumber(rawValue: 1)]
  package static let keys = types.map { "\($0)" } + ["licence", "boss"]

  private static let types: [AttributeType] = [
    .boolean, .integer, .real, .decimal, .string, .data, .date, .uuid, .url, .counter, .reference,
  ]

  package static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Person", attributes: types.map { AttributeDescription("\($0)", $0, isIndexed: true) },
        relationships: [
          RelationshipDescription("boss", to: "Person", inverse: "staff"),
          RelationshipDescription("staff", to: "Person", inverse: "boss", isToMany: true),
        ]),
      EntityDescription(
        "Pilot", parent: "Person",
        attributes: [AttributeDescription("licence", .string, isIdentifier: true)]),
    ])
  }

  package static var options: StoreOptions {
    var options = StoreOptions()
    options.journal.segmentByteCount = 64 << 10
    options.journal.halfByteCount = 4 << 10
    options.journal.windowByteCount = 64 << 10
    options.journal.preallocatedByteCount = 1 << 10
    options.journal.hasUpkeepThread = false
    options.cacheByteCount = 1 << 20
    return options
  }

  /// Makes the store: two index runs, of which the newer takes back some of what the older has, and a commit of which no
  /// run knows.
  package static func make(on disk: any Disk, at path: String) throws {
    let store = try JournaledStore(on: disk, at: path, model: model(), options: options)
    let context = try store.beginContext(name: "fuzzed", on: store.lastCommit)
    var objects: [ObjectID] = []
    var made: [CommitRequest.Object] = []
    for place in 0..<48 {
      objects.append(try store.newObject(of: entities[place % 4 == 3 ? 1 : 0]))
      let row = try row(place, of: objects[place], leadingTo: objects[place / 3], store)
      made.append(.init(objects[place], base: .none, nil, to: row))
    }
    _ = try store.commit(CommitRequest(made), by: context)
    try store.checkpoint()
    for places in [[1, 5, 7], [2, 5]] {
      var changed: [CommitRequest.Object] = []
      let base = store.lastCommit
      for place in places {
        let old = try store.head.row(of: objects[place])
        let row = try row(place + 20, of: objects[place], leadingTo: objects[0], store)
        changed.append(.init(objects[place], base: base, old, to: place == 7 ? nil : row))
      }
      _ = try store.commit(CommitRequest(changed), by: context)
      if places.count == 3 { try store.checkpoint() }
    }
    try store.endContext(context)
    try store.close()
  }

  /// Goes on with the store after it was closed: what was unsaved when a process ended, a save, and more that is unsaved.
  static func goOn(on disk: any Disk, at path: String) throws {
    let store = try JournaledStore(on: disk, at: path, model: model(), options: options)
    let context = try store.beginContext(name: "later", on: store.lastCommit)
    let other = try store.beginContext(name: "unsaved", on: store.lastCommit)
    let string = try store.key(named: "string")
    let object = try store.newObject(of: entities[1])
    let row = try row(50, of: object, leadingTo: object, store)
    try store.record(.inserted(object), by: context)
    for entry in row.entries { try store.record(.set(object, entry.key, entry.value), by: context) }
    _ = try store.commit(
      CommitRequest([.init(object, base: .none, nil, to: row)]), by: context)
    for text in ["later", "latest"] {
      try store.record(.set(object, string, .string(text)), by: other)
      try store.record(.stepEnded(name: text), by: other)
    }
    try store.record(.undone([Restoration(object, .updated, [.init(string, "later")])]), by: other)
    try store.endContext(context)
    try store.tag("later")
    try store.close()
  }

  private static func row(
    _ number: Int, of object: ObjectID, leadingTo other: ObjectID, _ store: JournaledStore
  ) throws -> Row {
    var row = Row()
    for type in types where number % 7 != 6 || type == .string {
      row[try store.key(named: "\(type)")] = value(type, number, object)
    }
    row[try store.key(named: "boss")] = .reference(other)
    if object.entity == entities[1] {
      row[try store.key(named: "licence")] = .string("P-\(number * 7919)")
    }
    return row
  }

  private static func value(_ type: AttributeType, _ number: Int, _ object: ObjectID) -> Value? {
    let noise = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    let text = String(repeating: "as long as this ", count: number % 4) + "\(number % 9)"
    switch type {
    case .boolean: return .boolean(number % 2 == 0)
    case .integer: return .integer(Int(truncatingIfNeeded: noise))
    case .counter: return .counter(number - 24)
    case .real: return .real(Double(number - 24) * 1.1)
    case .decimal: return .decimal(Decimal(number - 24) / 8)
    case .string: return .string(text)
    case .data: return .data(Data(text.utf8))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1e6))
    case .uuid:
      return .uuid(withUnsafeBytes(of: (noise, ~noise)) { UUID(uuid: $0.load(as: uuid_t.self)) })
    case .url: return URL(string: "http://a.example/\(text.count)").map { .url($0) }
    case .reference: return .reference(object)
    default: return nil
    }
  }
}
