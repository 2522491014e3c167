// Tests that payloads of every size come back through LZ4 frames, and that the lz4 tool reads the same.

import ByteCoding
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct LZ4Frames {
  /// Sizes at which something changes: the small compressor, the four limits, several blocks.
  private static let edges: [Int] =
    [4 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20].flatMap { [$0 - 1, $0, $0 + 1] }
    + [(8 << 20) + 1]

  private static func repetitive(_ count: Int) -> [UInt8] {
    let period = (0..<455).map { UInt8(truncatingIfNeeded: ($0 / 13) % 7 + $0 % 5) }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += period }
    return Array(bytes.prefix(count))
  }

  private static func random(_ count: Int, seed: UInt64) -> [UInt8] {
    var dice = Dice(seed: seed &+ UInt64(count))
    return [UInt8](randomByteCount: count, from: &dice)
  }

  private func payload(of frame: [UInt8], byteCount: Int) -> [UInt8]? {
    var payload = [UInt8](repeating: 0xEE, count: byteCount)
    let isRead = frame.withUnsafeBytes { frame in
      payload.withUnsafeMutableBytes { LZ4Frame.read(frame, into: $0) }
    }
    return isRead ? payload : nil
  }

  private func roundTrip(_ payload: [UInt8], _ name: String) -> [UInt8] {
    let frame = FrameBytes.lz4Frame(of: payload)
    #expect(self.payload(of: frame, byteCount: payload.count) == payload, "\(name)")
    #expect(frame.count <= LZ4Frame.largestByteCount(payloadByteCount: payload.count), "\(name)")
    let isWithinLimits = Limits.allow(payload: UInt64(payload.count), in: UInt64(frame.count))
    #expect(isWithinLimits, "\(name)")
    return frame
  }

  @Test func `payloads of every small size come back`() {
    for count in 0...600 {
      _ = roundTrip(Self.repetitive(count), "\(count) repetitive bytes")
      _ = roundTrip(Self.random(count, seed: 1), "\(count) random bytes")
      _ = roundTrip([UInt8](repeating: 0, count: count), "\(count) zeros")
    }
  }

  @Test(arguments: edges) func `payloads at the edges of blocks come back`(count: Int) {
    let small = roundTrip(Self.repetitive(count), "\(count) repetitive bytes")
    #expect(small.count < count / 10)
    let random = roundTrip(Self.random(count, seed: 2), "\(count) random bytes")
    let blocks = (count + (4 << 20) - 1) / (4 << 20)
    #expect(random.count == 7 + count + 4 * blocks + 4, "what does not compress is stored")
    _ = roundTrip([UInt8](repeating: 0, count: count), "\(count) zeros")
  }

  @Test func `one writer's frames do not depend on those before`() {
    let writer = LZ4FrameWriter()
    var memory = ByteWriter()
    let payloads = [10, 5000, 3, 70_000, 0, 4095, 300_000, 1].map(Self.repetitive)
    for payload in payloads + payloads.reversed() {
      memory.removeAll()
      payload.withUnsafeBytes { writer.write($0, to: &memory) }
      #expect(memory.array == FrameBytes.lz4Frame(of: payload))
    }
  }

  @Test func `the smallest limit is announced that holds the payload`() {
    let limits: [(Int, UInt8)] = [
      (0, 0x40), (1, 0x40), (65_536, 0x40), (65_537, 0x50), (262_144, 0x50), (262_145, 0x60),
      (1_048_576, 0x60), (1_048_577, 0x70), (4_194_304, 0x70), (4_194_305, 0x70),
      (67_108_864, 0x70),
    ]
    for (count, byte) in limits {
      #expect(LZ4Frame.BlockLimit(payloadByteCount: count).rawValue == byte, "\(count) bytes")
    }
    #expect(LZ4Frame.BlockLimit.allCases.map(\.byteCount) == [1 << 16, 1 << 18, 1 << 20, 1 << 22])
    #expect(LZ4Frame.BlockLimit.allCases.last?.byteCount == Limits.blockByteCount)
  }

  /// XXH32 of fewer than four bytes, as its specification has it.
  private func xxh32(_ bytes: [UInt8]) -> UInt32 {
    var hash = UInt32(374_761_393) &+ UInt32(bytes.count)
    for byte in bytes {
      hash = hash &+ UInt32(byte) &* 374_761_393
      hash = (hash << 11 | hash >> 21) &* 2_654_435_761
    }
    hash = (hash ^ hash >> 15) &* 2_246_822_519
    hash = (hash ^ hash >> 13) &* 3_266_489_917
    return hash ^ hash >> 16
  }

  @Test func `the check of each prefix is what the frame format of LZ4 wants`() {
    #expect(xxh32([]) == 0x02CC_5D05)
    for limit in LZ4Frame.BlockLimit.allCases {
      let check = xxh32([LZ4Frame.flags, limit.rawValue]) >> 8
      #expect(limit.prefixCheck == UInt8(truncatingIfNeeded: check), "\(limit)")
    }
    #expect(LZ4Frame.empty == FrameBytes.lz4Frame(of: []))
    #expect(LZ4Frame.prefixByteCount + LZ4Frame.endMarkByteCount == LZ4Frame.empty.count)
  }

  /// What the lz4 tool makes of some bytes; nil where it refuses them.
  private func readByTool(_ bytes: [UInt8]) throws -> [UInt8]? {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appending(path: "xj-\(UUID()).lz4")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let tool = Process()
    tool.executableURL = URL(filePath: "/usr/bin/env")
    tool.arguments = ["lz4", "-dc", file.path]
    let output = Pipe()
    tool.standardOutput = output
    tool.standardError = FileHandle.nullDevice
    try tool.run()
    let read = try output.fileHandleForReading.readToEnd()
    tool.waitUntilExit()
    return tool.terminationStatus == 0 ? [UInt8](read ?? Data()) : nil
  }

  @Test func `a row of frames of every limit is read by the lz4 tool`() throws {
    let payloads = ([0, 1, 100] + Self.edges).flatMap {
      [Self.repetitive($0), Self.random($0, seed: 3)]
    }
    #expect(
      try readByTool(payloads.flatMap(FrameBytes.lz4Frame)) == payloads.flatMap { $0 })
  }

  @Test func `a sealed segment is read by the lz4 tool, and a damaged prefix is not`() throws {
    let payloads = [Self.repetitive(1000), Self.random(70_000, seed: 4), [], [1, 2, 3]]
    var segment = SegmentBuilder(payloads)
    segment.addFooter()
    #expect(try readByTool(segment.bytes) == payloads.flatMap { $0 })
    var frame = FrameBytes.lz4Frame(of: [1, 2, 3])
    frame[6] ^= 1
    #expect(try readByTool(frame) == nil)
  }
}
