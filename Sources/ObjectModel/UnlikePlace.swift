/// A place in which two rows of bytes or elements differ: what stands between what they have in common.
struct UnlikePlace {
  var old: Range<Int>
  var new: Range<Int>

  /// How much stands there.
  var count: Int { old.count + new.count }
}

// Bytes are compared eight at a time.
extension UnsafeRawBufferPointer {
  /// What stands so near to each other is told as one place.
  private static var shortestKept: Int { 16 }
  /// How far is looked for where two rows go on alike, where both have something of their own.
  private static var searchedCount: Int { 128 }
  /// How much one of the two may have of its own, about, where the other has much.
  private static var ownCounts: [Int] { [0, 32, 128, 512] }
  /// In shorter values that is not looked for: where they have nothing in common it costs more than to write them.
  private static var shortestSearched: Int { 16_384 }
  /// More places than a value is mostly edited in at once; what is behind the last of them is one with it.
  private static var mostPlaces: Int { 64 }
  /// In shorter values, and where less differs, looking for places costs more than it saves.
  private static var shortestDivided: (whole: Int, place: Int) { (4096, 64) }

  /// Where these bytes and others differ, at least one place, which is empty where they do not: between what they have
  /// in common at their beginnings and ends, and where much stands there, the places in it.
  ///
  /// - Parameter isText: whether they are UTF-8, of which a character's bytes stay together, in what is kept and in the
  ///   places.
  ///
  /// Costs: time in proportion to the bytes, and some microseconds for each place.
  func places(unlike other: UnsafeRawBufferPointer, isText: Bool) -> [UnlikePlace] {
    let whole = middle(unlike: other, isText)
    let least = Self.shortestDivided
    if Swift.max(count, other.count) < least.whole || whole.count < least.place { return [whole] }
    var places: [UnlikePlace] = []
    var rest = whole
    let isLong = Swift.max(count, other.count) >= Self.shortestSearched
    var patience = isLong ? count + other.count : 0
    while places.count < Self.mostPlaces - 1,
      let (kept, end) = goesOn(in: rest, other, isText, &patience)
    {
      places.append(
        UnlikePlace(
          old: rest.old.lowerBound..<kept.old, new: rest.new.lowerBound..<kept.new))
      rest.old = end.old..<rest.old.upperBound
      rest.new = end.new..<rest.new.upperBound
    }
    if rest.count > 0 { places.append(rest) }
    return places
  }

  private typealias Position = (old: Int, new: Int)

  /// What stands between what two rows have in common at their beginnings and ends.
  private func middle(unlike other: UnsafeRawBufferPointer, _ isText: Bool) -> UnlikePlace {
    let shorter = Swift.min(count, other.count)
    var prefix = common(from: (0, 0), to: (shorter, shorter), other)
    var suffix = 0
    while prefix + suffix + 8 <= shorter,
      word(count - suffix - 8) == other.word(other.count - suffix - 8)
    { suffix += 8 }
    while prefix + suffix < shorter, self[count - suffix - 1] == other[other.count - suffix - 1] {
      suffix += 1
    }
    if isText {
      while isWithinCharacter(prefix) || other.isWithinCharacter(prefix) { prefix -= 1 }
      suffix = Swift.min(suffix, shorter - prefix)
      while isWithinCharacter(count - suffix) { suffix -= 1 }
    }
    return UnlikePlace(old: prefix..<count - suffix, new: prefix..<other.count - suffix)
  }

  /// Where two rows that differ at the beginning of a place go on alike within it, and how far; nil where they do not.
  private func goesOn(
    in place: UnlikePlace, _ other: UnsafeRawBufferPointer, _ isText: Bool, _ patience: inout Int
  ) -> (kept: Position, end: Position)? {
    guard var kept = found(in: place, other, &patience) else { return nil }
    let kind = common(from: kept, to: (place.old.upperBound, place.new.upperBound), other)
    var end = (old: kept.old + kind, new: kept.new + kind)
    if isText {
      while kept.old < end.old, isWithinCharacter(kept.old) {
        kept = (kept.old + 1, kept.new + 1)
      }
      while end.old > kept.old, isWithinCharacter(end.old) || other.isWithinCharacter(end.new) {
        end = (end.old - 1, end.new - 1)
      }
    }
    return kept.old < end.old ? (kept, end) : nil
  }

