// A store that takes a hostile index run for one of its own: it is asked what indexes answer, verified, changed and
// compacted.

internal import ByteCoding
internal import DiskSimulation
internal import FuzzSupport
internal import Journaling
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore
internal import PropertyListCoding

struct HostileStore {
  static let shared = Result { try HostileStore() }

  /// The header of its index runs.
  let header: [UInt8]
  private let sound: SimulatedDisk
  private let model: ManagedObjectModel
  private let checkpointFile: String
  private let checkpointHead: [UInt8]
  /// What the checkpoint says, and of its index runs in particular.
  private let fields: [String: Value]
  private let runs: [[String: Value]]
  private let queries: [(text: String, query: Query)]

  private static let path = "store"
  private static let folder = path + "/snapshots/"
  /// What comes of one walk at most.
  private static let largestCount = 2_000

  private struct Unmade: Error {}

  init() throws {
    let disk = SimulatedDisk(seed: 1)
    try IndexedStore.make(on: disk, at: Self.path)
    sound = disk.imageAfterProcessDeath()
    model = try IndexedStore.model()
    guard let file = disk.paths.last(where: { $0.hasSuffix(".xc") }),
      let bytes = disk.contents(of: file)
    else { throw Unmade() }
    checkpointFile = file
    checkpointHead = Array(bytes[..<36])
    let list = try Array(bytes[36..<(bytes.count - 8)]).withUnsafeBytes {
      try PropertyListReader($0).root().value()
    }
    guard case .dictionary(let fields) = list, case .array(let named)? = fields["indexRuns"]
    else { throw Unmade() }
    self.fields = fields
    runs = named.compactMap { if case .dictionary(let run) = $0 { run } else { nil } }
    guard runs.count == 2, case .string(let name)? = runs[0]["name"],
      let run = disk.contents(of: Self.folder + name)
    else { throw Unmade() }
    header = Array(run[..<RunHeader.byteCount])
    queries = try Self.texts.map { ($0, try Query($0)) }
  }

  /// Queries that are answered from one index, from several, along one, or from one and the rows.
  private static let texts = [
    "Person where string >= 'as' sort integer desc limit 5",
    "Person where integer > 0 or boolean = true",
    "Person where real < 20 sort date limit 7 offset 2",
    "Person where data = null sort uuid",
    "Person where boss.counter > 3 sort url desc limit 9",
    "Person where any staff (counter > 0) sort decimal limit 4",
    "Person where staff.@count > 1",
    "Pilot sort licence limit 3",
    "Pilot where licence in {'P-0', 'P-23757'}",
  ]

  /// Does everything that is done with index runs. What a quarter of the indexes and queries answers is asked, and only
  /// a quarter of all inputs is verified deeply, which the bytes decide: all of it takes too long for many inputs.
  func use(_ content: [UInt8], inPlaceOf place: Int, writing: Bool) throws {
    let disk = try disk(content, inPlaceOf: place)
    let choice = Int(content.withUnsafeBytes { Checksum.of($0, salt: 0) } % 16)
    do throws(StoreError) {
      try read(disk, choice)
      if writing {
        try write(disk)
        try read(disk, choice)
      }
    } catch {
      check(error)
    }
  }

  /// A disk whose checkpoint names the run.
  private func disk(_ content: [UInt8], inPlaceOf place: Int) throws -> SimulatedDisk {
    let disk = sound.imageAfterProcessDeath()
    var runs = runs
    runs[place]["length"] = .integer(content.count)
    runs[place]["check"] = .integer(Int(bitPattern: UInt(footerCheck(content))))
    var fields = fields
    fields["indexRuns"] = .array(runs.map { .dictionary($0) })
    var writer = ByteWriter()
    writer.write(checkpointHead)
    try PropertyListWriter.write(.dictionary(fields), to: &writer)
    writer.writeCheck(salt: 0)
    try disk.setContents(checkpointFile, writer.withBytes { Array($0) })
    if case .string(let name)? = runs[place]["name"] {
      try disk.setContents(Self.folder + name, content)
    }
    return disk
  }

