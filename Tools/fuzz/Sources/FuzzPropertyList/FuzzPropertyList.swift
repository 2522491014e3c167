// Feeds bytes to the reader of property lists; what it reads must come back as it is.

internal import ByteCoding
internal import FuzzSupport
internal import ObjectModel
internal import PropertyListCoding

/// The first byte: bit 0, whether the bytes follow the eight that every list begins with; bit 1, whether
/// single values are looked up before all is decoded; bit 2, whether the elements of an array go into another list;
/// bit 3, whether its integers are read at once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPropertyList(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let list = input.has(0) ? Array("bplist00".utf8) + input.bytes : input.bytes
  if input.has(1) { lookUp(list) }
  if input.has(2) { list.withUnsafeBytes(copyElements) }
  if input.has(3) { list.withUnsafeBytes(readIntegers) }
  do throws(PropertyListError) {
    let value = try PropertyListReader.decode(list)
    check(value)
  } catch {
    expect(error.offset >= 0 && error.offset <= list.count, "what is wrong is within the list")
    expect(!error.description.isEmpty, "an error has words")
  }
  return 0
}

private func check(_ value: Value) {
  expect(value.isWithinDepth, "no value is deeper than may be")
  do throws(PropertyListError) {
    let bytes = try PropertyListWriter.encode(value)
    let again = try PropertyListReader.decode(bytes)
    expect(again == value, "a value comes back as it was")
    expect(try PropertyListWriter.encode(again) == bytes, "a value has one list")
  } catch {
    expect(false, "a value that was read is written and read: \(error)")
  }
}

/// Puts the elements of an array that can be read into another list, where they must be what they were.
private func copyElements(_ list: UnsafeRawBufferPointer) {
  do throws(PropertyListError) {
    guard let array = try PropertyListArray(list) else { return }
    var decoder: ElementDecoder?
    var elements: [ArrayElement] = []
    var places: [Int] = []
    for place in 0..<min(array.count, 100) {
      guard let element = try? array.element(place, by: &decoder) else { continue }
      elements.append(element)
      places.append(place)
    }
    var copy = ByteWriter()
    try PropertyListWriter.writeArray(of: elements, to: &copy)
    copy.withBytes { bytes in check(bytes, array, places) }
  } catch {
    expect(error.offset >= 0 && error.offset <= list.count, "what is wrong is within the list")
  }
}

/// - Parameter places: where the elements of a copy were.
private func check(_ copy: UnsafeRawBufferPointer, _ array: PropertyListArray, _ places: [Int]) {
  do throws(PropertyListError) {
    let copied = try PropertyListArray(copy)
    expect(copied?.count == places.count, "an array has the elements it was given")
    for (index, place) in places.enumerated() {
      // Of some it is known only together with others that they cannot be read.
      guard let value = try? array.value(place) else { continue }
      expect(try copied?.value(index) == value, "an element is the same in another list")
    }
  } catch {
    expect(false, "what was written can be read: \(error)")
  }
}

/// Reads the integers of an array at once: they must be those that its elements are one by one.
private func readIntegers(_ list: UnsafeRawBufferPointer) {
  do throws(PropertyListError) {
    guard let array = try PropertyListArray(list) else { return }
    // What was there before is to count for nothing.
    var (numbers, others) = ([Int](repeating: 7, count: array.count), [7])
    array.readIntegers(into: &numbers, others: &others)
    expect(numbers.count == array.count, "every element has a number")
    let without = Set(others)
    for place in 0..<min(array.count, 100) {
      let alone = without.contains(place) ? 0 : (try? array.value(place))?.integer
      expect(alone == numbers[place], "an integer is what it is alone, and what is none is zero")
    }
  } catch {
    expect(error.offset >= 0 && error.offset <= list.count, "what is wrong is within the list")
  }
}

/// Walks over nodes as far as they are sound; of those that hold themselves, only a few levels.
private func lookUp(_ list: [UInt8]) {
  do throws(PropertyListError) {
    try PropertyListReader.read(list) { root throws(PropertyListError) in
      var steps = 200
      try lookUp(root, depth: 0, &steps)
    }
  } catch {
    expect(error.offset >= 0 && error.offset <= list.count, "what is wrong is within the list")
  }
}

private func lookUp(
  _ node: PropertyListNode, depth: Int, _ steps: inout Int
) throws(PropertyListError) {
  steps -= 1
  guard steps > 0, depth < 5 else { return }
  switch node.kind {
  case .array, .set:
    for place in 0..<min(node.count, 5) {
      try lookUp(node.element(place), depth: depth + 1, &steps)
    }
  case .dictionary:
    for key in try node.keys().prefix(5) {
      guard let value = try node.value(forKey: key) else {
        expect(false, "a key that is there has a value")
        return
      }
      try lookUp(value, depth: depth + 1, &steps)
    }
  default:
    expect(node.count == 0, "only containers have elements")
    expect(try node.value().kind == node.kind, "a value is of its node's kind")
  }
}
