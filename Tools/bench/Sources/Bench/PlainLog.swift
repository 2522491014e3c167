import CLZ4
import CXXHash
import DiskAccess

/// The floor of what is written and read in bulk: a log of notes and of what changed in them, compressed,
/// checked and synced a save at a time, and nothing else.
final class PlainLog {
  private let file: any DiskFile
  private var end: UInt64 = 0
  private var raw = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
  private var stored = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 << 20, alignment: 8)

  private static let headByteCount = 16

  init(_ path: String, _ disk: PosixDisk) throws {
    file = try disk.folder(at: path).file("log", .existingOrNew)
    end = try file.information().byteCount
  }

  deinit {
    raw.deallocate()
    stored.deallocate()
  }

  func insert(_ notes: [Note]) throws {
    var writer = PackedWriter(raw)
    for note in notes {
      writer.write(byte: 1)
      writer.write(number: note.number)
      writer.write(note)
    }
    try write(writer.count)
  }

  func update(_ changes: [NoteChange]) throws {
    var writer = PackedWriter(raw)
    for change in changes {
      writer.write(byte: 2)
      writer.write(number: change.number)
      writer.write(change.attribute)
    }
    try write(writer.count)
  }

  private func write(_ count: Int) throws {
    let head = Self.headByteCount
    let storedCount = LZ4_compress_default(
      raw.assumingMemoryBound(to: CChar.self).baseAddress,
      stored.assumingMemoryBound(to: CChar.self).baseAddress?.advanced(by: head), Int32(count),
      Int32(stored.count - head))
    stored.storeBytes(of: UInt32(storedCount), as: UInt32.self)
    stored.storeBytes(of: UInt32(count), toByteOffset: 4, as: UInt32.self)
    let check = XXH3_64bits(stored.baseAddress?.advanced(by: head), Int(storedCount))
    stored.storeBytes(of: check, toByteOffset: 8, as: UInt64.self)
    let block = UnsafeRawBufferPointer(rebasing: stored[..<(head + Int(storedCount))])
    try file.write(block, at: end)
    try file.syncData()
    end += UInt64(block.count)
  }

  /// Reads the log from a place on, a save at a time.
  ///
  /// - Parameter body: takes a reader of the save's bytes; returns whether to go on.
  func forEachSave(from first: UInt64 = 0, _ body: (inout PackedReader) -> Bool) throws {
    var place = first
    while place < end {
      let head = Self.headByteCount
      guard try file.read(into: .init(rebasing: stored[..<head]), at: place) == head else { return }
      let storedCount = Int(stored.load(as: UInt32.self))
      let count = Int(stored.load(fromByteOffset: 4, as: UInt32.self))
      let check = stored.load(fromByteOffset: 8, as: UInt64.self)
      let block = UnsafeMutableRawBufferPointer(rebasing: stored[head..<(head + storedCount)])
      _ = try file.read(into: block, at: place + UInt64(head))
      guard XXH3_64bits(block.baseAddress, block.count) == check,
        LZ4_decompress_safe(
          block.assumingMemoryBound(to: CChar.self).baseAddress,
          raw.assumingMemoryBound(to: CChar.self).baseAddress, Int32(storedCount),
          Int32(raw.count)) == count
      else { throw BenchError.wrongResult("the log") }
      var reader = PackedReader(UnsafeRawBufferPointer(rebasing: raw[..<count]))
      guard body(&reader) else { return }
      place += UInt64(head + storedCount)
    }
  }

  /// Where the next save goes.
  var byteCount: UInt64 { end }

  /// All notes as some saves left them, the first ones.
  func notes(after saveCount: Int) throws -> [Note] {
    var notes: [Note] = []
    var left = saveCount
    try forEachSave { reader in
      while !reader.isAtEnd {
        if reader.byte() == 1 {
          let number = reader.number()
          notes.append(reader.note(number))
        } else {
          let number = reader.number()
          NoteChange(number: number, attribute: reader.attribute()).apply(to: &notes[number - 1])
        }
      }
      left -= 1
      return left > 0
    }
    return notes
  }
}
