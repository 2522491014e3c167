internal import Foundation
internal import ObjectPatching

/// Checks documents against a JSON Schema of 2020-12, as far as docs/patch.schema.json uses one. A keyword that it
/// does not know is a finding, so that the schema cannot say what is not checked.
struct JSONSchema {
  private let root: JSONValue

  init(_ root: JSONValue) { self.root = root }

  /// The repository's own.
  static func ofPatches() throws -> JSONSchema {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let data = try Data(contentsOf: URL(filePath: "/\(folder)/docs/patch.schema.json"))
    return JSONSchema(try JSONValue(parsing: data))
  }

  /// What is wrong with a document.
  func findings(in document: JSONValue) -> [String] { findings(document, root, at: "") }

  private static let notes: Set<String> = ["$schema", "$id", "title", "$defs"]

  private func findings(_ value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
    guard let schema = schema.object else { return ["\(path): a schema that is no object"] }
    var findings: [String] = []
    for (keyword, rule) in schema.members where !Self.notes.contains(keyword) {
      findings += self.findings(value, keyword, rule, schema, at: path)
    }
    return findings
  }

  private func findings(
    _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONObject, at path: String
  ) -> [String] {
    func expect(_ holds: Bool) -> [String] {
      holds ? [] : ["\(path): \(keyword) \(rule) is not kept by \(value)"]
    }
    switch keyword {
    case "$ref":
      guard let target = target(of: rule) else { return ["\(path): \(rule) leads to nothing"] }
      return findings(value, target, at: path)
    case "type":
      let names = rule.string.map { [$0] } ?? (rule.array ?? []).compactMap(\.string)
      return expect(names.contains { isOf($0, value) })
    case "const": return expect(value == rule)
    case "enum": return expect((rule.array ?? []).contains(value))
    case "anyOf":
      return expect((rule.array ?? []).contains { findings(value, $0, at: path).isEmpty })
    case "pattern":
      guard let text = value.string, let pattern = try? Regex(rule.string ?? "[") else {
        return expect(value.string == nil && rule.string != nil)
      }
      return expect(text.firstMatch(of: pattern.matchingSemantics(.unicodeScalar)) != nil)
    case "minimum": return expect((number(value) ?? .infinity) >= (number(rule) ?? .nan))
    case "items":
      return (value.array ?? []).enumerated().flatMap { index, element in
        findings(element, rule, at: "\(path)/\(index)")
      }
    case "required", "minProperties", "maxProperties", "properties", "propertyNames",
      "additionalProperties":
      guard let object = value.object else { return [] }
      return membersFindings(object, keyword, rule, schema, at: path)
    default: return ["\(path): the keyword \(keyword) is not known"]
    }
  }

  private func membersFindings(
    _ object: JSONObject, _ keyword: String, _ rule: JSONValue, _ schema: JSONObject,
    at path: String
  ) -> [String] {
    let properties = schema["properties"]?.object ?? JSONObject()
    switch keyword {
    case "required":
      return (rule.array ?? []).compactMap(\.string).filter { object[$0] == nil }
        .map { "\(path): lacks \($0)" }
    case "minProperties":
      return Double(object.count) >= number(rule) ?? .nan ? [] : ["\(path): too few members"]
    case "maxProperties":
      return Double(object.count) <= number(rule) ?? .nan ? [] : ["\(path): too many members"]
    case "properties":
      return properties.members.flatMap { key, rule in
        object[key].map { findings($0, rule, at: "\(path)/\(key)") } ?? []
      }
    case "propertyNames":
      return object.members.flatMap { findings(.string($0.key), rule, at: "\(path)/\($0.key)") }
    default:
      return object.members.filter { properties[$0.key] == nil }.flatMap { key, value in
        rule == false
          ? ["\(path): has \(key)"] : findings(value, rule, at: "\(path)/\(key)")
      }
    }
  }

  private func target(of reference: JSONValue) -> JSONValue? {
    guard let text = reference.string, text.hasPrefix("#/$defs/") else { return nil }
    return root.object?["$defs"]?.object?[String(text.dropFirst("#/$defs/".count))]
  }

  private func isOf(_ name: String, _ value: JSONValue) -> Bool {
    switch (name, value) {
    case ("null", .null), ("boolean", .boolean), ("string", .string), ("array", .array),
      ("object", .object), ("number", .integer), ("number", .number), ("integer", .integer):
      true
    // Any number without a fraction is one.
    case ("integer", .number(let number)): number.integer != nil
    default: false
    }
  }

  private func number(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .number(let number): number.real
    default: nil
    }
  }
}
