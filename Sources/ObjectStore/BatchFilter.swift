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
      places = numbers.indices { $0 >= lower && $0 <= upper }
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
    return numbers.count { $0 >= lower && $0 <= upper }
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
  /// The places whose elements pass. Which do follows no order, so that a branch for each would be guessed
  /// wrong too often.
  @inline(__always)
  fileprivate func indices(_ passes: (Int) -> Bool) -> [Int] {
    [Int](unsafeUninitializedCapacity: count) { places, placeCount in
      for place in indices {
        places[placeCount] = place
        placeCount += passes(self[place]) ? 1 : 0
      }
    }
  }

  @inline(__always)
  fileprivate func count(_ passes: (Int) -> Bool) -> Int {
    var count = 0
    for number in self { count += passes(number) ? 1 : 0 }
    return count
  }
}
