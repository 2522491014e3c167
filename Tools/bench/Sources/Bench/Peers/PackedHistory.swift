/// The changes of notes, as a peer keeps them that stores bytes: by note and save, each with the value that it
/// replaced.
enum PackedHistory {
  typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  /// The note's number, the save's and the place in it, as bytes that are in this order.
  struct Key {
    private let words: (UInt32, UInt32, UInt32)

    init(_ number: Int, _ save: Int, _ place: Int) {
      words = (UInt32(number).bigEndian, UInt32(save).bigEndian, UInt32(place).bigEndian)
    }
  }

  /// That a note was made.
  static func writeInsertion(to writer: inout PackedWriter) { writer.write(byte: 9) }

  /// What a change replaced.
  static func write(_ change: NoteChange, of old: Note, to writer: inout PackedWriter) {
    switch change.attribute {
    case .title: writer.write(.title(old.title))
    case .rank: writer.write(.rank(old.rank))
    case .score: writer.write(.score(old.score))
    }
  }

  /// Takes the changes after a save back from a note.
  ///
  /// - Parameter entry: the note's first change that is looked at; then that of another note.
  static func takeBack(
    from note: inout Note, after save: Int, _ entry: inout Entry?, next: () throws -> Entry?
  ) rethrows {
    var taken: [NoteChange.Attribute] = []
    while let (key, value) = entry, number(key) == note.number {
      if Self.save(key) > save, let old = old(value) { taken.append(old) }
      entry = try next()
    }
    for old in taken.reversed() { NoteChange(number: note.number, attribute: old).apply(to: &note) }
  }

  /// Goes over notes and changes at once: they have the same order.
  static func pastRanks(
    after save: Int, nextNote: () throws -> (number: Int, value: UnsafeRawBufferPointer)?,
    nextChange: () throws -> Entry?
  ) rethrows -> (sum: Int, count: Int) {
    var change = try nextChange()
    var (sum, count) = (0, 0)
    while let (number, value) = try nextNote() {
      var reader = PackedReader(value)
      var note = reader.note(number)
      try takeBack(from: &note, after: save, &change, next: nextChange)
      sum += note.rank
      count += 1
    }
    return (sum, count)
  }

  private static func number(_ key: UnsafeRawBufferPointer) -> Int {
    Int(UInt32(bigEndian: key.loadUnaligned(as: UInt32.self)))
  }

  private static func save(_ key: UnsafeRawBufferPointer) -> Int {
    Int(UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
  }

  /// The value that a change replaced; nil where it made the note.
  private static func old(_ value: UnsafeRawBufferPointer) -> NoteChange.Attribute? {
    if value[0] == 9 { return nil }
    var reader = PackedReader(value)
    return reader.attribute()
  }
}
