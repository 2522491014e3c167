extension ObjectID {
  private static let scheme = "xjournal://"

  /// The ID as a URI, which `init(uri:)` reads back: `xjournal://` and the store's tag in 16 hexadecimal
  /// digits, the origin, the entity's number and the object's number, with slashes between them.
  public var uri: String {
    "\(Self.scheme)\(store.digits)/\(origin)/\(entity.rawValue)/\(number)"
  }

  /// Reads a URI.
  ///
  /// - Throws: `ObjectIDError.notAURI` for anything that `uri` does not give.
  public init(uri: String) throws(ObjectIDError) {
    guard let id = Self.parse(uri) else { throw .notAURI(uri) }
    self = id
  }

  private static func parse(_ uri: String) -> ObjectID? {
    guard uri.hasPrefix(scheme) else { return nil }
    let parts = uri.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].utf8.count == 16, let tag = UInt64(parts[0], radix: 16),
      let origin = UInt16(parts[1]), let entity = UInt16(parts[2]), let number = UInt64(parts[3]),
      entity <= EntityNumber.largest.rawValue, number <= largestNumber
    else { return nil }
    let id = ObjectID(
      origin: origin, entity: EntityNumber(rawValue: entity), number: number,
      store: StoreTag(rawValue: tag))
    // Neither a sign nor a leading zero nor a capital: one ID has one URI.
    return id.uri.hasSameBytes(as: uri) ? id : nil
  }
}

/// Why there is no object ID.
public enum ObjectIDError: Error, Hashable, Sendable {
  /// A text is not the URI of an object.
  case notAURI(String)
}

extension ObjectIDError: CustomStringConvertible {
  /// What is wrong, in a sentence.
  public var description: String {
    switch self {
    case .notAURI(let text):
      "‘\(text)’ is not the URI of an object; one looks like xjournal://0123456789abcdef/0/3/17."
    }
  }
}

extension ObjectID: CustomStringConvertible {
  /// The URI.
  public var description: String { uri }
}

extension ObjectID: Codable {
  /// Reads the URI.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      try self.init(uri: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }

  /// Writes the URI.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(uri)
  }
}

extension StoreTag {
  /// The tag as URIs have it: in 16 hexadecimal digits.
  package var digits: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
