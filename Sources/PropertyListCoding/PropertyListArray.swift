package import ObjectModel

/// A list whose value is an array, for whoever wants some of its elements only.
///
/// The bytes must stay where they are, and as they are, while it is used.
package struct PropertyListArray {
  typealias Format = PropertyListFormat

  let reader: PropertyListReader
  let array: PropertyListObject

  /// How many elements there are.
  package var count: Int { array.count }

  /// Reads a list's header, trailer and root; nil where the root is no array.
  package init?(_ bytes: UnsafeRawBufferPointer) throws(PropertyListError) {
    reader = try PropertyListReader(bytes)
    array = try reader.object(at: reader.rootIndex)
    guard array.family == .array, try reader.tag(ofArray: array) == nil else { return nil }
  }

  /// The value of an element. No other element is looked at.
  ///
  /// - Throws: whatever is wrong with the element or anything in it.
  package func value(_ place: Int) throws(PropertyListError) -> Value {
    var element = try element(place)
    try locate(&element)
    return try value(element)
  }

  /// Calls a closure with the bytes of an element that is a text of ASCII; nil where it is something else.
  /// No string is made.
  package func withASCII<Answer>(
    _ place: Int, _ body: (UnsafeRawBufferPointer) -> Answer
  ) throws(PropertyListError) -> Answer? {
    var element = try element(place)
    try locate(&element)
    guard let object = element.object, object.family == .asciiString else { return nil }
    return body(reader.content(object, byteCount: object.count))
  }

  /// An element on the way to its value. Three places in memory lead there, one after the other. Whoever wants
  /// elements of several lists takes each step for all of them, so that the waits for memory overlap.
  package struct Element {
    fileprivate let index: Int
    fileprivate var object: PropertyListObject?
  }

  /// The first step: which object an element is.
  package func element(_ place: Int) throws(PropertyListError) -> Element {
    precondition(place >= 0 && place < array.count, "there is no element \(place) of \(count)")
    return Element(index: try reader.reference(place, of: array))
  }

  /// The second step: where the object is, and of what kind.
  package func locate(_ element: inout Element) throws(PropertyListError) {
    element.object = try reader.object(at: element.index)
  }

  /// The last step.
  ///
  /// - Throws: whatever is wrong with the element or anything in it.
  package func value(_ element: Element) throws(PropertyListError) -> Value {
    guard let object = element.object else { preconditionFailure("the element is not located") }
    guard object.family == .array || object.family == .dictionary else {
      return try reader.scalar(object)
    }
    if object.family == .array, let kind = try reader.tag(ofArray: object), kind != .set {
      return try reader.taggedValue(object, kind) { index throws(PropertyListError) in
        try reader.scalar(reader.object(at: index))
      }
    }
    var decoder = PropertyListDecoder(reader)
    return try decoder.value(ofObject: element.index)
  }

  /// Calls a closure with the elements from one place up to another, in order, until it says to stop.
  /// Elements that are one object of the list share what they hold.
  ///
  /// - Parameter body: takes a place and its element; returns whether to go on.
  /// - Returns: whether it went on to the end.
  /// - Throws: whatever is wrong with an element, once those before it have been handed out.
  @discardableResult
  package func forEach(
    in places: Range<Int>, _ body: (Int, Value) -> Bool
  ) throws(PropertyListError) -> Bool {
    precondition(places.lowerBound >= 0 && places.upperBound <= array.count, "no such elements")
    var decoder: ElementDecoder?
    for place in places {
      if !body(place, try value(place, by: &decoder)) { return false }
    }
    return true
  }
}
