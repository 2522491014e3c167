package import ObjectModel

/// An element of a list, on the way into another: what would take memory of its own stays where it lies.
package enum ArrayElement {
  case value(Value)
  /// A string of ASCII.
  case text(UnsafeRawBufferPointer)
  case data(UnsafeRawBufferPointer)
}

/// What has been decoded of an array's elements, for whoever wants most of them, one by one: what stands in several
/// places is decoded once.
package final class ElementDecoder {
  @exclusivity(unchecked) fileprivate var decoder: PropertyListDecoder

  fileprivate init(_ reader: PropertyListReader) { decoder = PropertyListDecoder(reader) }
}

extension PropertyListArray {
  /// The value of an element.
  ///
  /// - Parameter decoder: made where it is needed first; that of this array.
  /// - Throws: whatever is wrong with the element or anything in it.
  @inline(__always)
  package func value(
    _ place: Int, by decoder: inout ElementDecoder?
  ) throws(PropertyListError) -> Value {
    let (index, object) = try object(place)
    switch object.family {
    case .single, .integer, .real, .date, .uid: return try reader.scalar(object)
    default: return try decode(index, &decoder)
    }
  }

  /// An element whose value is not made where it would take memory.
  ///
  /// Of strings of ASCII and data it is not looked whether they lie across one another: it does no harm, as none is made.
  ///
  /// - Throws: as `value(_:by:)`.
  package func element(
    _ place: Int, by decoder: inout ElementDecoder?
  ) throws(PropertyListError) -> ArrayElement {
    let (index, object) = try object(place)
    switch object.family {
    case .single, .integer, .real, .date, .uid: return .value(try reader.scalar(object))
    case .asciiString: return .text(try reader.ascii(object))
    case .data: return .data(reader.content(object, byteCount: object.count))
    default: return .value(try decode(index, &decoder))
    }
  }

  private func decode(
    _ index: Int, _ decoder: inout ElementDecoder?
  ) throws(PropertyListError) -> Value {
    let known = decoder ?? ElementDecoder(reader)
    decoder = known
    return try known.decoder.value(ofObject: index)
  }

  /// The object that an element is, and its number.
  @inline(__always)
  private func object(
    _ place: Int
  ) throws(PropertyListError) -> (index: Int, object: PropertyListObject) {
    precondition(place >= 0 && place < array.count, "there is no element \(place) of \(count)")
    let index = try reader.reference(place, of: array)
    return (index, try reader.object(at: index))
  }
}
