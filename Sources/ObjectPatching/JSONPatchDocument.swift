/// A JSON Patch (RFC 6902): operations on a JSON document, one after another, all or none.
package struct JSONPatchDocument: Sendable {
  /// One step.
  package enum Operation: Sendable {
    /// Sets a member, or inserts an element.
    case add(JSONPointer, JSONValue)
    /// Takes out what is there.
    case remove(JSONPointer)
    /// Sets what is there to another value.
    case replace(JSONPointer, JSONValue)
    /// Takes out what is at the first place, and adds it at the second.
    case move(JSONPointer, JSONPointer)
    /// Adds what is at the first place at the second, too.
    case copy(JSONPointer, JSONPointer)
    /// Demands a value.
    case test(JSONPointer, JSONValue)
  }

  package var operations: [Operation]

  package init(_ operations: [Operation]) { self.operations = operations }

  /// Reads a patch. Members that the standard does not know are let be, as it says.
  package init(_ document: JSONValue) throws(JSONError) {
    guard case .array(let elements) = document else {
      throw JSONError(.wrongType, "is \(document.kindName) where an array of operations is wanted")
    }
    operations = []
    operations.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(JSONError) {
        operations.append(try Operation(element))
      } catch {
        throw error.inside(index)
      }
    }
  }

  /// The patch as JSON.
  package var document: JSONValue { .array(operations.map(\.document)) }
}

extension JSONPatchDocument.Operation {
  fileprivate init(_ element: JSONValue) throws(JSONError) {
    guard case .object(let members) = element else {
      throw JSONError(.wrongType, "is \(element.kindName) where an operation is wanted")
    }
    let name = try Self.text("op", members)
    let path = try Self.pointer("path", members)
    switch name {
    case "add": self = .add(path, try Self.member("value", members))
    case "remove": self = .remove(path)
    case "replace": self = .replace(path, try Self.member("value", members))
    case "move": self = .move(try Self.pointer("from", members), path)
    case "copy": self = .copy(try Self.pointer("from", members), path)
    case "test": self = .test(path, try Self.member("value", members))
    default:
      throw JSONError(
        .badValue,
        "is ‘\(JSONError.clipped(name))’, which is none of the operations add, remove, "
          + "replace, move, copy and test", at: "/op")
    }
  }

  private static func member(_ key: String, _ members: JSONObject) throws(JSONError) -> JSONValue {
    guard let value = members[key] else {
      throw JSONError(.missingMember, "lacks the member ‘\(key)’")
    }
    return value
  }

  private static func text(_ key: String, _ members: JSONObject) throws(JSONError) -> String {
    let value = try member(key, members)
    guard case .string(let text) = value else {
      throw JSONError(.wrongType, "is \(value.kindName) where a string is wanted", at: "/\(key)")
    }
    return text
  }

  private static func pointer(_ key: String, _ members: JSONObject) throws(JSONError) -> JSONPointer
  {
    let text = try text(key, members)
    do throws(JSONError) {
      return try JSONPointer(text)
    } catch {
      throw error.inside(key)
    }
  }

  fileprivate var document: JSONValue {
    switch self {
    case .add(let path, let value):
      ["op": "add", "path": .string(path.text), "value": value]
    case .remove(let path): ["op": "remove", "path": .string(path.text)]
    case .replace(let path, let value):
      ["op": "replace", "path": .string(path.text), "value": value]
    case .move(let from, let path):
      ["op": "move", "from": .string(from.text), "path": .string(path.text)]
    case .copy(let from, let path):
      ["op": "copy", "from": .string(from.text), "path": .string(path.text)]
    case .test(let path, let value):
      ["op": "test", "path": .string(path.text), "value": value]
    }
  }
}
