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
      default:
        numbers.update(repeating: 0)
        others = Array(0..<count)
      }
    }
  }

  @inline(__always)
  private func read<Reference: FixedWidthInteger, Offset: FixedWidthInteger>(
    _ reference: Reference.Type, _ offset: Offset.Type, _ numbers: UnsafeMutableBufferPointer<Int>,
    _ others: inout [Int]
  ) {
    var place = 0
    while true {
      place = readPlain(reference, offset, numbers, from: place)
      if place == count { return }
      let number = integer(place)
      numbers[place] = number ?? 0
      if number == nil { others.append(place) }
      place += 1
    }
  }

  /// Reads integers up to the first element that is none, or may be none. Its loop is what a filter takes for each row:
  /// it calls nothing, and nothing is checked in it that is settled before.
  ///
  /// - Returns: the place of that element.
  @inline(never)
  private func readPlain<Reference: FixedWidthInteger, Offset: FixedWidthInteger>(
    _: Reference.Type, _: Offset.Type, _ numbers: UnsafeMutableBufferPointer<Int>, from first: Int
  ) -> Int {
    guard let list = reader.bytes.baseAddress, let numbers = numbers.baseAddress else {
      return first
    }
    let references = list + array.content
    let table = list + reader.tableOffset
    let (count, objectCount) = (count, UInt64(reader.objectCount))
    // Where an integer of any length ends before the offsets of the objects begin.
    let offsets = Format.headerByteCount..<max(Format.headerByteCount, reader.tableOffset - 8)
    let offsetCount = UInt(offsets.count)
    let marker = Format.Family.integer.rawValue << 4
    @inline(__always)
    func load<Integer: FixedWidthInteger>(
      _ numbers: UnsafeRawPointer, _ place: Int, _: Integer.Type
    ) -> Int {
      let number = numbers.loadUnaligned(
        fromByteOffset: place &* MemoryLayout<Integer>.size, as: Integer.self)
      return Int(truncatingIfNeeded: Integer(bigEndian: number))
    }
    var place = first
    while place < count {
      let index = load(references, place, Reference.self)
      guard UInt64(index) < objectCount else { break }
      let offset = load(table, index, Offset.self)
      guard UInt(bitPattern: offset &- offsets.lowerBound) < offsetCount else { break }
      let exponent = UInt64(list.load(fromByteOffset: offset, as: UInt8.self) ^ marker)
      guard exponent < 4 else { break }
      // Integers are as long as their markers say. That their lengths vary without order is no reason to branch.
      let eight = UInt64(
        bigEndian: list.loadUnaligned(fromByteOffset: offset &+ 1, as: UInt64.self))
      numbers[place] = Int(truncatingIfNeeded: eight &>> (64 &- 8 &<< exponent))
      place &+= 1
    }
    return place
  }

  /// The integer that an element is; nil where it is something else, or malformed.
  private func integer(_ place: Int) -> Int? {
    guard let index = try? reader.reference(place, of: array),
      let object = try? reader.object(at: index), object.family == .integer, object.count <= 8
    else { return nil }
    return try? reader.integer(object)
  }
}
