/// What an attribute holds.
public enum AttributeType: Hashable, Sendable {
  /// Yes or no.
  case boolean
  /// A whole number of 64 bits.
  case integer
  /// A floating-point number of 64 bits.
  case real
  /// A decimal number.
  case decimal
  /// A text.
  case string
  /// Bytes.
  case data
  /// A moment.
  case date
  /// A UUID.
  case uuid
  /// A URL.
  case url
  /// Property-list values by keys.
  case dictionary
  /// A value of the program's own, stored as what the transformer of that name makes of it.
  case transformed(by: String)
  /// An amount that merges by what was added to it.
  case counter
  /// Values without an order that merge by insertion and removal.
  case set
  /// An object of another store.
  case reference
}

/// How the changes of two contexts to one attribute become one value.
public enum AttributeMerging: Hashable, Sendable {
  /// As a whole: the policy decides whose value stands. Counters and sets merge by themselves all the same.
  case asWhole
  /// Key by key, and so on within: for dictionaries.
  case byKey
  /// By the program's function of that name.
  case custom(String)
}

/// An attribute of an entity.
public struct AttributeDescription: Hashable, Sendable {
  /// The attribute's key.
  public var name: String
  /// What it holds.
  public var type: AttributeType
  /// Whether it may hold nothing when it is saved.
  public var isOptional: Bool
  /// What a new object holds.
  public var defaultValue: Value?
  /// Whether it is never saved.
  public var isTransient: Bool
  /// Whether fetches by it are answered from an index.
  public var isIndexed: Bool
  /// Whether diff and patch find objects by it.
  public var isIdentifier: Bool
  /// How concurrent changes merge.
  public var merging: AttributeMerging
  /// What a value must be like to be saved.
  public var validation: [ValidationRule]
  /// The name it had in the model before, where it was renamed.
  public var renamingIdentifier: String?

  /// Describes an attribute.
  public init(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, defaultValue: Value? = nil,
    isTransient: Bool = false, isIndexed: Bool = false, isIdentifier: Bool = false,
    merging: AttributeMerging = .asWhole, validation: [ValidationRule] = [],
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isTransient = isTransient
    self.isIndexed = isIndexed
    self.isIdentifier = isIdentifier
    self.merging = merging
    self.validation = validation
    self.renamingIdentifier = renamingIdentifier
  }
}

extension AttributeType {
  /// Whether an attribute of this type may hold a value; null always may be held.
  package func admits(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.boolean, .boolean), (.integer, .integer), (.real, .real), (.string, .string),
      (.data, .data), (.date, .date), (.uuid, .uuid), (.url, .url),
      (.counter, .counter), (.reference, .reference):
      true
    case (.dictionary, .dictionary): value.isPropertyList
    case (.decimal, .decimal), (.set, .set), (.transformed, _): value.isStorable
    default: false
    }
  }

  /// Whether values of this type can be told smaller and larger than a limit. That of a counter may be
  /// written as an integer.
  func canBeLimited(by limit: Value) -> Bool {
    limit.canLimit && (admits(limit) || self == .counter && limit.kind == .integer)
  }

  /// Whether values of this type have a length.
  var hasLength: Bool { self == .string || self == .data || self == .set }
}

extension AttributeType: CustomStringConvertible {
  /// The type's name.
  public var description: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .real: "real"
    case .decimal: "decimal"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .uuid: "uuid"
    case .url: "url"
    case .dictionary: "dictionary"
    case .transformed(let name): "transformed by \(name)"
    case .counter: "counter"
    case .set: "set"
    case .reference: "reference"
    }
  }
}
