public import FoundationEssentials
public import ObjectModel

// Patches as JSON, and back: docs/patching.md describes the shape, docs/patch.schema.json is its schema.
extension Patch {
  /// The patch as JSON: dates as ISO 8601 has them, data in base64, and whatever JSON has not so that it is known again.
  ///
  /// Equal patches are the same bytes.
  ///
  /// - Parameter isIndented: whether it is for people to read.
  /// - Throws: `PatchError` where patches or values stand within each other more deeply than can be read back, or a key has
  ///   more combining marks in a row than a name has.
  public func json(isIndented: Bool = false) throws(PatchError) -> Data {
    let limit = JSONLimits().depth
    try refuseTooDeep(limit)
    let document = jsonValue
    guard document.extent.depth <= limit else {
      throw PatchError(
        JSONError(.tooDeep, "is nested deeper than \(limit) levels; make several patches of it"))
    }
    do throws(JSONError) {
      return Data(try document.readableBytes(isIndented: isIndented))
    } catch {
      throw PatchError(error)
    }
  }

  /// Refuses what is nested so deep that nobody reads it back, before anything is made of it: that goes down as deep.
  private func refuseTooDeep(_ limit: Int) throws(PatchError) {
    var left = objects.enumerated().map { (patch: $1, path: PatchPath().appending($0), depth: 1) }
    while let (patch, path, depth) = left.popLast() {
      guard depth <= limit else {
        throw PatchError(
          .tooLarge, at: path,
          "patches stand within each other deeper than \(limit) levels; make several of it.")
      }
      for values in [patch.old, patch.new] {
        for (key, value) in values ?? [:] where !value.isWithinDepth {
          throw PatchError(
            .tooLarge, at: path.appending(key),
            "the value is nested deeper than \(Value.largestDepth) levels, as no store holds one.")
        }
      }
      for (key, relationship) in patch.relationships {
        for (index, nested) in relationship.patches.enumerated() {
          left.append((nested, path.appending(key).appending(index), depth + 1))
        }
      }
    }
  }

  /// Reads a patch from JSON. The types of attributes are the model's; what does not agree with them stays what it is,
  /// and is converted by a delegate when the patch is applied, or refused then.
  ///
  /// Costs: time and memory in proportion to the bytes.
  ///
  /// - Parameter allowsDynamicKeys: whether keys that the model does not know are taken as dynamic attributes, also of
  ///   entities that do not allow any key.
  /// - Throws: `PatchError` with the path in the document, for anything that is no patch for such objects.
  public init(
    json: Data, model: ManagedObjectModel, allowsDynamicKeys: Bool = false
  ) throws(PatchError) {
    try self.init(
      json: json, model: model, allowsDynamicKeys: allowsDynamicKeys, limits: JSONLimits())
  }

  /// The same, of a document within limits.
  package init(
    json: Data, model: ManagedObjectModel, allowsDynamicKeys: Bool, limits: JSONLimits
  ) throws(PatchError) {
    do throws(JSONError) {
      self = try JSONPatchReading(model: model, allowsDynamicKeys: allowsDynamicKeys)
        .patch(try JSONValue(parsing: json, limits: limits))
    } catch {
      throw PatchError(error)
    }
  }
}

extension JSONValue {
  /// Reads a document, which is not copied for it.
  init(parsing data: Data, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    self = try data.withUnsafeBytes { bytes -> Result<JSONValue, JSONError> in
      Result { () throws(JSONError) in try JSONValue(parsing: bytes, limits: limits) }
    }.get()
  }
}

extension PatchError {
  /// What is wrong with a document.
  init(_ error: JSONError) {
    let path = (try? JSONPointer(error.path))?.tokens ?? []
    let place = error.byteOffset.map { " (byte \($0))" } ?? ""
    self.init(
      Code(error.code), at: PatchPath(path), "what the JSON has there\(place) \(error.reason).")
  }
}

extension PatchError.Code {
  fileprivate init(_ code: JSONError.Code) {
    self =
      switch code {
      case .badSyntax, .badText, .missingMember, .unknownMember: .malformed
      case .unknownVersion: .unknownVersion
      case .duplicateKey, .keysLookTheSame: .repeatedName
      case .tooDeep, .tooLarge: .tooLarge
      case .wrongType: .malformed
      case .badValue: .wrongType
      case .unknownEntity: .unknownEntity
      case .unknownKey: .unknownKey
      case .badIdentifier: .wrongIdentifier
      case .wrongEntity: .wrongEntity
      case .nothingThere: .missingObject
      case .testFailed: .testFailed
      }
  }
}
