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
        "A key that the model does not have becomes a dynamic attribute, as it was one where that was exported. What leads "
          + "to an object of another store does so still; what leads to one that was not exported is left out, and told on "
          + "the standard error output, or in the document. So is what leads to one of which a later line says otherwise.",
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
      guard let model = try request.store().model else {
        throw .no("“\(try request.path())” has no model, which says what objects are like.")
      }
      let bytes = try request.bytes(ofFile: request.operands[0], atMost: largestImport)
      let objects = try ExportedObject.all(in: bytes, model, request.progress)
      if let doubled = ExportedObject.doubledIdentifiers(of: objects) {
        request.output.remark(doubled)
      }
      let place = try NewPlace(path, on: disk)
      try NewPlace.filling(path) { () throws(ToolError) in
        try begin(at: path, model, on: disk)
      }
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

/// An object as a line of an export has it.
private struct ExportedObject {
  let line: Int
  let entity: ModelEntity
  let id: ObjectID
  let values: [(key: String, value: Value)]

  static func all(
    in bytes: [UInt8], _ model: ManagedObjectModel, _ progress: ProgressLine?
  ) throws(ToolError) -> [ExportedObject] {
    var objects: [ExportedObject] = []
    var entities: [ObjectID: ModelEntity] = [:]
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (place, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      progress?.tell("reading", Double(line.startIndex) / Double(bytes.count))
      do {
        let object = try ExportedObject(
          try JSONValue(parsing: Array(line), limits: .ofFile), line: place + 1, model)
        guard entities.updateValue(object.entity, forKey: object.id) == nil else {
          throw ToolError.usage("line \(place + 1): \(object.id.uri) comes a second time.")
        }
        objects.append(object)
      } catch let error as JSONError {
        throw .usage("line \(place + 1): what is there \(error.reason).")
      } catch let error as ToolError {
        throw error
      } catch {
        throw .usage("line \(place + 1): \(error)")
      }
    }
    for object in objects { try object.checkDestinations(entities) }
    return objects
  }

  /// That objects cannot be told apart by their identifiers; nil where they can.
  static func doubledIdentifiers(of objects: [ExportedObject]) -> String? {
    struct Identifier: Hashable {
      let entity: String?
      let key: String
      let value: Value
    }
    var lines: [Identifier: Int] = [:]
    var first: (line: Int, other: Int, key: String)?
    var count = 0
    for object in objects {
      for (key, value) in object.values where !value.isNull {
        guard object.entity.attribute(key)?.isIdentifier ?? false else { continue }
        let identifier = Identifier(entity: object.entity.line.last, key: key, value: value)
        guard let other = lines[identifier] else {
          lines[identifier] = object.line
          continue
        }
        count += 1
        first = first ?? (object.line, other, key)
      }
    }
    return first.map {
      "line \($0.line): ‘\($0.key)’ is the same as in line \($0.other), so that neither is found by it"
        + (count > 1 ? "; so it is with \(Wording.count(count - 1, "further line"))." : ".")
    }
  }

  /// Refuses relationships that lead to objects of an entity that they are not for.
  private func checkDestinations(_ entities: [ObjectID: ModelEntity]) throws(ToolError) {
    for (key, value) in values {
      guard let destination = entity.relationship(key)?.destination else { continue }
      for object in Value?(value).destinations {
        guard let other = entities[object], !other.isKind(of: destination) else { continue }
        throw .usage(
          "line \(line): ‘\(key)’ of \(entity.name) leads to objects of \(destination), and \(object.uri) is one of \(other.name)."
        )
      }
    }
  }

  private init(_ document: JSONValue, line: Int, _ model: ManagedObjectModel) throws {
    guard let object = document.object, object["kind"] == "object",
      let name = object["entity"]?.string, let uri = object["uri"]?.string,
      let values = object["values"]?.object
    else { throw JSONError(.wrongType, "is no object as ‘export’ writes them") }
    if case .integer(let version)? = object["version"], version > JSONValue.formatVersion {
      throw ToolError(
        .newerFormat,
        "line \(line): it is of version \(version), which a newer xjournal has written; import it by that."
      )
    }
    guard let entity = model.entity(named: name), !entity.description.isAbstract else {
      throw JSONError(.unknownEntity, "is of an entity, ‘\(name)’, that the model does not have")
    }
    (self.line, self.entity) = (line, entity)
    id = try ObjectID(uri: uri)
    self.values = try values.members.map { ($0.key, try Self.value(of: $0.key, $0.value, entity)) }
  }

  private static func value(
    of key: String, _ json: JSONValue, _ entity: ModelEntity
  ) throws(JSONError) -> Value {
    if let relationship = entity.relationship(key) {
      var value = try json.value(exportedAs: relationship.isToMany ? nil : .reference)
      if !relationship.isOrdered, case .array(let members) = value { value = .set(Set(members)) }
      guard value.isNull || value.isDestination(ofMany: relationship.isToMany) else {
        throw JSONError(
          .badValue,
          "has a value of ‘\(key)’ that \(entity.name) cannot hold: it takes "
            + (relationship.isToMany
              ? "an array of references to objects, each of them once"
              : "a reference to an object"))
      }
      return value
    }
    let type = entity.attribute(key)?.type
    let value = try json.value(exportedAs: type)
    // A key that the model does not have is a dynamic attribute: an export says no more of one.
    guard type?.admits(value) ?? (value.isNull || value.isPropertyList) else {
      throw JSONError(.badValue, "has a value of ‘\(key)’ that \(entity.name) cannot hold")
    }
    return value
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
