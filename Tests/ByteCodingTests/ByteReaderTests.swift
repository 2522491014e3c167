// Tests that a reader reads what is there, at every position, and refuses what is not, moving nothing.

import ByteCoding
import TestSupport
import Testing

@Suite struct ByteReading {
  private let bytes = [UInt8](1...32)

  private func integers<Integer: FixedWidthInteger & Sendable>(_ type: Integer.Type) throws {
    let size = MemoryLayout<Integer>.size
    for start in 0...9 {
      for cut in start...start + size {
        let front = Array(bytes[..<cut])
        try front.read { reader throws in
          _ = try reader.readBytes(start)
          if cut < start + size {
            #expect(throws: ByteCodingError(code: .endOfBytes, offset: start)) {
              try reader.readInteger(type)
            }
            #expect(reader.offset == start, "a failed read moves nothing")
          } else {
            let expected = (0..<size).reduce(Integer(0)) {
              $0 | Integer(truncatingIfNeeded: start + $1 + 1) << Integer($1 * 8)
            }
            #expect(try reader.readInteger(type) == expected)
            #expect(reader.offset == cut)
            #expect(reader.remainingByteCount == 0)
          }
        }
      }
    }
  }

  @Test func `integers of every width are little-endian and end with the bytes`() throws {
    try integers(UInt8.self)
    try integers(UInt16.self)
    try integers(UInt32.self)
    try integers(UInt64.self)
    try integers(Int8.self)
    try integers(Int16.self)
    try integers(Int32.self)
    try integers(Int64.self)
  }

  @Test func `the type of an integer may be told by what it is for`() throws {
    let value: UInt16 = try bytes.read { try $0.readInteger() }
    #expect(value == 0x0201)
  }

  @Test func `bytes are handed out in place, for every length that there is`() throws {
    for start in 0...bytes.count {
      for count in 0...bytes.count + 1 {
        try bytes.read { reader throws in
          _ = try reader.readBytes(start)
          if start + count <= bytes.count {
            #expect(try Array(reader.readBytes(count)) == Array(bytes[start..<start + count]))
            #expect(reader.offset == start + count)
          } else {
            #expect(throws: ByteCodingError(code: .endOfBytes, offset: start)) {
              try reader.readBytes(count)
            }
            #expect(reader.offset == start)
          }
        }
      }
    }
    #expect(throws: ByteCodingError(code: .endOfBytes, offset: 0)) {
      try bytes.read { _ = try $0.readBytes(.max) }
    }
  }

  @Test func `nothing can be read of no bytes`() throws {
    var reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(try reader.readBytes(0).isEmpty)
    try reader.expectEnd()
    #expect(throws: ByteCodingError(code: .endOfBytes, offset: 0)) {
      try reader.readInteger(UInt8.self)
    }
    #expect(throws: ByteCodingError(code: .endOfBytes, offset: 0)) { try reader.readVarint() }
    #expect(throws: ByteCodingError(code: .endOfBytes, offset: 0)) {
      try reader.readCount(ofAtLeast: 1)
    }
  }

  @Test func `the end is only where no byte is left`() throws {
    for count in 0...bytes.count {
      try bytes.read { reader throws in
        _ = try reader.readBytes(count)
        if count == bytes.count {
          try reader.expectEnd()
        } else {
          #expect(throws: ByteCodingError(code: .bytesLeftOver, offset: count)) {
            try reader.expectEnd()
          }
        }
      }
    }
  }

  @Test func `a count is refused where its things cannot be in the bytes that are left`() throws {
    for size in 1...5 {
      for following in 0...24 {
        for count in 0...30 {
          let bytes = [UInt8(count)] + [UInt8](repeating: 0, count: following)
          try bytes.read { reader throws in
            if count * size <= following {
              #expect(try reader.readCount(ofAtLeast: size) == count)
              #expect(reader.offset == 1)
            } else {
              #expect(throws: ByteCodingError(code: .countTooLarge, offset: 0)) {
                try reader.readCount(ofAtLeast: size)
              }
              #expect(reader.offset == 0)
            }
          }
        }
      }
    }
  }

  @Test func `the largest count is refused and allocates nothing`() throws {
    let bytes = [UInt8](repeating: 0xFF, count: 9) + [1, 0, 0]
    try bytes.read { reader throws in
      #expect(throws: ByteCodingError(code: .countTooLarge, offset: 0)) {
        try reader.readCount(ofAtLeast: 1)
      }
      #expect(throws: ByteCodingError(code: .countTooLarge, offset: 0)) {
        try reader.readCount(ofAtLeast: .max)
      }
      #expect(try reader.readVarint() == .max)
    }
  }

  @Test func `every fault is one clause that names its place`() {
    let codes: [ByteCodingError.Code] = [
      .endOfBytes, .integerTooLarge, .integerNotShortest, .countTooLarge, .bytesLeftOver,
    ]
    let texts = codes.map { ByteCodingError(code: $0, offset: 4711).description }
    #expect(Set(texts).count == codes.count)
    for text in texts { #expect(text.hasSuffix(", at byte 4711") && text.count > 20, "\(text)") }
  }
}

@Suite struct MisuseOfAReader {
  @Test func `reading fewer than no bytes traps`() async {
    await #expect(processExitsWith: .failure) {
      try [UInt8](1...9).read { _ = try $0.readBytes(-1) }
    }
  }

  @Test func `counting things of no bytes traps`() async {
    await #expect(processExitsWith: .failure) {
      try [UInt8](1...9).read { _ = try $0.readCount(ofAtLeast: 0) }
    }
  }
}
