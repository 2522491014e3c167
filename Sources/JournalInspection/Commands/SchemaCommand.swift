internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal schema`: entities, attributes, relationships.
extension Command {
  static let schema = Command(
    "schema", "Tells the model: entities, attributes, relationships.",
    examples: [
      Example("xjournal schema", "all entities"),
      Example("xjournal schema Post --json", "one of them, for a script"),
    ],
    operands: [Operand("ENTITY", "only this one", isOptional: true)],
    travels: true
  ) { (request) throws(ToolError) in
    let snapshot = try request.snapshot()
    let all = snapshot.era?.model.descriptions ?? []
    let entities = all.filter { request.operand(0) == nil || $0.name == request.operand(0) }
    if entities.isEmpty, let name = request.operand(0) {
      throw .noEntity(name, at: snapshot, of: try request.store())
    }
    if request.output.isJSON {
      request.output.json(
        .document(
          "schema",
          [
            ("at", .count(snapshot.number.rawValue)),
            ("entities", .array(entities.map(SchemaWording.json))),
          ]))
      return .fine
    }
    let wording = Wording(try request.store())
    for entity in entities { SchemaWording.show(entity, wording, request.output) }
    return .fine
  }
}

/// Entities and their properties, for people and in JSON.
private enum SchemaWording {
  static func show(_ entity: EntityDescription, _ wording: Wording, _ output: Output) {
    let marks = [
      entity.parent.map { "is a \($0)" }, entity.isAbstract ? "abstract" : nil,
      entity.allowsAnyKey ? "other keys too" : nil,
    ].compactMap(\.self)
    output.line("\(entity.name, .heading)  \(marks.joined(separator: ", "), .faint)")
    let width = (entity.attributes.map(\.name.count) + entity.relationships.map(\.name.count)).max()
    for attribute in entity.attributes { show(attribute, wording, width ?? 0, output) }
    for relationship in entity.relationships { show(relationship, width ?? 0, output) }
  }

  private static func show(
    _ attribute: AttributeDescription, _ wording: Wording, _ width: Int, _ output: Output
  ) {
    let marks =
      [
        attribute.isOptional ? nil : "required", attribute.isIdentifier ? "identifier" : nil,
        attribute.isIndexed ? "indexed" : nil, attribute.isTransient ? "transient" : nil,
        attribute.defaultValue.map { "default \(wording.text($0))" },
      ].compactMap(\.self) + attribute.validation.map(\.description)
    row(attribute.name, "\(attribute.type)", marks, width, output)
  }

  private static func show(
    _ relationship: RelationshipDescription, _ width: Int, _ output: Output
  ) {
    let marks = [
      relationship.inverse.map { "inverse \($0)" }, relationship.isOrdered ? "ordered" : nil,
      relationship.isOptional ? nil : "required",
      relationship.deleteRule == .nullify ? nil : "on delete \(relationship.deleteRule)",
    ].compactMap(\.self)
    row(
      relationship.name,
      "\(relationship.isToMany ? "to many" : "to one") \(relationship.destination)",
      marks, width, output)
  }

  private static func row(
    _ name: String, _ type: String, _ marks: [String], _ width: Int, _ output: Output
  ) {
    let space = String(repeating: " ", count: max(0, width - name.count))
    let rest = marks.isEmpty ? "" : "  (\(marks.joined(separator: ", ")))"
    output.line("  \(name, .key)\(space)  \(type)\(rest, .faint)")
  }

  static func json(_ entity: EntityDescription) -> JSONValue {
    .members([
      ("name", .string(entity.name)), ("parent", .text(entity.parent)),
      ("isAbstract", .boolean(entity.isAbstract)), ("allowsAnyKey", .boolean(entity.allowsAnyKey)),
      ("attributes", .array(entity.attributes.map(json))),
      ("relationships", .array(entity.relationships.map(json))),
    ])
  }

  private static func json(_ attribute: AttributeDescription) -> JSONValue {
    .members([
      ("name", .string(attribute.name)), ("type", .string("\(attribute.type)")),
      ("isOptional", .boolean(attribute.isOptional)),
      ("isIdentifier", .boolean(attribute.isIdentifier)),
      ("isIndexed", .boolean(attribute.isIndexed)),
      ("isTransient", .boolean(attribute.isTransient)),
      ("default", attribute.defaultValue.map { $0.plainJSON ?? $0.markedJSON }),
      ("rules", .array(attribute.validation.map { .string($0.description) })),
    ])
  }

  private static func json(_ relationship: RelationshipDescription) -> JSONValue {
    .members([
      ("name", .string(relationship.name)), ("destination", .string(relationship.destination)),
      ("inverse", .text(relationship.inverse)), ("isToMany", .boolean(relationship.isToMany)),
      ("isOrdered", .boolean(relationship.isOrdered)),
      ("isOptional", .boolean(relationship.isOptional)),
      ("deleteRule", .string("\(relationship.deleteRule)")),
    ])
  }
}
