// Events and commits of every shape, for the fuzzer of their readers to begin with.

internal import ByteCoding
internal import EventCoding
internal import FoundationEssentials
internal import ObjectModel

enum EventSeeds {
  private static let store = StoreTag(rawValue: 1)
  private static let context = ContextNumber(rawValue: 300)
  private static let key = KeyNumber(rawValue: 5)

  private static func object(_ number: UInt64, of store: StoreTag = store) -> ObjectID {
    ObjectID(entity: EntityNumber(rawValue: 3), number: number, store: store)
  }

  /// Inputs, each with the byte that says how it is used.
  static func all() throws -> [[UInt8]] {
    try (edits.map { .edited(context, $0) } + others).map { try [0] + bytes($0) } + [commit()]
  }

  private static func bytes(_ event: Event) throws -> [UInt8] {
    var writer = ByteWriter()
    try EventEncoder(store: store).append(event, to: &writer)
    return writer.withBytes { Array($0) }
  }

  private static let values: [Value] = [
    .null, true, 5, 500, 1.5, .decimal(-12.5), "short",
    .string(String(repeating: "long", count: 20)),
    .data(Data([1, 2, 3])), .date(Date(timeIntervalSinceReferenceDate: 1)),
    .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    [1, "a", [2]], ["a": 1, "b": ["c": .null]], .counter(-7), .set([1, "a", .set([2, 3])]),
    .reference(object(1)), .reference(object(1, of: StoreTag(rawValue: 2))),
  ]

  private static let edits: [Edit] =
    values.map { .set(object(9), key, $0) } + [
      .renamed("name"), .based(object(1), on: 4), .inserted(object(1)), .set(object(1), key, nil),
      .setPrimitive(object(1), key, 1), .deleted(object(1)), .stepEnded(name: "step"),
      .membersChanged(object(1), key, inserted: [object(2)], removed: [object(3)]),
      .undoSwitched(isOn: true), .merged(4), .rolledBack, .wasReset, .saved(4), .saveFailed("why"),
      .undone([Restoration(object(1), .updated, [Restoration.Entry(key, 7)])]),
      .redone([Restoration(object(1), .deleted, [])]),
      .refreshed([object(1), object(2)], keepingChanges: true, at: 4),
    ]

  private static let others: [Event] = [
    .keyNamed(key, "title"), .timePassed(RecordedTime(rawValue: 1)), .tagged("tag", 4),
    .numbersReserved(origin: 1, EntityNumber(rawValue: 3), through: 1000),
    .contextBegan(context, name: "c", on: 4, parent: ContextNumber(rawValue: 1)),
    .contextEnded(context), .draftDiscarded(context), .unknown(kind: 200, bytes: [1, 2]),
    .contextResumed(context, name: "c", on: 4, oldest: 3, firstEdit: 300),
    .modelAdopted([NumberedEntity(EntityNumber(rawValue: 3), entity)]),
  ]

  private static let entity = EntityDescription(
    "Entity", parent: "Parent",
    attributes: [
      AttributeDescription("title", .string, defaultValue: "x", validation: [.minLength(1)]),
      AttributeDescription(
        "colour", .transformed(by: "t"), merging: .custom("m"), validation: [.maximum(3)]),
    ],
    relationships: [RelationshipDescription("all", to: "Entity", inverse: "one", maxCount: 9)])

  /// A commit with a change of every form, behind the edit that it names.
  private static func commit() throws -> [UInt8] {
    let changes: [ValueChange] = [
      .replaced(old: nil, new: "named"), .replaced(old: nil, new: 1), .replaced(old: 1, new: nil),
      .replaced(old: 1, new: 2), .counted(3), .regrouped(inserted: [1, 2], removed: ["a"]),
      .spliced(Splice(prefixCount: 90, suffixCount: 80, old: "a", new: "b")),
    ]
    let entries = changes.enumerated().map { index, change in
      ObjectChange.Entry(KeyNumber(rawValue: UInt32(index)), change)
    }
    let edit = try bytes(.edited(context, .set(object(9), KeyNumber(rawValue: 0), "named")))
    let content = CommitContent(
      number: 5, time: RecordedTime(rawValue: 9), context: context, author: "a", message: "m",
      userInfo: ["a": 1, "b": 2],
      changes: [
        ObjectChange(object(9), .updated, entries),
        ObjectChange(object(12), .deleted, [ObjectChange.Entry(key, .replaced(old: 1, new: nil))]),
      ])
    var writer = ByteWriter()
    try CommitEncoder(store: store).append(
      content, fields: [CommitField(kind: 9, bytes: [1])], to: &writer
    ) { object, key, _ in
      key.rawValue == 0 ? 0 : nil
    }
    return [UInt8(edit.count) << 4 | 1] + edit + writer.withBytes { Array($0) }
  }
}