  /// The check that is right for a run's footer.
  private func footerCheck(_ content: [UInt8]) -> UInt64 {
    let reading = content.withUnsafeBytes { RunHeader.read($0, .indexEntries) }
    let end = Array(content.suffix(RunFooter.byteCount))
    guard case .header(let header) = reading,
      let footer = end.withUnsafeBytes({ RunFooter.read($0, salt: header.salt) })
    else { return 0 }
    return footer.encoded(salt: header.salt).withBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: $0.count - 8, as: UInt64.self))
    }
  }

  // MARK: Reading

  private func read(_ disk: SimulatedDisk, _ choice: Int) throws(StoreError) {
    let reader = try StoreReader(on: disk, at: Self.path, cacheByteCount: 1 << 20)
    if !refusals(reader, choice).isEmpty {
      try reader.refresh()
      let left = refusals(reader, choice)
      expect(!left.contains(.damaged), "the rows answer without a damaged index")
    }
    let verification = try reader.verification(deep: choice / 4 == 0)
    for finding in verification.findings { expect(!finding.description.isEmpty, "it has words") }
  }

  /// Asks for what indexes answer.
  private func refusals(_ reader: StoreReader, _ choice: Int) -> Set<StoreError.Code> {
    var refusals: Set<StoreError.Code?> = []
    for (place, name) in IndexedStore.keys.enumerated() where (place + choice) % 4 == 0 {
      guard let key = reader.existingKey(named: name) else { continue }
      refusals.insert(refusal { () throws(StoreError) in try walk(reader.head, key) })
    }
    for (place, (text, query)) in queries.enumerated() where (place + choice) % 4 == 0 {
      refusals.insert(refusal { () throws(StoreError) in try ask(text, query, reader) })
    }
    return Set(refusals.compactMap(\.self))
  }

  /// Does something that may meet damage.
  @discardableResult
  private func refusal(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
    do throws(StoreError) {
      try body()
      return nil
    } catch {
      check(error)
      return error.code
    }
  }

  private func check(_ error: StoreError) {
    expect(!error.description.isEmpty, "an error has words")
    expect(error.code != .disk, "a disk in memory gives no failure: \(error)")
  }

  /// Goes along an index both ways, then between values that it has, and finds what refers to objects that it names.
  private func walk(_ head: Snapshot, _ key: KeyNumber) throws(StoreError) {
    let entities = IndexedStore.entities
    let all = try found(head, entities, key, .all)
    _ = try found(head, [entities[1]], key, .all)
    guard let first = all.first, let last = all.last else { return }
    let values = [first, all[all.count / 2]].compactMap(\.value)
    for value in values {
      let ranges: [IndexRange] = [
        .equal(to: value), IndexRange(from: .excluding(value)),
        IndexRange(from: .including(values[0]), to: .excluding(value)),
      ]
      for range in ranges { _ = try found(head, entities, key, range) }
    }
    for target in [first.object, first.value?.reference, last.value?.reference].compactMap(\.self) {
      let count = try head.countOfObjects(referringTo: target, by: key, of: entities[0])
      let objects = try head.objects(referringTo: target, by: key, of: entities[0])
      expect(count ?? objects.count == objects.count, "as many are found as are counted")
    }
  }

  private func found(
    _ head: Snapshot, _ entities: [EntityNumber], _ key: KeyNumber, _ range: IndexRange
  ) throws(StoreError) -> [IndexedObject] {
    let ascending = try found(head, entities, key, range, descending: false)
    let descending = try found(head, entities, key, range, descending: true)
    if ascending.count < Self.largestCount {
      expect(
        ascending.map(\.object) == descending.reversed().map(\.object),
        "the same is found both ways")
    }
    return ascending
  }

  private func found(
    _ head: Snapshot, _ entities: [EntityNumber], _ key: KeyNumber, _ range: IndexRange,
    descending: Bool
  ) throws(StoreError) -> [IndexedObject] {
    var found: [IndexedObject] = []
    try head.forEachObject(of: entities, indexedBy: key, range, descending: descending) {
      (object) throws(StoreError) in
      found.append(object)
      return found.count < Self.largestCount
    }
    return found
  }

  private func ask(_ text: String, _ query: Query, _ reader: StoreReader) throws(StoreError) {
    let head = reader.head
    let prepared: SnapshotQuery
    do throws(QueryError) {
      prepared = try reader.prepare(query, in: head, text: text)
    } catch {
      expect(false, "\(text) is for the model of the store: \(error)")
      return
    }
    _ = try head.count(of: prepared)
    let objects = try head.objects(of: prepared)
    let values = try head.values(of: prepared.query.sort.map(\.path), in: prepared)
    expect(values.map(\.object) == objects, "a query finds the same with and without values")
    for object in objects.prefix(20) { _ = try head.row(of: object) }
  }

  // MARK: Writing

  /// Commits on the index, which has to say what leads to an object that is deleted, and writes it anew.
  private func write(_ disk: SimulatedDisk) throws(StoreError) {
    let store = try JournaledStore(
      on: disk, at: Self.path, model: model, options: IndexedStore.options)
    let context = try store.beginContext(name: "fuzzed", on: store.lastCommit)
    for keepsEnds in [true, false] {
      let head = store.head
      let number: UInt64 = keepsEnds ? 1 : 2
      let object = ObjectID(entity: IndexedStore.entities[0], number: number, store: store.tag)
      var objects: [CommitRequest.Object] = [
        .init(try store.newObject(of: object.entity), base: .none, nil, to: Row())
      ]
      if let row = try head.row(of: object) {
        objects.append(.init(object, base: head.number, row, to: nil))
      }
      var request = CommitRequest(objects)
      request.keepsEnds = keepsEnds
      commit(request, store, context)
    }
    refusal { () throws(StoreError) in try store.checkpoint() }
    refusal { () throws(StoreError) in try store.compact(keeping: .latest) }
    try store.close()
  }

  private func commit(_ request: CommitRequest, _ store: JournaledStore, _ context: LiveContext) {
    do throws(CommitError) {
      _ = try store.commit(request, by: context)
    } catch {
      if case .store(let error) = error { check(error) }
    }
  }
}
