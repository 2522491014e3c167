internal import ByteCoding
internal import Journaling
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal stats`: sizes, compression, events by kind, objects.
extension Command {
  static let stats = Command(
    "stats", "Counts: sizes, compression, events by kind, objects, and which are touched most.",
    details: [
      "Reads the whole journal. ‘info’ tells at once what can be told at once. With --at the objects are counted as they "
        + "were then.",
      "How long syncs took is in no journal, and is not told: nothing is written beside what is looked at, so none can be "
        + "measured here either. ‘Tools/bench/run’ measures them on the disk that it is run on.",
      "Of a damaged journal what can be read is counted, and what cannot is told.",
    ],
    examples: [
      Example("xjournal stats", "what fills the journal"),
      Example("xjournal stats --json", "the same for a script"),
    ],
    travels: true, passCount: 4
  ) { (request) throws(ToolError) in
    let statistics = try Statistics(request)
    if request.output.isJSON {
      request.output.json(statistics.json)
    } else {
      statistics.show(request.output)
    }
    // The others are told behind this.
    let told = request.findings.map(\.told)
    for text in statistics.unread where !told.contains(text) {
      request.output.tell(ToolError(.damage, text))
    }
    return statistics.unread.isEmpty ? .fine : .damage
  }
}

/// What can be counted in a journal.
private struct Statistics {
  private static let hottestCount = 10

  /// What could not be read.
  private(set) var unread: [String] = []
  private var files: [(folder: String, count: Int, byteCount: UInt64)] = []
  private var frames: [(kind: String, count: Int)] = []
  private var storedByteCount: UInt64 = 0
  private var payloadByteCount: UInt64 = 0
  private var events: [(kind: String, count: Int)] = []
  private var objects: [(entity: String, count: Int)] = []
  private var hottest: [(object: String, count: Int)] = []

  init(_ request: Request) throws(ToolError) {
    let store = try request.store()
    try countFiles(store)
    try countFrames(request)
    try countEvents(store, request)
    do throws(ToolError) {
      try countObjects(store, request.snapshot())
    } catch {
      guard error.status == .damage else { throw error }
      note(error.message)
    }
    for finding in request.findings { note(finding.told) }
  }

  private mutating func note(_ text: String) {
    if !unread.contains(text) { unread.append(text) }
  }

  private mutating func countFiles(_ store: StoreReader) throws(ToolError) {
    let all = try onStore { () throws(StoreError) in try store.files() }
    for (folder, files) in Dictionary(grouping: all, by: \.folder).sorted(by: { $0.key < $1.key }) {
      self.files.append(
        (folder.isEmpty ? "." : folder, files.count, files.byteCount))
    }
  }

  private mutating func countFrames(_ request: Request) throws(ToolError) {
    let walk = try SegmentWalk(request)
    var counts: [UInt8: Int] = [:]
    for segment in walk.manifest.segments {
      do throws(ToolError) {
        let finding = try walk.forEachFrame(of: segment) { _, frame in
          counts[frame.seal.kind.rawValue, default: 0] += 1
          storedByteCount += UInt64(frame.seal.sealedByteCount)
          payloadByteCount += UInt64(frame.seal.payloadByteCount)
          return true
        }
        // Behind what is durable of the last segment somebody may be writing.
        if let finding, segment.sealing != nil, !finding.kind.isOfNewerCode {
          note(ToolError(finding).message)
        }
      } catch {
        guard error.status == .damage else { throw error }
        note(error.message)
      }
    }
    frames = counts.sorted { $0.key < $1.key }
      .map { (FrameKind(rawValue: $0.key).name, $0.value) }
  }

  private mutating func countEvents(
    _ store: StoreReader, _ request: Request
  ) throws(ToolError) {
    let wording = Wording(store, at: try request.commitNumber())
    var kinds: [String: Int] = [:]
    var touched: [ObjectID: Int] = [:]
    try onStore { () throws(StoreError) in
      try store.forEachEvent(passingOver: { error, _ in request.passOver(error) }) {
        (event) throws(StoreError) in
        kinds[event.kind.name, default: 0] += 1
        for object in event.kind.objects { touched[object, default: 0] += 1 }
        return true
      }
    }
    try request.tellUnreadEdits(of: store)
    events = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    hottest = touched.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .prefix(Self.hottestCount).map { (wording.name($0.key), $0.value) }
  }

  private mutating func countObjects(
    _ store: StoreReader, _ snapshot: Snapshot
  ) throws(ToolError) {
    for entity in snapshot.rootEntities {
      let query = try store.queryOfAll(entity, in: snapshot)
      let count = try onStore { () throws(StoreError) in try snapshot.count(of: query) }
      objects.append((entity, count))
    }
  }

  func show(_ output: Output) {
    func section(_ title: String, _ rows: [(String, String)]) {
      output.line("\(title, .heading)")
      let width = rows.map(\.0.count).max() ?? 0
      for (name, text) in rows {
        let space = String(repeating: " ", count: width - name.count)
        output.line(text.isEmpty ? "  \(name)" : "  \(name, .key)\(space)  \(text)")
      }
    }
    section(
      "files",
      files.map {
        ($0.folder, "\(Wording.bytes($0.byteCount)) in \(Wording.count($0.count, "file"))")
      })
    let percent = payloadByteCount == 0 ? 100 : storedByteCount * 100 / payloadByteCount
    section(
      "frames",
      frames.map { ($0.kind, Wording.count($0.count)) } + [
        (
          "stored",
          "\(Wording.bytes(storedByteCount)) of \(Wording.bytes(payloadByteCount)), \(percent) %"
        )
      ])
    if !unread.isEmpty { section("not counted", unread.map { ($0, "") }) }
    section("objects", objects.map { ($0.entity, Wording.count($0.count)) })
    section("events", events.map { ($0.kind, Wording.count($0.count)) })
    section("touched most", hottest.map { ($0.object, Wording.count($0.count, "event")) })
  }

  var json: JSONValue {
    func counts(_ rows: [(String, Int)]) -> JSONValue {
      .members(rows.map { ($0.0, .count($0.1)) })
    }
    return .document(
      "stats",
      [
        ("unread", unread.isEmpty ? nil : .array(unread.map { .string($0) })),
        (
          "files",
          .members(
            files.map {
              ($0.folder, .members([("count", .count($0.count)), ("bytes", .count($0.byteCount))]))
            })
        ),
        ("frames", counts(frames.map { ($0.kind, $0.count) })),
        ("storedBytes", .count(storedByteCount)), ("payloadBytes", .count(payloadByteCount)),
        ("objects", counts(objects.map { ($0.entity, $0.count) })),
        ("events", counts(events.map { ($0.kind, $0.count) })),
        (
          "touchedMost",
          .array(
            hottest.map {
              .members([("object", .string($0.object)), ("events", .count($0.count))])
            })
        ),
      ])
  }
}

extension FrameKind {
  /// What frames of the kind are called.
  var name: String {
    switch self {
    case .batch: "batch"
    case .idleMarker: "idle marker"
    case .piece: "piece"
    default: "kind \(rawValue)"
    }
  }
}
