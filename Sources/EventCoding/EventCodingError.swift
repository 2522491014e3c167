package import ByteCoding
package import ObjectModel

/// Bytes that are no event or commit, or an event or commit that cannot be written.
package struct EventCodingError: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Code: Hashable, Sendable {
    /// The bytes do not hold what they should.
    case bytes(ByteCodingError.Code)

    // What bytes say, and no writer writes.
    case noKind
    case choiceUnknown(UInt8)
    case tagUnknown(UInt8)
    case notShortest
    case textNotUnicode
    case ownStoreNamed
    case editMissing(position: Int)
    case editUnfit(position: Int)
    case formatUnknown(UInt8)
    case fieldUnknown(kind: UInt8)

    // What an event or commit holds, and no reader takes.
    case objectOfAnotherStore
    case kindKnown(UInt8)
    case negativeCount
    case objectTwice

    // What neither may hold.
    case numberTooLarge
    case decimalUnreadable
    case urlUnreadable
    case tooDeep
    case keysNotInOrder
    case membersNotInOrder
    case fieldsNotInOrder
    case changeOfNothing
    case changeUnfit
    case previousNotBefore

    // What is sound, and more than the reader was told to hold.
    case tooMany
  }

  /// What is wrong.
  package let code: Code
  /// Where: in the bytes that were read, or that were to be written.
  package let offset: Int
  /// Whose value it is, where that is known and there are too many.
  package private(set) var value: ValuePlace?

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// The same, of a value within what was read.
  func within(_ object: ObjectID, _ key: KeyNumber) -> EventCodingError {
    guard code == .tooMany else { return self }
    var error = self
    error.value = ValuePlace(object: object, key: key)
    return error
  }

  init(_ error: ByteCodingError) { self.init(.bytes(error.code), at: error.offset) }
}

/// A value, by its object and key.
package struct ValuePlace: Hashable, Sendable {
  package let object: ObjectID
  package let key: KeyNumber
}

extension EventCodingError: CustomStringConvertible {
  package var description: String {
    if case .bytes(let code) = code {
      return ByteCodingError(code: code, offset: offset).description
    }
    return "\(code.sentence), at byte \(offset)"
  }
}

extension EventCodingError.Code {
  /// What is wrong, in words.
  var sentence: String {
    switch self {
    case .bytes: "the bytes are not what they should be"
    case .noKind: "no event has the kind 0"
    case .choiceUnknown(let byte): "a choice has no meaning: \(byte)"
    case .tagUnknown(let byte): "a value has a tag without a meaning: \(byte)"
    case .notShortest: "a value is longer than it need be"
    case .textNotUnicode: "a text is not UTF-8"
    case .ownStoreNamed: "an object of this store is named like one of another"
    case .editMissing(let position): "the batch has no edit \(position), which should have a value"
    case .editUnfit(let position): "edit \(position) of the batch does not set that value"
    case .formatUnknown(let format): "a commit is of the format \(format), which newer code writes"
    case .fieldUnknown(let kind):
      "a commit has a field of the kind \(kind), which must be known and is not"
    case .objectOfAnotherStore: "an object is another store's"
    case .kindKnown(let kind): "the kind \(kind) is not that of an unknown event"
    case .negativeCount: "a count is negative"
    case .objectTwice: "a commit changes an object twice"
    case .numberTooLarge: "a number is larger than it may be"
    case .decimalUnreadable: "a decimal number is none, or cannot be read back"
    case .urlUnreadable: "a URL cannot be read back"
    case .tooDeep: "values stand within each other too deep"
    case .keysNotInOrder: "keys are not in order, or one stands there twice"
    case .membersNotInOrder: "members are not in order, or one stands there twice"
    case .fieldsNotInOrder: "fields are not in order, or one stands there twice"
    case .changeOfNothing: "a change changes nothing"
    case .changeUnfit: "a change does not fit its object or its value"
    case .tooMany: "there are more values than are to be held at once"
    case .previousNotBefore: "an object was changed before by a commit that is not before"
    }
  }
}