  /// Where two rows that differ at the beginning of a place have some bytes in common next: nearby, where both have
  /// something of their own, or anywhere, where only one has.
  ///
  /// - Parameter patience: how many bytes may be looked through yet.
  private func found(
    in place: UnlikePlace, _ other: UnsafeRawBufferPointer, _ patience: inout Int
  ) -> Position? {
    let (old, new) = (place.old, place.new)
    let room = (old: old.count - Self.shortestKept, new: new.count - Self.shortestKept)
    guard room.old >= 0, room.new >= 0 else { return nil }
    for sum in 1...Self.searchedCount {
      let least = Swift.max(0, sum - room.new)
      let most = Swift.min(sum, room.old)
      if least > most { break }
      for own in least...most {
        let position = (old: old.lowerBound + own, new: new.lowerBound + sum - own)
        if isLike(other, at: position) { return position }
      }
    }
    return foundFar(in: place, other, &patience)
  }

  /// The same, where one of the two has much of its own and the other little.
  private func foundFar(
    in place: UnlikePlace, _ other: UnsafeRawBufferPointer, _ patience: inout Int
  ) -> Position? {
    let (old, new) = (place.old, place.new)
    let room = (old: old.count - Self.shortestKept, new: new.count - Self.shortestKept)
    let own = Self.ownCounts.filter { $0 <= Swift.min(room.old, room.new) }
    let olds = own.map { word(old.lowerBound + $0) }
    let news = own.map { other.word(new.lowerBound + $0) }
    var far = 0
    while far < Swift.max(room.old, room.new), patience > 0 {
      far += 1
      patience -= 1
      if far <= room.new {
        let next = other.word(new.lowerBound + far)
        for (index, mine) in olds.enumerated() where mine == next {
          let position = (old: old.lowerBound + own[index], new: new.lowerBound + far)
          if isLike(other, at: position) { return begin(of: position, in: place, other) }
        }
      }
      if far <= room.old {
        let next = word(old.lowerBound + far)
        for (index, theirs) in news.enumerated() where theirs == next {
          let position = (old: old.lowerBound + far, new: new.lowerBound + own[index])
          if isLike(other, at: position) { return begin(of: position, in: place, other) }
        }
      }
    }
    return nil
  }

  /// Where what is alike at a position begins.
  private func begin(
    of position: Position, in place: UnlikePlace, _ other: UnsafeRawBufferPointer
  ) -> Position {
    var begin = position
    while begin.old > place.old.lowerBound, begin.new > place.new.lowerBound,
      self[begin.old - 1] == other[begin.new - 1]
    { begin = (begin.old - 1, begin.new - 1) }
    return begin
  }

  /// Whether the next bytes, as many as are worth to be kept, are alike.
  private func isLike(_ other: UnsafeRawBufferPointer, at position: Position) -> Bool {
    word(position.old) == other.word(position.new)
      && word(position.old + 8) == other.word(position.new + 8)
  }

  /// How many bytes are alike from two positions on.
  private func common(
    from begin: Position, to end: Position, _ other: UnsafeRawBufferPointer
  ) -> Int {
    let most = Swift.min(end.old - begin.old, end.new - begin.new)
    var count = 0
    while count + 8 <= most, word(begin.old + count) == other.word(begin.new + count) { count += 8 }
    while count < most, self[begin.old + count] == other[begin.new + count] { count += 1 }
    return count
  }

  private func word(_ offset: Int) -> UInt64 {
    loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// Whether a character of UTF-8 has begun before an offset and goes on there.
  private func isWithinCharacter(_ offset: Int) -> Bool {
    offset < count && self[offset] & 0xC0 == 0x80
  }
}
