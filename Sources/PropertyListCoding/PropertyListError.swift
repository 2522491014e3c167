/// Why bytes are no property list that can be read, or why a value cannot be written as one.
package struct PropertyListError: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Code: Hashable, Sendable, CaseIterable {
    /// The bytes do not begin with `bplist00`, or are too few for a header and a trailer.
    case notAPropertyList
    /// The last 32 bytes do not fit one another, or do not fit the bytes before them.
    case trailerMalformed
    case offsetOutOfBounds
    case referenceOutOfBounds
    case objectOutOfBounds
    case markerUnknown
    case countMalformed
    case integerTooLarge
    case stringNotASCII
    case surrogateUnpaired
    case keyNotAString
    case keyTwice
    case memberTwice
    /// An array that begins with a UID, or a UID by itself, is none of the forms that there are.
    case tagMalformed
    /// A container holds itself.
    case cycle
    case tooDeep
    /// Shared containers would stand in too many places.
    case tooManyNodes
    /// Objects lie across one another.
    case overlap
    /// There are more objects than the format or this reader can number.
    case tooLarge
    case decimalNotANumber
    /// A URL whose text would not be read as the same URL.
    case urlNotReadable
  }

  /// What is wrong.
  package let code: Code
  /// Where in the list; where it goes on to be written, if that is what failed.
  package let offset: Int

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }
}

extension PropertyListError: CustomStringConvertible {
  package var description: String { "\(code.wording), at byte \(offset)" }
}

extension PropertyListError.Code {
  fileprivate var wording: String {
    switch self {
    case .notAPropertyList: "this is no binary property list"
    case .trailerMalformed: "the property list's trailer does not fit the list"
    case .offsetOutOfBounds: "the offset of an object leads out of the objects"
    case .referenceOutOfBounds: "a reference names an object that there is not"
    case .objectOutOfBounds: "an object reaches past the end of the objects"
    case .markerUnknown: "an object is of a type that is not known"
    case .countMalformed: "the count of an object is not written as a count"
    case .integerTooLarge: "an integer has more than 64 bits with its sign"
    case .stringNotASCII: "a string of ASCII holds another byte"
    case .surrogateUnpaired: "a string holds half of a surrogate pair"
    case .keyNotAString: "a key is not a string"
    case .keyTwice: "a key stands twice in a dictionary"
    case .memberTwice: "a member stands twice in a set"
    case .tagMalformed: "a tagged value does not hold what its tag says"
    case .cycle: "a container holds itself"
    case .tooDeep: "containers stand in one another too deep"
    case .tooManyNodes: "shared containers stand in too many places"
    case .overlap: "objects lie across one another"
    case .tooLarge: "there are too many objects"
    case .decimalNotANumber: "a decimal is not a number"
    case .urlNotReadable: "a URL cannot be read back from its text"
    }
  }
}
