internal import ObjectModel
internal import ObjectQuery

/// The parts of a filter that look at one value each, tested a column at a time.
struct BatchFilter {
  fileprivate struct Part {
    let key: KeyNumber
    let test: ValueTest
    let integers: (lower: Int, upper: Int)?
    let bytes: ByteTest?
  }

  private let parts: [Part]
  /// What the columns do not tell; nil where they tell everything.
  let rest: BoundFilter?

  // Kept from batch to batch.
  private var numbers: [Int] = []
  private var others: [Int] = []

  /// - Parameter filter: nil where all pass.
  init(_ filter: BoundFilter?) {
    let parts = (filter?.columnTests ?? []).map { key, test in
      Part(key: key, test: test, integers: test.integerBounds, bytes: test.byteTest)
    }
    // What costs least comes first, and leaves fewer to the others.
    self.parts =
      parts.filter { $0.integers != nil }
      + parts.filter { $0.integers == nil && $0.bytes != nil }
      + parts.filter { $0.integers == nil && $0.bytes == nil }
    rest = filter?.besideColumnTests
  }

  /// The places of a batch whose rows pass, but for the rest.
  mutating func places(in columns: BatchColumns) throws(StoreError) -> [Int] {
    let batch = columns.batch
    var places: [Int]
    var parts = parts[0...]
    if let first = parts.first, let (lower, upper) = try readIntegers(first, columns) {
      parts.removeFirst()
      places = numbers.indices(from: lower, through: upper)
      if !batch.isWhole { places.removeAll { !batch.hasRow($0) } }
    } else {
      places = batch.isWhole ? Array(0..<batch.count) : (0..<batch.count).filter(batch.hasRow)
    }
    for part in parts where !places.isEmpty {
      let column = try columns.column(part.key)
      var count = 0
      for place in places where try part.admits(column, place) {
        places[count] = place
        count += 1
      }
      places.removeLast(places.count - count)
    }
    return places
  }

  /// How many rows of a batch pass, but for the rest.
  mutating func count(in columns: BatchColumns) throws(StoreError) -> Int {
    let batch = columns.batch
    guard batch.isWhole, parts.count <= 1 else { return try places(in: columns).count }
    guard let only = parts.first else { return batch.count }
    guard let (lower, upper) = try readIntegers(only, columns) else {
      return try places(in: columns).count
    }
    return numbers.count(from: lower, through: upper)
  }

  /// Reads the integers of a column into `numbers`, and what is no integer as one that passes or does not.
  ///
  /// - Returns: between which bounds they pass; nil where the part does not ask for integers.
  private mutating func readIntegers(
    _ part: Part, _ columns: BatchColumns
  ) throws(StoreError) -> (lower: Int, upper: Int)? {
    guard let (lower, upper) = part.integers, lower != .min || upper != .max else { return nil }
    let column = try columns.column(part.key)
    column.readIntegers(into: &numbers, others: &others)
    let passing = lower
    let failing = lower == .min ? upper + 1 : lower - 1
    for place in others where columns.batch.hasRow(place) {
      numbers[place] = part.test.admits(try column.value(place) ?? .null) ? passing : failing
    }
    return (lower, upper)
  }
}

extension BatchFilter.Part {
  fileprivate func admits(_ column: RowBatch.Column, _ place: Int) throws(StoreError) -> Bool {
    if let bytes, let isAdmitted = try column.withText(place, bytes.admits) { return isAdmitted }
    return test.admits(try column.value(place) ?? .null)
  }
}

extension [Int] {
  /// The places of the numbers between two bounds. Which these are follows no order, so that a branch for each would be
  /// guessed wrong too often.
  fileprivate func indices(from lower: Int, through upper: Int) -> [Int] {
    guard lower <= upper else { return [] }
    return [Int](unsafeUninitializedCapacity: count) { places, placeCount in
      for place in indices {
        places[placeCount] = place
        placeCount &+= self[place].isBetween(lower, upper).number
      }
    }
  }

  fileprivate func count(from lower: Int, through upper: Int) -> Int {
    guard lower <= upper else { return 0 }
    var count = 0
    for number in self { count &+= number.isBetween(lower, upper).number }
    return count
  }
}

extension Int {
  /// Whether it is between two bounds of which the first is not the larger: a single comparison, as what is below the
  /// first is as far from it as what is far above.
  @inline(__always)
  fileprivate func isBetween(_ lower: Int, _ upper: Int) -> Bool {
    UInt(bitPattern: self &- lower) <= UInt(bitPattern: upper &- lower)
  }
}

extension Bool {
  /// 1 or 0, without a branch on which of them.
  @inline(__always)
  fileprivate var number: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
