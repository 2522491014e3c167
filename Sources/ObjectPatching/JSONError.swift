/// Why a JSON document is refused: what is wrong, and where. Nothing was changed by it.
package struct JSONError: Error, Hashable, Sendable {
  /// What can be wrong.
  package enum Code: Hashable, Sendable {
    /// It does not follow the grammar of RFC 8259.
    case badSyntax
    /// Its bytes are not UTF-8, or an escape is half a character.
    case badText
    /// A key stands twice in an object.
    case duplicateKey
    /// Two keys of an object look the same: they are equal after Unicode normalisation.
    case keysLookTheSame
    /// Arrays and objects stand within each other too deeply.
    case tooDeep
    /// It is longer, or has more values, than a limit allows.
    case tooLarge
    /// Something is of another kind than is wanted there.
    case wrongType
    /// A member that must be there is missing.
    case missingMember
    /// There is a member that nothing is known of.
    case unknownMember
    /// It is of a version that is not understood.
    case unknownVersion
    /// The model has no entity of that name.
    case unknownEntity
    /// An object is of another entity than a relationship leads to.
    case wrongEntity
    /// The entity has no such key.
    case unknownKey
    /// An object is called by what cannot be its identifier.
    case badIdentifier
    /// A value cannot be held by its attribute.
    case badValue
    /// A pointer or an operation leads to nothing.
    case nothingThere
    /// An operation's test found another value.
    case testFailed
  }

  /// What is wrong.
  package let code: Code
  /// Where in the document, as a JSON Pointer (RFC 6901); empty for the whole of it.
  package private(set) var path: String
  /// Where in the document's bytes, where the bytes themselves are wrong.
  package let byteOffset: Int?
  /// What is wrong, in words, without the place.
  package let reason: String

  package init(_ code: Code, _ reason: String, at path: String = "", byteOffset: Int? = nil) {
    self.code = code
    self.reason = reason
    self.path = path
    self.byteOffset = byteOffset
  }

  /// The same error, seen from the value that holds the part of a key.
  package func inside(_ key: String) -> JSONError {
    var error = self
    error.path = JSONPointer.token(Self.clipped(key)) + path
    return error
  }

  /// The same error, seen from the array that holds the part.
  package func inside(_ index: Int) -> JSONError { inside(String(index)) }

  /// The same error, told with the place in a patch.
  func inside(_ path: PatchPath) -> JSONError {
    var error = self
    error.path = path.words + self.path
    return error
  }

  /// A text of somebody else's, short enough for a sentence.
  package static func clipped(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(60)
    return start.endIndex == text.unicodeScalars.endIndex ? text : String(start) + "…"
  }
}

extension JSONError: CustomStringConvertible {
  /// The sentence, with the place.
  package var description: String {
    var place = path.isEmpty ? "The JSON document" : "The JSON document at \(path)"
    if let byteOffset { place += " (byte \(byteOffset))" }
    return "\(place) \(reason)."
  }
}
