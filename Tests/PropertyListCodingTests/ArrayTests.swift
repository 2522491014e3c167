// Lists that are arrays: single elements and walks agree with decoding the whole, and what is wrong with one
// element keeps no other from being read.

import ByteCoding
import ObjectModel
import PropertyListCoding
import TestSupport
import Testing

@Suite struct ArrayLists {
  private func array<Answer>(
    _ bytes: [UInt8], _ body: (PropertyListArray) throws -> Answer
  ) throws -> Answer? {
    try bytes.withUnsafeBytes { bytes in try PropertyListArray(bytes).map(body) }
  }

  /// The bytes of a list of values.
  private func list(of values: [Value]) throws -> [UInt8] {
    try list(of: values.map { .value($0) })
  }

  private func list(of elements: [ArrayElement]) throws -> [UInt8] {
    var writer = ByteWriter()
    try PropertyListWriter.writeArray(of: elements, to: &writer)
    return writer.array
  }

  @Test func `elements come one by one and in a walk as they do in the whole`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 200)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let values = (0..<dice.pick(40)).map { _ in dice.anyValue() }
      let name = "seed \(campaign.seed), round \(round)"
      try array(list(of: values)) { array throws in
        #expect(array.count == values.count, "\(name)")
        for place in values.indices {
          #expect(try array.value(place) == values[place], "\(name), \(place)")
        }
        let first = dice.pick(values.count + 1)
        var walked: [Value] = []
        let isWhole = try array.forEach(in: first..<values.count) { place, value in
          #expect(place == first + walked.count)
          walked.append(value)
          return true
        }
        #expect(isWhole)
        #expect(walked == Array(values[first...]), "\(name)")
      }
    }
  }

  @Test func `elements go from one list into another with the same bytes`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 200)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let values = (0..<dice.pick(40)).map { _ in dice.anyValue() }
      let bytes = try list(of: values)
      try array(bytes) { array throws in
        var decoder: ElementDecoder?
        let elements = try values.indices.map { try array.element($0, by: &decoder) }
        #expect(try list(of: elements) == bytes, "seed \(campaign.seed), round \(round)")
        for place in values.indices {
          #expect(try array.value(place, by: &decoder) == values[place])
        }
      }
    }
  }

  @Test func `a walk stops when it is told to`() throws {
    try array(PropertyListWriter.encode([1, 2, 3])) { array throws in
      var count = 0
      let isWhole = try array.forEach(in: 0..<3) { _, _ in
        count += 1
        return count < 2
      }
      #expect(!isWhole)
      #expect(count == 2)
    }
  }

  @Test func `a list that is no array is none`() throws {
    for value: Value in ["text", 1, nil, ["a": 1], .set([1]), .counter(3)] {
      #expect(try array(PropertyListWriter.encode(value)) { _ in true } == nil)
    }
    #expect(throws: PropertyListError.self) { try array([1, 2, 3]) { _ in true } }
    #expect(try array(PropertyListWriter.encode([nil, 1])) { $0.count } == 2)
  }

  @Test func `an element that cannot be read keeps no other from being read`() throws {
    let good = ListBytes([0x10, 7], [0x7F], [0xA2, 3, 0], [0x80, 8], [0xA4, 0, 1, 2, 0])
    var list = good
    list.root = 4
    try array(list.bytes) { array throws in
      for place in [0, 3] { #expect(try array.value(place) == 7) }
      #expect(throws: PropertyListError.self) { try array.value(1) }
      #expect(throws: PropertyListError.self, "a UUID of an integer") { try array.value(2) }
      var decoder: ElementDecoder?
      for place in [1, 2] {
        #expect(throws: PropertyListError.self) { _ = try array.element(place, by: &decoder) }
        #expect(throws: PropertyListError.self) { try array.value(place, by: &decoder) }
      }
      for place in [0, 3] { #expect(try array.value(place, by: &decoder) == 7) }
      var walked: [Value] = []
      #expect(throws: PropertyListError.self) {
        try array.forEach(in: 0..<4) { _, value in
          walked.append(value)
          return true
        }
      }
      #expect(walked == [7])
    }
  }

  /// Checks that the integers of a list are those that its elements are one by one.
  ///
  /// - Returns: whether it is a list.
  @discardableResult
  private func checkIntegers(_ bytes: [UInt8], _ name: @autoclosure () -> String) throws -> Bool {
    try array(bytes) { array throws in
      // What was there before is to count for nothing.
      var (numbers, others) = ([Int](repeating: 7, count: array.count), [5])
      array.readIntegers(into: &numbers, others: &others)
      #expect(numbers.count == array.count, "\(name())")
      #expect(others == Array(Set(others)).sorted(), "\(name())")
      let without = Set(others)
      let wrong = (0..<array.count).first { place in
        // Integers of sixteen bytes are left to who reads them one by one.
        if without.contains(place) { return numbers[place] != 0 }
        return (try? array.value(place))?.integer != numbers[place]
      }
      #expect(wrong == nil, "\(name())")
      return true
    } ?? false
  }

  @Test(arguments: [(3, 0), (60, 0), (200, 0), (3, 70_000), (300, 0), (9_000, 0), (9_000, 70_000)])
  func `integers of all lengths are read at once as they are one by one`(
    _ count: Int, _ textLength: Int
  ) throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 10)
    var dice = Dice(seed: campaign.seed)
    var damagedCount = 0
    for round in 0..<campaign.count {
      var values = (0..<count).map { _ -> Value in
        let bits = dice.next() >> UInt64(dice.pick(64))
        return .integer(Int(truncatingIfNeeded: dice.chance(5) ? ~bits : bits))
      }
      let isPlain = round % 2 == 0
      if !isPlain { for _ in 0...count / 10 { values[dice.pick(count)] = dice.anyValue() } }
      if textLength > 0 { values[0] = .string(String(repeating: "t", count: textLength)) }
      let bytes = try list(of: values)
      try checkIntegers(bytes, "seed \(campaign.seed), round \(round)")
      if isPlain, textLength == 0 {
        var (numbers, others) = ([Int](), [Int]())
        try array(bytes) { $0.readIntegers(into: &numbers, others: &others) }
        #expect(numbers == values.map(\.integer) && others.isEmpty)
      }
      for _ in 0..<(count < 1_000 ? 20 : 2) {
        var damaged = bytes
        // Mostly where the offsets and the references are.
        let end = dice.chance(2) ? min(bytes.count, 4 * count + 40) : bytes.count
        damaged[bytes.count - 1 - dice.pick(end)] = UInt8(dice.pick(256))
        do {
          let isList = try checkIntegers(damaged, "seed \(campaign.seed), round \(round), damaged")
          damagedCount += isList ? 1 : 0
        } catch is PropertyListError {}
      }
    }
    #expect(damagedCount > campaign.count)
  }

  @Test func `of a list with any byte changed, integers are read at once as they are one by one`()
    throws
  {
    let bytes = try list(of: [1, .integer(-1), 300, "text", nil, .integer(70_000), 2])
    for offset in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var damaged = bytes
        damaged[offset] = byte
        do {
          try checkIntegers(damaged, "byte \(byte) at \(offset)")
        } catch is PropertyListError {}
      }
    }
  }

  @Test func `an array does not count in the depth of its elements`() throws {
    func nested(_ depth: Int) -> Value { (0..<depth).reduce(1) { value, _ in .array([value]) } }
    var writer = ByteWriter()
    let deep = nested(Value.largestDepth)
    #expect(try array(list(of: [deep])) { try $0.value(0) } == deep)
    #expect(throws: PropertyListError.self) {
      let deeper = ArrayElement.value(nested(Value.largestDepth + 1))
      try PropertyListWriter.writeArray(of: [deeper], to: &writer)
    }
    #expect(writer.byteCount == 0, "nothing is written where it throws")
  }
}
