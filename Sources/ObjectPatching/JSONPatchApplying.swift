/// A document that operations are applied to.
struct JSONPatchApplying {
  var document: JSONValue
  private let limits: JSONLimits
  /// How many values may yet be looked at: copies within copies would double the document at each step.
  private var valuesLeft: Int

  init(_ document: JSONValue, _ limits: JSONLimits) {
    self.document = document
    self.limits = limits
    valuesLeft = limits.valueCount
  }

  /// Applies one operation. An error's path is one within the operation.
  mutating func apply(_ operation: JSONPatchDocument.Operation) throws(JSONError) {
    switch operation {
    case .add(let path, let value): try add(value, at: path)
    case .remove(let path): _ = try remove(path, "path")
    case .replace(let path, let value):
      try check(value, at: path)
      try update(path) { (target) throws(JSONError) in target = value }
    case .move(let from, let path):
      if from.isAbove(path) {
        throw JSONError(
          .badValue, "leads into what is moved, ‘\(JSONError.clipped(from.text))’", at: "/path")
      }
      // A value that stays where it is must be there all the same.
      let value = try remove(from, "from")
      try add(value, at: path)
    case .copy(let from, let path): try add(try value(at: from, "from"), at: path)
    case .test(let path, let value):
      guard try self.value(at: path, "path") == value else {
        throw JSONError(
          .testFailed,
          "demands another value than there is at "
            + "‘\(JSONError.clipped(path.text))’", at: "/value")
      }
    }
  }

  private mutating func spend(_ count: Int) throws(JSONError) {
    valuesLeft -= count
    if valuesLeft < 0 {
      throw JSONError(
        .tooLarge,
        "makes the document larger than \(limits.valueCount) values, or changes it so often")
    }
  }

  /// Checks that a value may be put in a place.
  private mutating func check(_ value: JSONValue, at path: JSONPointer) throws(JSONError) {
    let extent = value.extent
    try spend(extent.count)
    guard path.tokens.count + extent.depth <= limits.depth else {
      throw JSONError(.tooDeep, "makes the document deeper than \(limits.depth) levels")
    }
  }

  private static func nothing(at path: JSONPointer, _ member: String) -> JSONError {
    JSONError(
      .nothingThere, "leads to nothing: ‘\(JSONError.clipped(path.text))’ is not there",
      at: "/\(member)")
  }

  private func value(at path: JSONPointer, _ member: String) throws(JSONError) -> JSONValue {
    var value = document
    for token in path.tokens {
      switch value {
      case .object(let object):
        guard let next = object[token] else { throw Self.nothing(at: path, member) }
        value = next
      case .array(let elements):
        guard let index = JSONPointer.index(token), index < elements.count else {
          throw Self.nothing(at: path, member)
        }
        value = elements[index]
      default: throw Self.nothing(at: path, member)
      }
    }
    return value
  }

  /// Changes the value at a pointer where it is.
  private mutating func update<Answer>(
    _ path: JSONPointer, _ member: String = "path",
    _ change: (inout JSONValue) throws(JSONError) -> Answer
  ) throws(JSONError) -> Answer {
    let answer = try Self.update(path.tokens[0...], in: &document, change)
    guard let answer else { throw Self.nothing(at: path, member) }
    return answer
  }

  private static func update<Answer>(
    _ tokens: ArraySlice<String>, in value: inout JSONValue,
    _ change: (inout JSONValue) throws(JSONError) -> Answer
  ) throws(JSONError) -> Answer? {
    guard let token = tokens.first else { return try change(&value) }
    if var object = value.takeObject() {
      defer { value = .object(object) }
      let answer = try object.update(token) { (member) throws(JSONError) in
        try update(tokens.dropFirst(), in: &member, change)
      }
      return answer ?? nil
    }
    if var elements = value.takeArray() {
      defer { value = .array(elements) }
      guard let index = JSONPointer.index(token), index < elements.count else { return nil }
      return try update(tokens.dropFirst(), in: &elements[index], change)
    }
    return nil
  }

  private mutating func add(_ value: JSONValue, at path: JSONPointer) throws(JSONError) {
    try check(value, at: path)
    guard let last = path.tokens.last else {
      document = value
      return
    }
    let shifted = try update(JSONPointer(Array(path.tokens.dropLast()))) {
      (parent) throws(JSONError) in try Self.add(value, as: last, to: &parent, path)
    }
    // Inserting at the front of a long array costs more than the operation says.
    try spend(shifted / 64)
  }

  /// - Returns: how many elements were moved for it.
  private static func add(
    _ value: JSONValue, as last: String, to parent: inout JSONValue, _ path: JSONPointer
  ) throws(JSONError) -> Int {
    if var object = parent.takeObject() {
      defer { parent = .object(object) }
      guard object.set(last, value) else {
        throw JSONError(
          .keysLookTheSame,
          "adds the key ‘\(JSONError.clipped(last))’ beside another that looks "
            + "the same", at: "/path")
      }
      return 0
    }
    guard var elements = parent.takeArray() else { throw nothing(at: path, "path") }
    defer { parent = .array(elements) }
    guard let index = last == "-" ? elements.count : JSONPointer.index(last),
      index <= elements.count
    else { throw nothing(at: path, "path") }
    elements.insert(value, at: index)
    return elements.count - index
  }

  private mutating func remove(_ path: JSONPointer, _ member: String) throws(JSONError) -> JSONValue
  {
    guard let last = path.tokens.last else {
      if member == "from" { return document }
      throw JSONError(.badValue, "is the whole document, which cannot be removed", at: "/path")
    }
    let parent = JSONPointer(Array(path.tokens.dropLast()))
    let (value, shifted) = try update(parent, member) {
      (parent) throws(JSONError) -> (JSONValue, Int) in
      if var object = parent.takeObject() {
        defer { parent = .object(object) }
        guard let value = object.remove(last) else { throw Self.nothing(at: path, member) }
        return (value, 0)
      }
      guard var elements = parent.takeArray() else { throw Self.nothing(at: path, member) }
      defer { parent = .array(elements) }
      guard let index = JSONPointer.index(last), index < elements.count else {
        throw Self.nothing(at: path, member)
      }
      return (elements.remove(at: index), elements.count - index)
    }
    try spend(1 + shifted / 64)
    return value
  }
}

// What is to be changed in place is held once: a pattern would hold it beside the value that it is matched with, and each
// change would copy all of it.
extension JSONValue {
  /// Takes out the object that it is, and leaves null; nil where it is none.
  fileprivate mutating func takeObject() -> JSONObject? {
    guard case .object(let object) = self else { return nil }
    self = .null
    return object
  }

  /// Takes out the elements of the array that it is, and leaves null; nil where it is none.
  fileprivate mutating func takeArray() -> [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    self = .null
    return elements
  }
}

extension JSONPatchDocument {
  /// The document after all operations.
  ///
  /// Costs: time in proportion to the operations and the values that they add or copy; not to the document.
  ///
  /// - Throws: `JSONError` with the operation's path in the patch, where one cannot be made. Nothing is changed then.
  package func applied(
    to document: JSONValue, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONValue {
    var applying = JSONPatchApplying(document, limits)
    for (index, operation) in operations.enumerated() {
      do throws(JSONError) {
        try applying.apply(operation)
      } catch {
        throw error.inside(index)
      }
    }
    return applying.document
  }
}
