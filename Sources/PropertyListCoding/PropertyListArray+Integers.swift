// All integers of an array at once, for whoever goes over many.
extension PropertyListArray {
  /// Reads all elements that are integers.
  ///
  /// - Parameters:
  ///   - numbers: gets a number for each element; 0 where it is no integer of up to eight bytes.
  ///   - others: gets the places of elements that are none, in order. Of what is wrong with one of them
  ///     `value(_:)` tells.
  package func readIntegers(into numbers: inout [Int], others: inout [Int]) {
    others.removeAll(keepingCapacity: true)
    if numbers.count != count { numbers = [Int](repeating: 0, count: count) }
    numbers.withUnsafeMutableBufferPointer { numbers in
      switch (reader.referenceByteCount, reader.offsetByteCount) {
      case (1, 1): read(UInt8.self, UInt8.self, numbers, &others)
      case (1, 2): read(UInt8.self, UInt16.self, numbers, &others)
      case (1, 4): read(UInt8.self, UInt32.self, numbers, &others)
      case (2, 2): read(UInt16.self, UInt16.self, numbers, &others)
      case (2, 4): read(UInt16.self, UInt32.self, numbers, &others)
      default: others = Array(0..<count)
      }
    }
  }

  @inline(__always)
  private func read<Reference: FixedWidthInteger, Offset: FixedWidthInteger>(
    _: Reference.Type, _: Offset.Type, _ numbers: UnsafeMutableBufferPointer<Int>,
    _ others: inout [Int]
  ) {
    let bytes = reader.bytes
    let (table, objectCount) = (reader.tableOffset, UInt64(reader.objectCount))
    @inline(__always)
    func load<Integer: FixedWidthInteger>(_ offset: Int, _: Integer.Type) -> Int {
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self)
      return Int(truncatingIfNeeded: Integer(bigEndian: value))
    }
    for place in numbers.indices {
      let index = load(array.content + place * MemoryLayout<Reference>.size, Reference.self)
      numbers[place] = 0
      guard UInt64(index) < objectCount else {
        others.append(place)
        continue
      }
      let offset = load(table + index * MemoryLayout<Offset>.size, Offset.self)
      guard offset >= Format.headerByteCount, offset < table else {
        others.append(place)
        continue
      }
      // Integers are as long as their markers say. That their lengths vary without order is no reason to branch:
      // behind the objects there are their offsets and the trailer, so eight bytes can be read in any case.
      let marker = bytes[offset]
      let byteCount = 1 << Int(marker & 3)
      guard marker & 0xFC == 0x10, table - offset > byteCount else {
        others.append(place)
        continue
      }
      let eight = UInt64(
        bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self))
      numbers[place] = Int(truncatingIfNeeded: eight >> UInt64(64 - 8 * byteCount))
    }
  }
}
