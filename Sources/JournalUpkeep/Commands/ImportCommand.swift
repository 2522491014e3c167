internal import DiskAccess
internal import JournalInspection
internal import ManagedObjects
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal import`: a new journal of objects that were exported.
extension Command {
  static func importing(on disk: any Disk) -> Command {
    Command(
      "import",
      "Makes a new journal of objects that ‘export’ has written, a line of JSON for each.",
      details: [
        "The model is that of the journal that is named by -s, or is the only one in this folder; that is only read. The "
          + "objects are given new numbers, and lead to each other as before; all of them come in one commit.",
        "What was exported of an earlier state of that journal is read by the model of then, and comes as what became of it "
          + "there. A key that the model does not have becomes a dynamic attribute, as it was one where that was exported. What leads "
          + "to an object of another store does so still; what leads to one that was not exported is left out, and told on "
          + "the standard error output, or in the document. So is what leads to one of which a later line says otherwise.",
        "A file may have \(largestImport >> 20) MiB. A larger journal is copied by ‘backup’ or ‘compact’, of any size.",
      ],
      examples: [
        Example("xjournal import posts.ndjson -o New.xjournal", "of a file that was exported"),
        Example("xjournal import - -o New.xjournal", "of the standard input"),
      ],
      operands: [Operand("FILE", "lines of JSON; a file, a pipe, or - for the standard input")],
      options: [.newJournal, .author, .message], isPaged: false, passCount: 1
    ) { (request) throws(ToolError) in
      let path = try request.newPath()
      request.tellsEdits = true
      let store = try request.store()
      guard let model = store.model else {
        throw .no("“\(try request.path())” has no model, which says what objects are like.")
      }
      let bytes = try request.bytes(ofFile: request.operands[0], atMost: largestImport)
      let objects = try ExportedObject.all(
        in: bytes, ExportedNames(model, of: store), request.progress)
      if let doubled = ExportedObject.doubledIdentifiers(of: objects) {
        request.output.remark(doubled)
      }
      let place = try NewPlace(path, on: disk)
      try place.filling { () throws(ToolError) in try begin(at: path, model, on: disk) }
      var importing = Importing(objects)
      let made = try place.finish(on: disk) { (store) throws(ToolError) in
        let number = try request.commit(
          to: store, message: "import \(request.operands[0])", refusal: { importing.refusal($0) }
        ) {
          importing.insert(into: $0, request.progress)
        }
        if number == nil, !request.output.isJSON { request.output.note("there was no object") }
      }
      request.tell(of: made, "imported to", leavingOut: importing.lost)
      return .fine
    }
  }

  /// How many bytes a file may have of which each line is a document by itself.
  private static let largestImport = 256 << 20

  /// Makes a journal without an object.
  private static func begin(
    at path: String, _ model: ManagedObjectModel, on disk: any Disk
  ) throws(ToolError) {
    var options = StoreOptions.ofCopies
    options.makesStore = true
    try onStore { () throws(StoreError) in
      try JournaledStore(on: disk, at: path, model: model, options: options).close()
    }
  }
}

/// References that an import could not keep.
struct LostReferences {
  /// How many are told of one by one.
  private static let toldCount = 1_000

  private(set) var count = 0
  /// How many of them lead to objects that are there, which say otherwise.
  private(set) var contradictedCount = 0
  private(set) var told: [(line: Int, key: String, object: ObjectID, isContradicted: Bool)] = []

  fileprivate mutating func add(
    _ object: ObjectID, _ key: String, ofLine line: Int, isContradicted: Bool = false
  ) {
    count += 1
    if isContradicted { contradictedCount += 1 }
    if told.count < Self.toldCount { told.append((line, key, object, isContradicted)) }
  }
}

/// Inserts exported objects, which lead to each other, into a context.
private struct Importing {
  /// How many values that cannot be saved are told of.
  private static let toldCount = 20

  private let objects: [ExportedObject]
  /// The stores that they were exported from.
  private let stores: Set<StoreTag>
  /// The new IDs by the old ones.
  private var ids: [ObjectID: ObjectID] = [:]
  /// What leads to objects that are not there.
  private(set) var lost = LostReferences()

  init(_ objects: [ExportedObject]) {
    self.objects = objects
    stores = Set(objects.map(\.id.store))
  }

  mutating func insert(into context: ManagedObjectContext, _ progress: ProgressLine?) {
    let inserted = objects.map { context.insert($0.entity.name) }
    for (exported, object) in zip(objects, inserted) { ids[exported.id] = object.objectID }
    for (place, (exported, object)) in zip(objects, inserted).enumerated() {
      progress?.tell("inserting", Double(place) / Double(objects.count))
      for (key, value) in exported.values {
        if let value = renumbered(value, key, of: exported) { object[key] = value }
      }
      // What has no value there had its default taken away.
      let keys = Set(exported.values.map(\.key))
      for attribute in exported.entity.attributes
      where attribute.isOptional && !attribute.isTransient && !keys.contains(attribute.name) {
        if let value = object[attribute.name], !value.isNull { object[attribute.name] = .null }
      }
    }
    for (exported, object) in zip(objects, inserted) { noteContradicted(exported, object) }
  }

  /// Says of which lines there is what cannot be saved.
  func refusal(_ errors: ValidationErrors) -> ToolError {
    let lines = Dictionary(
      firstOf: objects.compactMap { exported in ids[exported.id].map { ($0, exported.line) } })
    let told = errors.failures.map { failure in
      let place = failure.entityName + (failure.key.map { ".\($0)" } ?? "")
      let sentence = failure.kind.sentence(of: place)
      return (line: lines[failure.objectID] ?? 0, sentence: sentence)
    }.sorted { $0.line < $1.line }
    let rest = told.count - Self.toldCount
    let texts = told.prefix(Self.toldCount).map { "line \($0.line): \($0.sentence)" }
    return .no(
      (texts + (rest > 0 ? ["and \(Wording.count(rest)) more."] : [])).joined(separator: "\n"))
  }

  /// Notes what an object no longer leads to, as a later line has said otherwise of the other end.
  private mutating func noteContradicted(_ exported: ExportedObject, _ object: ManagedObject) {
    for (key, value) in exported.values where exported.entity.relationship(key)?.inverse != nil {
      let wanted = Value?(value).destinations
      guard !wanted.isEmpty else { continue }
      let kept = Set(object[key].destinations)
      for old in wanted {
        guard let new = ids[old], !kept.contains(new) else { continue }
        lost.add(old, key, ofLine: exported.line, isContradicted: true)
      }
    }
  }

  /// A value with the new IDs; nil for a reference to what is not there. What an attribute has of another store stays.
  private mutating func renumbered(
    _ value: Value, _ key: String, of exported: ExportedObject
  ) -> Value? {
    switch value {
    case .reference(let old):
      if let new = ids[old] { return .reference(new) }
      if !stores.contains(old.store), exported.entity.relationship(key) == nil { return value }
      lost.add(old, key, ofLine: exported.line)
      return nil
    case .array(let members):
      return .array(members.compactMap { renumbered($0, key, of: exported) })
    case .set(let members):
      return .set(Set(members.compactMap { renumbered($0, key, of: exported) }))
    case .dictionary(let members):
      return .dictionary(members.compactMapValues { renumbered($0, key, of: exported) })
    default: return value
    }
  }
}
