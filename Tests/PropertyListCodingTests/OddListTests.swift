// Lists that no writer of ours makes, and that are read as far as they can be.

import ObjectModel
import PropertyListCoding
import Testing

@Suite struct OddLists {
  @Test func `a dictionary with a key that is no text has no keys, and finds none`() throws {
    let list = ListBytes([0xD1, 1, 2], [0x10, 7], [0x10, 8])
    let error = PropertyListError(.keyNotAString, at: list.offset(of: 1))
    try PropertyListReader.read(list.bytes) { root throws(PropertyListError) in
      #expect(root.kind == .dictionary && root.count == 1)
      #expect(throws: error) { try root.keys() }
      #expect(throws: error) { try root.value(forKey: "a") }
      #expect(throws: error) { try root.value() }
    }
  }

  /// Lists of integers whose references or offsets are of lengths that are read one by one.
  static let lengths = [(3, 1), (4, 4), (8, 2), (1, 3), (2, 1)]

  @Test(arguments: lengths)
  func `integers that lie in no usual way are left to be read one by one`(
    references: Int, offsets: Int
  ) throws {
    let array: [UInt8] =
      [0xA2] + ListBytes.bigEndian(1, references) + ListBytes.bigEndian(2, references)
    var list = ListBytes(array, [0x10, 7], [0x11, 1, 0])
    (list.referenceByteCount, list.offsetByteCount) = (references, offsets)
    try list.bytes.withUnsafeBytes { bytes in
      let array = try #require(try PropertyListArray(bytes))
      var (numbers, others) = ([5, 5, 5], [9])
      array.readIntegers(into: &numbers, others: &others)
      #expect(numbers == [0, 0] && others == [0, 1])
      #expect(try others.map { try array.value($0) } == [7, 256])
    }
  }
}
