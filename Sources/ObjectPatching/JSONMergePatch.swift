/// A JSON Merge Patch (RFC 7396): a document that has what shall be otherwise, with null for what shall go.
package struct JSONMergePatch: Sendable {
  package let document: JSONValue

  package init(_ document: JSONValue) { self.document = document }

  /// What becomes of a document.
  ///
  /// - Throws: where a key is added beside one that looks the same.
  package func applied(to target: JSONValue) throws(JSONError) -> JSONValue {
    try Self.merge(document, into: target)
  }

  private static func merge(
    _ patch: JSONValue, into target: JSONValue?
  ) throws(JSONError) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var result = target?.object ?? JSONObject()
    for (key, change) in changes.members {
      if case .null = change {
        result.remove(key)
        continue
      }
      let member: JSONValue
      do throws(JSONError) {
        member = try merge(change, into: result[key])
      } catch {
        throw error.inside(key)
      }
      if !result.set(key, member) {
        throw JSONError(.keysLookTheSame, "adds a key beside another that looks the same")
          .inside(key)
      }
    }
    return .object(result)
  }

  /// The patch that makes one document another.
  ///
  /// - Throws: where the other has a null as a member, which no merge patch can say.
  package init(from one: JSONValue, to other: JSONValue) throws(JSONError) {
    // What is no object stands for itself; an object, also an empty one, would make an object of it.
    guard case .object = other else {
      document = other
      return
    }
    document = try Self.difference(one, other) ?? .object(JSONObject())
  }

  /// Nil where nothing differs.
  private static func difference(
    _ one: JSONValue, _ other: JSONValue
  ) throws(JSONError) -> JSONValue? {
    guard case .object(let before) = one, case .object(let after) = other else {
      if one.isWritten(as: other) { return nil }
      try checkSayable(other)
      return other
    }
    var changes = JSONObject()
    for (key, _) in before.members where after[key] == nil { changes.append(key, .null) }
    for (key, value) in after.members {
      do throws(JSONError) {
        guard let old = before[key] else {
          try checkSayable(value)
          guard changes.append(key, value) else {
            throw JSONError(
              .keysLookTheSame,
              "takes the place of a member whose key looks the same; use a JSON Patch")
          }
          continue
        }
        if let change = try difference(old, value) { changes.append(key, change) }
      } catch {
        throw error.inside(key)
      }
    }
    return changes.isEmpty ? nil : .object(changes)
  }

  private static func checkSayable(_ value: JSONValue) throws(JSONError) {
    switch value {
    case .null:
      throw JSONError(
        .badValue, "is null, which a merge patch takes for what shall go; use a JSON Patch")
    case .object(let object):
      for (key, member) in object.members {
        do throws(JSONError) { try checkSayable(member) } catch { throw error.inside(key) }
      }
    default: break
    }
  }
}
