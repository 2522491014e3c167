internal import ObjectModel
internal import ObjectQuery

/// The parts of a filter that look at one value each, tested a column at a time.
struct BatchFilter {
  fileprivate struct Part {
    let key: KeyNumber
    let test: ValueTest
    let bytes: ByteTest?
  }

  /// Which integers pass a part that asks for integers. It is without the part's test, which costs a count of
  /// references wherever it is copied.
  private struct Bounds {
    let key: KeyNumber
    let lower: Int
    let upper: Int

    init?(_ key: KeyNumber, _ test: ValueTest) {
      guard let (lower, upper) = test.integerBounds, lower != .min || upper != .max else {
        return nil
      }
      (self.key, self.lower, self.upper) = (key, lower, upper)
    }
  }

  /// Of the first part that asks for integers: these are read all at once.
  private let integers: Bounds?
  /// That part's test.
  private let integerTest: ValueTest?
  /// All others.
  private let parts: [Part]
  /// What the columns do not tell; nil where they tell everything.
  let rest: BoundFilter?

  // Kept from batch to batch.
  private var numbers: [Int] = []
  private var others: [Int] = []

  /// - Parameter filter: nil where all pass.
  init(_ filter: BoundFilter?) {
    var tests = filter?.columnTests ?? []
    let first = tests.firstIndex { key, test in Bounds(key, test) != nil }
    integers = first.flatMap { Bounds(tests[$0].key, tests[$0].test) }
    integerTest = first.map { tests.remove(at: $0).test }
    // What costs least comes first, and leaves fewer to the others.
    let parts = tests.map { key, test in Part(key: key, test: test, bytes: test.byteTest) }
    self.parts =
      parts.filter { $0.test.integerBounds != nil }
      + parts.filter { $0.test.integerBounds == nil && $0.bytes != nil }
      + parts.filter { $0.test.integerBounds == nil && $0.bytes == nil }
    rest = filter?.besideColumnTests
  }

  /// The places of a batch whose rows pass, but for the rest.
  mutating func places(in columns: BatchColumns) throws(StoreError) -> [Int] {
    let batch = columns.batch
    var places: [Int]
    if let integers {
      try readNumbers(of: batch, try columns.column(integers.key))
      places = numbers.indices(from: integers.lower, through: integers.upper)
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
  mutating func count(in batch: RowBatch) throws(StoreError) -> Int {
    guard batch.isWhole, parts.isEmpty else { return try places(in: BatchColumns(batch)).count }
    guard let integers else { return batch.count }
    try readNumbers(of: batch, try batch.column(integers.key))
    return numbers.count(from: integers.lower, through: integers.upper)
  }

  /// Reads the integers of a column into `numbers`, and what is no integer as one that passes or does not.
  private mutating func readNumbers(
    of batch: RowBatch, _ column: RowBatch.Column
  ) throws(StoreError) {
    column.readIntegers(into: &numbers, others: &others)
    guard !others.isEmpty, let integers, let integerTest else { return }
    let (lower, upper) = (integers.lower, integers.upper)
    let (passing, failing) = (lower, lower == .min ? upper + 1 : lower - 1)
    for place in others where batch.hasRow(place) {
      numbers[place] = integerTest.admits(try column.value(place) ?? .null) ? passing : failing
    }
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
