internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// An object as a line of an export has it.
struct ExportedObject {
  let line: Int
  let entity: ModelEntity
  let id: ObjectID
  let values: [(key: String, value: Value)]

  static func all(
    in bytes: [UInt8], _ names: ExportedNames, _ progress: ProgressLine?
  ) throws(ToolError) -> [ExportedObject] {
    var objects: [ExportedObject] = []
    var entities: [ObjectID: ModelEntity] = [:]
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (place, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      progress?.tell("reading", Double(line.startIndex) / Double(bytes.count))
      do {
        let object = try ExportedObject(
          try JSONValue(parsing: Array(line), limits: .ofFile), line: place + 1, names)
        guard entities.updateValue(object.entity, forKey: object.id) == nil else {
          throw ToolError.usage("line \(place + 1): \(object.id.uri) comes a second time.")
        }
        objects.append(object)
      } catch let error as JSONError {
        if line.starts(with: beginningOfDocument) {
          throw .usage(
            "line \(place + 1): this is one document of many objects, as ‘--format json’ writes it; export without that, a line "
              + "for each.")
        }
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

  /// How what is one document of many objects begins.
  private static let beginningOfDocument = Array("{\"version\":1,\"kind\":\"objects\"".utf8)

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

  private init(_ document: JSONValue, line: Int, _ names: ExportedNames) throws {
    func misfit(_ words: String) -> JSONError {
      JSONError(.wrongType, "is no object as ‘export’ writes them: \(words)")
    }
    func member<Content>(
      _ name: String, _ kind: String, _ read: (JSONValue) -> Content?
    ) throws(JSONError) -> Content {
      guard let value = document.object?[name] else { throw misfit("it has no ‘\(name)’") }
      guard let content = read(value) else { throw misfit("its ‘\(name)’ is no \(kind)") }
      return content
    }
    guard document.object != nil else { throw misfit("it is not in { }") }
    guard try member("kind", "text", \.string) == "object" else {
      throw misfit("its ‘kind’ is not ‘object’")
    }
    let name = try member("entity", "text", \.string)
    let uri = try member("uri", "text", \.string)
    let members = try member("values", "object", \.object).members
    if case .integer(let version)? = document.object?["version"], version > JSONValue.formatVersion
    {
      throw ToolError(
        .newerFormat,
        "line \(line): it is of version \(version), which a newer xjournal has written; import it by that."
      )
    }
    let unknown = JSONError(
      .unknownEntity, "is of an entity, ‘\(name)’, that the model does not have")
    guard names.isKnown(name) else { throw unknown }
    id = try ObjectID(uri: uri)
    let era = names.earlierEra(of: id, name, at: document.object?["at"])
    guard let entity = names.entity(named: name, inEra: era), !entity.description.isAbstract else {
      throw unknown
    }
    self.line = line
    let values = try members.map { ($0.key, try Self.value(of: $0.key, $0.value, entity)) }
    guard let era else {
      (self.entity, self.values) = (entity, values)
      return
    }
    guard let converted = names.converted(values, of: id, fromEra: era) else {
      throw unknown
    }
    (self.entity, self.values) = converted
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

/// What names in an export stand for: those of the model, and in an export of an earlier state of the same journal those
/// that the model had then.
struct ExportedNames {
  private let model: ManagedObjectModel
  private let store: ReadableStore
  private let head: Snapshot

  init(_ model: ManagedObjectModel, of store: ReadableStore) {
    (self.model, self.store, head) = (model, store, store.head)
  }

  /// Whether any model of the journal has an entity of a name.
  fileprivate func isKnown(_ entity: String) -> Bool {
    head.eras.contains { $0.number(of: entity) != nil }
  }

  /// The era by whose model an object was exported, where that is an earlier one of the journal's.
  fileprivate func earlierEra(of object: ObjectID, _ name: String, at commit: JSONValue?) -> Int? {
    guard object.store == store.tag, case .integer(let number)? = commit, number >= 0 else {
      return nil
    }
    let era = head.eraCount(at: CommitNumber(rawValue: UInt64(number))) - 1
    guard era < head.eras.count - 1, head.eras[era].number(of: name) == object.entity else {
      return nil
    }
    return era
  }

  fileprivate func entity(named name: String, inEra era: Int?) -> ModelEntity? {
    (era.map { head.eras[$0].model } ?? model).entity(named: name)
  }

  /// What has become of an object of an earlier era; nil where the model has no such entity any more.
  fileprivate func converted(
    _ values: [(key: String, value: Value)], of object: ObjectID, fromEra era: Int
  ) -> (entity: ModelEntity, values: [(key: String, value: Value)])? {
    var row = Row()
    var unknown: [(key: String, value: Value)] = []
    for (key, value) in values {
      if let number = store.existingKey(named: key) {
        row[number] = value
      } else {
        unknown.append((key, value))
      }
    }
    guard let name = head.era?.name(of: object.entity), let entity = model.entity(named: name),
      let row = head.converted(row, of: object, fromEra: era)
    else { return nil }
    return (entity, row.entries.map { (store.nameTold(of: $0.key), $0.value) } + unknown)
  }
}
