/// The members of an object of which it is known which there may be. Errors are told from where the object stands.
struct JSONMembers {
  private let object: JSONObject

  init(_ value: JSONValue, _ known: Set<String>) throws(JSONError) {
    guard case .object(let object) = value else {
      throw JSONError(.wrongType, "is \(value.kindName) where an object is wanted")
    }
    for (key, _) in object.members where !known.contains(key) {
      throw JSONError(.unknownMember, "is a member that nothing is known of").inside(key)
    }
    self.object = object
  }

  /// Reads a member, where there is one.
  func optional<Answer>(
    _ key: String, _ read: (JSONValue) throws(JSONError) -> Answer
  ) throws(JSONError) -> Answer? {
    guard let value = object[key] else { return nil }
    do throws(JSONError) {
      return try read(value)
    } catch {
      throw error.inside(key)
    }
  }

  /// Reads a member that must be there.
  func required<Answer>(
    _ key: String, _ read: (JSONValue) throws(JSONError) -> Answer
  ) throws(JSONError) -> Answer {
    guard let answer = try optional(key, read) else {
      throw JSONError(.missingMember, "lacks the member ‘\(key)’")
    }
    return answer
  }
}

extension JSONValue {
  /// Reads what it has, where it is an array.
  func elements<Answer>(
    _ read: (JSONValue) throws(JSONError) -> Answer
  ) throws(JSONError) -> [Answer] {
    guard case .array(let elements) = self else {
      throw JSONError(.wrongType, "is \(kindName) where an array is wanted")
    }
    var answers: [Answer] = []
    answers.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(JSONError) {
        answers.append(try read(element))
      } catch {
        throw error.inside(index)
      }
    }
    return answers
  }

  /// Reads what it has by its keys, where it is an object.
  func entries<Answer>(
    _ read: (String, JSONValue) throws(JSONError) -> Answer
  ) throws(JSONError) -> [String: Answer] {
    guard case .object(let object) = self else {
      throw JSONError(.wrongType, "is \(kindName) where an object is wanted")
    }
    var answers: [String: Answer] = [:]
    for (key, value) in object.members {
      do throws(JSONError) {
        answers.updateValue(try read(key, value), forKey: key)
      } catch {
        throw error.inside(key)
      }
    }
    return answers
  }

  /// The text that it must be.
  func text() throws(JSONError) -> String {
    guard case .string(let text) = self else {
      throw JSONError(.wrongType, "is \(kindName) where a string is wanted")
    }
    return text
  }
}
