import DiskAccess
import Testing

/// What is looked for in bytes is found, wherever it is.
@Suite struct BytesTests {
  @Test func `bytes are the same where none differs and none is missing`() {
    let bytes: [UInt8] = [1, 2, 3, 0]
    bytes.withUnsafeBytes { one in
      for count in 0...4 {
        let beginning = UnsafeRawBufferPointer(rebasing: one[..<count])
        #expect(one.isSame(as: beginning) == (count == 4))
        var other = Array(beginning)
        other.withUnsafeBytes { #expect(beginning.isSame(as: $0)) }
        guard count > 0 else { continue }
        other[count - 1] ^= 1
        other.withUnsafeBytes { #expect(!beginning.isSame(as: $0)) }
      }
    }
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(none.isSame(as: none))
  }

  @Test func `one byte that is not zero is enough, wherever it is`() {
    #expect(UnsafeRawBufferPointer(start: nil, count: 0).isZero)
    for count in 0...40 {
      var bytes = [UInt8](repeating: 0, count: count)
      #expect(bytes.withUnsafeBytes { $0.isZero })
      for place in 0..<count {
        bytes[place] = 1
        #expect(!bytes.withUnsafeBytes { $0.isZero }, "\(place) of \(count)")
        bytes[place] = 0
      }
    }
  }

  @Test func `a byte is found where it comes first`() {
    let bytes: [UInt8] = [7, 0, 200, 7, 0]
    for byte: UInt8 in [7, 0, 200, 1] {
      #expect(bytes.withUnsafeBytes { $0.firstIndex(ofByte: byte) } == bytes.firstIndex(of: byte))
    }
    #expect(UnsafeRawBufferPointer(start: nil, count: 0).firstIndex(ofByte: 0) == nil)
  }
}
