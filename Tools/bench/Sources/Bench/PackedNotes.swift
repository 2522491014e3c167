/// Writes notes into memory as a program would that knows nothing else: for the floor, and for a peer that
/// stores bytes.
struct PackedWriter {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  mutating func write(byte: UInt8) {
    memory[count] = byte
    count += 1
  }

  mutating func write(number: Int) {
    var rest = UInt64(number)
    while rest >= 0x80 {
      write(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    write(byte: UInt8(rest))
  }

  mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      write(number: bytes.count)
      memory[count..<(count + bytes.count)].copyBytes(from: bytes)
      count += bytes.count
    }
  }

  mutating func write(_ real: Double) {
    memory.storeBytes(of: real, toByteOffset: count, as: Double.self)
    count += 8
  }

  /// The fixed ones first, so that one of them can be read without the others.
  mutating func write(_ note: Note) {
    write(note.created)
    write(note.score)
    write(byte: note.isDone ? 1 : 0)
    write(number: note.rank)
    write(note.title)
    write(note.text)
  }

  mutating func write(_ attribute: NoteChange.Attribute) {
    switch attribute {
    case .title(let title):
      write(byte: 0)
      write(title)
    case .rank(let rank):
      write(byte: 1)
      write(number: rank)
    case .score(let score):
      write(byte: 2)
      write(score)
    }
  }
}

/// Reads what `PackedWriter` wrote.
struct PackedReader {
  private let memory: UnsafeRawBufferPointer
  private var place = 0

  init(_ memory: UnsafeRawBufferPointer) { self.memory = memory }

  var isAtEnd: Bool { place >= memory.count }

  mutating func byte() -> UInt8 {
    defer { place += 1 }
    return memory[place]
  }

  mutating func number() -> Int {
    var (number, shift) = (UInt64(0), UInt64(0))
    while true {
      let byte = byte()
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int(number) }
      shift += 7
    }
  }

  mutating func text() -> String {
    let count = number()
    defer { place += count }
    return String(decoding: memory[place..<(place + count)], as: UTF8.self)
  }

  mutating func real() -> Double {
    defer { place += 8 }
    return memory.loadUnaligned(fromByteOffset: place, as: Double.self)
  }

  /// The rank of a note, without the rest.
  mutating func rank() -> Int {
    place += 17
    return number()
  }

  /// The title of a note whose rank was just read.
  mutating func title() -> String { text() }

  mutating func note(_ number: Int) -> Note {
    let (created, score, isDone, rank) = (real(), real(), byte() == 1, self.number())
    return Note(
      number: number, title: text(), text: text(), rank: rank, created: created, score: score,
      isDone: isDone)
  }

  mutating func attribute() -> NoteChange.Attribute {
    switch byte() {
    case 0: .title(text())
    case 1: .rank(number())
    default: .score(real())
    }
  }
}
