// What a small hostile store may cost in memory when it is opened. Each in a process of its own, which measures
// itself.

import ByteCoding
import DiskSimulation
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct MemoryBounds {
  @Test func `a large edit in pieces is checked in no more memory than a few pieces take`() async {
    await #expect(processExitsWith: .success) {
      let (pieceByteCount, count) = (Limits.payloadByteCount, 16)
      let piece = [UInt8](repeating: 0, count: pieceByteCount)
      let span = Span(
        firstFrame: FrameNumber(1), pieceCount: count, byteCount: pieceByteCount * count, check: 0)
      var store = StoreBuilder([
        HostileSegment.sealed((1...count).map { _ in piece }, kind: .piece)
      ])
      var half = EditBufferBytes.Half(from: 1, [HostileSegment.bytes(of: span)])
      half.spans = [0]
      store.edits?.halves = [half, nil]
      let disk = try store.disk()
      let memory = try Memory()
      let report = try Journal.open(on: disk, at: "store", options: HostileSegment.options).report
      #expect(report.recoveredEditCount == 0)
      // The piece, the window over the segment, and room for what the allocator keeps.
      try memory.expect(atMost: 5 * pieceByteCount)
    }
  }

  @Test func `a batch of many names of pieces is refused in little more memory than it takes`()
    async
  {
    await #expect(processExitsWith: .success) {
      var writer = ByteWriter()
      let span = Span(firstFrame: FrameNumber(1), pieceCount: 1, byteCount: 1, check: 0)
      let entry = HostileSegment.bytes(of: span)
      let count = (Limits.payloadByteCount - 16) / (entry.count + 1)
      for field in [1, UInt64(count)] { writer.writeVarint(field) }
      for _ in 0..<count { entry.withUnsafeBytes { writer.writeEntry($0, isSpan: true) } }
      writer.writeVarint(0)
      let payload = writer.withBytes { Array($0) }
      let store = StoreBuilder([HostileSegment.sealed([payload], kind: .batch)])
      let disk = try store.disk()
      let memory = try Memory()
      #expect(throws: JournalError.self) {
        try Journal.open(on: disk, at: "store", options: HostileSegment.options)
      }
      try memory.expect(atMost: 3 * Limits.payloadByteCount)
    }
  }

  @Test func `a manifest of many attachments is refused in little more memory than it takes`() async
  {
    await #expect(processExitsWith: .success) {
      for name in ["", "a"] {
        var fields = ManifestBytes()
        let one = ManifestBytes.Attachment(name)
        let count = (Limits.manifestByteCount - 200) / (6 + name.utf8.count)
        fields.attachments = [ManifestBytes.Attachment](repeating: one, count: count)
        let disk = try StoreBuilder(payloads: []).disk()
        try disk.setContents("store/MANIFEST", fields.encoded())
        let memory = try Memory()
        #expect(throws: JournalError.self) {
          try Journal.open(on: disk, at: "store", options: HostileSegment.options)
        }
        try memory.expect(atMost: 2 * Limits.manifestByteCount)
      }
    }
  }
}

/// Segments of frames that are too large to be put together byte by byte.
private enum HostileSegment {
  static var options: JournalOptions {
    var options = JournalOptions.small
    options.windowByteCount = 1 << 20  // as the builders' headers have it
    return options
  }

  static func bytes(of span: Span) -> [UInt8] {
    var writer = ByteWriter()
    span.write(to: &writer)
    return writer.withBytes { Array($0) }
  }

  static func sealed(_ payloads: [[UInt8]], kind: FrameKind) -> SegmentBuilder {
    var segment = SegmentBuilder()
    var sealer = FrameSealer()
    var check = segment.header.previousBodyCheck
    for (index, payload) in payloads.enumerated() {
      let place = FrameSealer.Place(
        number: FrameNumber(UInt64(index + 1)), previousBodyCheck: check, durableThrough: .none,
        salt: segment.header.salt)
      check = payload.withUnsafeBytes { sealer.seal($0, kind, at: place) }
      segment.add(bytes: Array(sealer.unsafeBytes))
    }
    return segment
  }
}

/// The memory of this process from now on.
private struct Memory {
  private let before: Int

  init() throws {
    // The highest mark is what is taken now, from here on.
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    before = try Self.highestByteCount()
  }

  func expect(atMost byteCount: Int) throws {
    let taken = try Self.highestByteCount() - before
    #expect(taken <= byteCount, "\(taken >> 20) MiB were taken")
  }

  private static func highestByteCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    let number = try #require(
      line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    return number << 10
  }
}
