package import ObjectModel
internal import ObjectQuery
package import ObjectStore

/// An object as people name it: `Post/7`, the value of an identifier, its URI. An entity may be called as any model has called
/// it; where a name was that of several, the one is meant that the state knows by it, then the one that had it last before.
package struct ObjectReference {
  private let text: String

  package init(_ text: String) { self.text = text }

  /// Whether it is read as a URI, and as nothing else.
  package var isURI: Bool { text.hasPrefix("xjournal://") }

  /// The object; whether it is there is not asked, but where only an identifier's value can tell.
  ///
  /// - Parameter snapshot: whose objects have the identifiers.
  package func object(
    in store: ReadableStore, _ snapshot: Snapshot
  ) throws(ToolError) -> ObjectID {
    if isURI { return try object(ofURI: store) }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      return try object(identifiedBy: text, among: nil, store, snapshot)
    }
    let (name, rest) = (String(parts[0]), String(parts[1]))
    let eras =
      snapshot.eras.reversed() + store.head.eras.dropFirst(snapshot.eras.count)
    let entity = eras.lazy.compactMap { $0.number(of: name) }.first
    // By the name that the state knows it by.
    let known = entity.flatMap { snapshot.era?.name(of: $0) }
    if let (origin, number) = Self.numbers(rest), let entity {
      let object = ObjectID(origin: origin, entity: entity, number: number, store: store.tag)
      // A number that no object has, or that nobody would write so, may be an identifier.
      if Self.isKnown(object, snapshot), Wording(store).name(object).hasSuffix("/\(rest)") {
        return object
      }
      return try find(rest, among: known ?? name, store, snapshot) ?? object
    }
    guard let known else {
      // Identifiers may have slashes too.
      if let found = try find(text, among: nil, store, snapshot) { return found }
      throw .noEntity(name, at: snapshot, of: store)
    }
    return try object(identifiedBy: rest, among: known, store, snapshot)
  }

  /// Whether there ever was an object; where that cannot be read, whoever wants it says so.
  private static func isKnown(_ object: ObjectID, _ snapshot: Snapshot) -> Bool {
    do throws(StoreError) {
      return try snapshot.stored(object) != nil
    } catch {
      return true
    }
  }

  private func object(ofURI store: ReadableStore) throws(ToolError) -> ObjectID {
    let object: ObjectID
    do throws(ObjectIDError) {
      object = try ObjectID(uri: text)
    } catch {
      throw .usage(error.description)
    }
    guard object.store == store.tag else {
      throw .no("\(text) is an object of another store.")
    }
    return object
  }

  /// `7`, or `2:7` of what was made under another origin.
  private static func numbers(_ text: String) -> (origin: UInt16, number: UInt64)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let number = UInt64(parts[parts.count - 1]),
      number <= ObjectID.largestNumber, let origin = parts.count == 2 ? UInt16(parts[0]) : 0
    else { return nil }
    return (origin, number)
  }

  private func object(
    identifiedBy value: String, among entity: String?, _ store: ReadableStore, _ snapshot: Snapshot
  ) throws(ToolError) -> ObjectID {
    if let found = try find(value, among: entity, store, snapshot) { return found }
    throw .no(
      "no object is identified by ‘\(value)’"
        + (entity.map { " among those of \($0)" } ?? "")
        + "; name one as \(entity ?? "Post")/7, by the value of an identifier, or by its URI. "
        + "One that had it at another time is found by --at.")
  }

  /// Whether the whole text is the value by which an object is identified.
  package func isIdentifier(
    in store: ReadableStore, _ snapshot: Snapshot
  ) throws(ToolError) -> Bool {
    try find(text, among: nil, store, snapshot) != nil
  }

  /// The one object of which an identifying attribute has this value.
  private func find(
    _ value: String, among name: String?, _ store: ReadableStore, _ snapshot: Snapshot
  ) throws(ToolError) -> ObjectID? {
    var found: Set<ObjectID> = []
    for entity in snapshot.era?.model.entities ?? [] where name == nil || entity.name == name {
      for attribute in entity.attributes where attribute.isIdentifier && !attribute.isTransient {
        let filter = Filter(
          .init(.key(attribute.name), .equal, .literal(attribute.type.literal(writtenAs: value))))
        // A text that is no value of the attribute's type finds nothing.
        guard
          let query = try? store.prepare(
            Query(entity: entity.name, where: filter, limit: 2), in: snapshot)
        else { continue }
        found.formUnion(
          try onStore { () throws(StoreError) in try snapshot.objects(of: query) })
      }
    }
    guard found.count <= 1 else {
      throw .no(
        "several objects are identified by ‘\(value)’: "
          + found.sorted().prefix(3).map(Wording(store).name).joined(separator: ", ")
          + "; name one of them.")
    }
    return found.first
  }
}

extension AttributeType {
  /// What is compared with an attribute for a text that somebody has typed: digits are a number only where it holds any.
  fileprivate func literal(writtenAs text: String) -> Value {
    switch self {
    case .boolean, .integer, .counter, .real, .decimal:
      Int(text).flatMap { String($0) == text ? .integer($0) : nil } ?? .string(text)
    default: .string(text)
    }
  }
}

extension Request {
  /// The object that an operand names.
  package func object(_ place: Int, _ snapshot: Snapshot) throws(ToolError) -> ObjectID {
    try ObjectReference(operands[place]).object(in: store(), snapshot)
  }
}
