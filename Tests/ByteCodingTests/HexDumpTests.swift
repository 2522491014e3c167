// Tests that a hex dump shows every byte once, where it stands, and in lines of one width.

import ByteCoding
import Testing

@Suite struct HexDumps {
  private func lines(_ bytes: [UInt8], from offset: UInt64 = 0) -> [String] {
    bytes.withUnsafeBytes { HexDump.lines($0, from: offset) }
  }

  @Test func `a line shows position, bytes and what they spell`() {
    #expect(
      lines(Array("Hello, journal!\n".utf8) + [0, 0x7E, 0x7F, 0xFF], from: 0x1000) == [
        "00001000  48 65 6c 6c 6f 2c 20 6a  6f 75 72 6e 61 6c 21 0a  |Hello, journal!.|",
        "00001010  00 7e 7f ff                                       |.~..|",
      ])
  }

  @Test func `no bytes make no lines`() {
    #expect(lines([]) == [])
    #expect(HexDump.lines(UnsafeRawBufferPointer(start: nil, count: 0)) == [])
  }

  @Test func `lines of every length line up and hold every byte`() {
    for count in 1...50 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
      let lines = lines(bytes)
      #expect(lines.count == (count + 15) / 16)
      let bars = Set(lines.map { $0.prefix { $0 != "|" }.count })
      #expect(bars == [60], "of \(count) bytes: \(lines)")
      let shown = lines.flatMap { line in
        line.prefix { $0 != "|" }.split(separator: " ").dropFirst().compactMap {
          UInt8($0, radix: 16)
        }
      }
      #expect(shown == bytes)
    }
  }

  @Test func `only what prints is spelled`() {
    for byte in UInt8.min...UInt8.max {
      let expected = (0x20...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : "."
      #expect(lines([byte]).first?.hasSuffix("|\(expected)|") == true)
    }
  }

  @Test func `positions need not fit eight digits, and wrap without a trap`() {
    #expect(lines([1], from: 0x12_3456_789A).first?.hasPrefix("123456789a  01") == true)
    let wrapped = lines([UInt8](repeating: 0, count: 17), from: .max)
    #expect(wrapped.last?.hasPrefix("0000000f ") == true)
  }

  @Test func `a number has at least as many digits as asked for`() {
    #expect(HexDump.hexadecimal(0, digits: 1) == "0")
    #expect(HexDump.hexadecimal(0xAB, digits: 4) == "00ab")
    #expect(HexDump.hexadecimal(0xABCDE, digits: 4) == "abcde")
    #expect(HexDump.hexadecimal(.max, digits: 0) == "ffffffffffffffff")
  }
}
