public import FoundationEssentials

// What a value holds, where it is of the kind asked for; nil where it is of another.
extension Value {
  /// Whether the value is `.null`.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The boolean, where it is one.
  public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// The integer, where it is one.
  public var integer: Int? { if case .integer(let value) = self { value } else { nil } }

  /// The real, where it is one.
  public var real: Double? { if case .real(let value) = self { value } else { nil } }

  /// The decimal number, where it is one.
  public var decimal: Decimal? { if case .decimal(let value) = self { value } else { nil } }

  /// The string, where it is one.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The bytes, where it is data.
  public var data: Data? { if case .data(let value) = self { value } else { nil } }

  /// The date, where it is one.
  public var date: Date? { if case .date(let value) = self { value } else { nil } }

  /// The UUID, where it is one.
  public var uuid: UUID? { if case .uuid(let value) = self { value } else { nil } }

  /// The URL, where it is one.
  public var url: URL? { if case .url(let value) = self { value } else { nil } }

  /// The values, where it is an array.
  public var array: [Value]? { if case .array(let values) = self { values } else { nil } }

  /// The values by their keys, where it is a dictionary.
  public var dictionary: [String: Value]? {
    if case .dictionary(let values) = self { values } else { nil }
  }

  /// The amount, where it is a counter.
  public var counter: Int? { if case .counter(let value) = self { value } else { nil } }

  /// The members, where it is a set.
  public var set: Set<Value>? { if case .set(let values) = self { values } else { nil } }

  /// The object's ID, where it is a reference.
  public var reference: ObjectID? { if case .reference(let value) = self { value } else { nil } }
}

extension Value? {
  /// The objects that the value of a relationship leads to.
  package var destinations: [ObjectID] {
    switch self {
    case .reference(let object)?: [object]
    case .array(let values)?: values.compactMap(\.reference)
    case .set(let values)?: values.compactMap(\.reference).sorted()
    default: []
    }
  }
}

extension Value {
  /// Whether a relationship may hold the value.
  package func isDestination(ofMany isToMany: Bool) -> Bool {
    switch (isToMany, self) {
    case (false, .reference): true
    case (true, .set(let members)): members.allSatisfy { $0.reference != nil }
    case (true, .array(let members)):
      members.allSatisfy { $0.reference != nil } && Set(members).count == members.count
    default: false
    }
  }
}
