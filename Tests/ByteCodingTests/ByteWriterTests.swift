// Tests that a writer keeps what was written however it grows, and traps where it is misused.

import ByteCoding
import TestSupport
import Testing

@Suite struct ByteWriting {
  @Test func `what was written stays through every growth, from every capacity`() {
    for capacity in 1...40 {
      var writer = ByteWriter(capacity: capacity)
      var expected: [UInt8] = []
      for step in 0..<60 {
        let piece = [UInt8](repeating: UInt8(step), count: step % 9)
        writer.write(piece)
        expected += piece
        #expect(writer.byteCount == expected.count)
      }
      #expect(writer.array == expected)
    }
  }

  @Test func `a piece larger than twice the room is taken whole`() {
    var writer = ByteWriter(capacity: 2)
    let large = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    writer.write([1])
    writer.write(large)
    #expect(writer.array == [1] + large)
  }

  @Test func `integers are written little-endian at any position`() throws {
    var writer = ByteWriter(capacity: 1)
    writer.write(UInt8(0xAB))
    writer.write(UInt16(0x0102))
    writer.write(UInt32(0x0304_0506))
    writer.write(UInt64(0x0708_090A_0B0C_0D0E))
    writer.write(Int32(-2))
    #expect(
      writer.array == [
        0xAB, 2, 1, 6, 5, 4, 3, 0x0E, 0x0D, 0x0C, 0x0B, 0x0A, 9, 8, 7, 0xFE, 0xFF, 0xFF, 0xFF,
      ])
  }

  @Test func `a writer takes in another writer, an array, and nothing`() {
    var inner = ByteWriter()
    inner.write([1, 2, 3])
    var outer = ByteWriter(capacity: 1)
    outer.write(inner)
    outer.write(UnsafeRawBufferPointer(start: nil, count: 0))
    outer.write([])
    [UInt8]([4, 5]).withUnsafeBytes { outer.write($0) }
    #expect(outer.array == [1, 2, 3, 4, 5])
    #expect(inner.array == [1, 2, 3])
  }

  @Test func `forgetting keeps the front that is asked for`() {
    for kept in 0...10 {
      var writer = ByteWriter(capacity: 4)
      writer.write([UInt8](0..<10))
      writer.removeAll(after: kept)
      writer.write([99])
      #expect(writer.array == [UInt8](0..<UInt8(kept)) + [99])
      writer.removeAll()
      #expect(writer.byteCount == 0)
      #expect(writer.array == [])
    }
  }

  @Test func `reserved room is written to directly, and counts once it is advanced over`() {
    var writer = ByteWriter(capacity: 3)
    writer.write([1, 2])
    let room = writer.reserve(100)
    #expect(writer.byteCount == 2)
    for index in 0..<100 { room.storeBytes(of: UInt8(index), toByteOffset: index, as: UInt8.self) }
    writer.advance(by: 0)
    writer.advance(by: 5)
    #expect(writer.array == [1, 2, 0, 1, 2, 3, 4])
    writer.advance(by: 95)
    #expect(writer.byteCount == 102)
  }

  @Test func `bytes that were written can be changed in place`() {
    var writer = ByteWriter()
    writer.write([1, 2, 3])
    writer.overwrite { $0.storeBytes(of: 9, toByteOffset: 1, as: UInt8.self) }
    #expect(writer.array == [1, 9, 3])
    #expect(unsafe(writer) == [1, 9, 3])
  }

  /// What the writer hands out without a closure, while it surely lives.
  private func unsafe(_ writer: borrowing ByteWriter) -> [UInt8] { [UInt8](writer.unsafeBytes) }

  @Test func `a closure's failure comes through with its type`() {
    var writer = ByteWriter()
    writer.write([1])
    let failure = ByteCodingError(code: .bytesLeftOver, offset: 1)
    do throws(ByteCodingError) {
      try writer.withBytes { (_) throws(ByteCodingError) in throw failure }
      Issue.record("the failure did not come through")
    } catch {
      #expect(error == failure)
    }
  }
}

@Suite struct MisuseOfAWriter {
  @Test func `a writer with room for nothing traps`() async {
    await #expect(processExitsWith: .failure) { _ = ByteWriter(capacity: 0) }
  }

  @Test func `forgetting after the end traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = ByteWriter()
      writer.write([1, 2])
      writer.removeAll(after: 3)
    }
  }

  @Test func `advancing past what was reserved traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = ByteWriter(capacity: 4)
      writer.advance(by: 5)
    }
  }

  @Test func `advancing backwards traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = ByteWriter(capacity: 4)
      writer.write([1, 2])
      writer.advance(by: -1)
    }
  }
}
