// Feeds bytes to the reader of property lists; what it reads must come back as it is.

internal import FuzzSupport
internal import ObjectModel
internal import PropertyListCoding

/// The first byte: bit 0, whether the bytes follow the eight that every list begins with; bit 1, whether
/// single values are looked up before all is decoded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPropertyList(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let list = input.has(0) ? Array("bplist00".utf8) + input.bytes : input.bytes
  if input.has(1) { lookUp(list) }
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
