// Tests the payload of a batch: what is written is read, and every malformed payload is refused.

import ByteCoding
import Journaling
import TestSupport
import Testing

@Suite struct Batches {
  /// What is read of a payload; nil where it is refused.
  private func content(_ payload: [UInt8]) -> Content? {
    payload.withUnsafeBytes { bytes in
      guard let batch = Batch(bytes) else { return nil }
      var content = Content(
        firstEdit: batch.firstEdit.rawValue, editCount: batch.editCount,
        commitCount: batch.commitCount, nextEdit: batch.nextEdit.rawValue)
      batch.forEachEdit { number, entry in
        content.numbers.append(number.rawValue)
        content.edits.append(Entry(entry))
      }
      batch.forEachCommit { content.commits.append(Entry($0)) }
      return content
    }
  }

  private struct Content: Hashable {
    let firstEdit: UInt64
    let editCount: Int
    let commitCount: Int
    let nextEdit: UInt64
    var numbers: [UInt64] = []
    var edits: [Entry] = []
    var commits: [Entry] = []
  }

  private enum Entry: Hashable {
    case whole([UInt8])
    case spanning(Span)

    init(_ entry: Batch.Entry) {
      switch entry {
      case .whole(let bytes): self = .whole([UInt8](bytes))
      case .spanning(let span): self = .spanning(span)
      }
    }
  }

  private func varints(_ values: UInt64...) -> [UInt8] {
    var writer = ByteWriter()
    for value in values { writer.writeVarint(value) }
    return writer.array
  }

  /// The bytes that refer to pieces.
  private func span(
    _ firstFrame: UInt64, _ pieceCount: UInt64, _ byteCount: UInt64, _ check: UInt64 = 77
  ) -> [UInt8] {
    var writer = ByteWriter()
    for value in [firstFrame, pieceCount, byteCount] { writer.writeVarint(value) }
    writer.write(check)
    return writer.array
  }

  /// A batch of one edit that spans pieces.
  private func batch(spanning reference: [UInt8]) -> [UInt8] {
    varints(1, 1, UInt64(reference.count) * 2 + 1) + reference + [0]
  }

  @Test func `what is written is read`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 300)
    var dice = Dice(seed: campaign.seed)
    func entries(_ dice: inout Dice) -> [[UInt8]] {
      (0..<Int.random(in: 0...5, using: &dice)).map { _ in
        [UInt8](randomByteCount: Int.random(in: 0...200, using: &dice), from: &dice)
      }
    }
    for round in 0..<campaign.count {
      let first = UInt64.random(in: 1...(1 << 40), using: &dice)
      let (edits, commits) = (entries(&dice), entries(&dice))
      var writer = ByteWriter()
      writer.writeVarint(first)
      for list in [edits, commits] {
        writer.writeVarint(UInt64(list.count))
        for entry in list { entry.withUnsafeBytes { writer.writeEntry($0, isSpan: false) } }
      }
      #expect(writer.array == batchBytes(firstEdit: first, edits: edits, commits: commits))
      let content = try #require(self.content(writer.array))
      let place: Comment = "seed \(campaign.seed), round \(round)"
      #expect(content.numbers == (0..<UInt64(edits.count)).map { first + $0 }, place)
      #expect(content.edits == edits.map { .whole($0) }, place)
      #expect(content.commits == commits.map { .whole($0) }, place)
      #expect(content.editCount == edits.count && content.commitCount == commits.count, place)
      #expect(content.nextEdit == first + UInt64(edits.count), place)
    }
  }

  @Test func `every cut of a batch and every byte behind it is refused`() {
    let payload =
      batchBytes(firstEdit: 300, edits: [[1, 2, 3], []], commits: [[UInt8](0..<200), [9]])
    #expect(content(payload) != nil)
    for count in 0..<payload.count {
      #expect(content(Array(payload[..<count])) == nil, "\(count) bytes")
    }
    for byte in UInt8.min...UInt8.max { #expect(content(payload + [byte]) == nil) }
  }

  @Test func `numbers that are malformed are refused in every place`() {
    let overlong: [UInt8] = [0x81, 0]
    let tooLarge = [UInt8](repeating: 0xFF, count: 9) + [2]
    for bad in [overlong, tooLarge] {
      #expect(content(bad + varints(0, 0)) == nil)
      #expect(content(varints(1) + bad + [2, 7, 0]) == nil)
      #expect(content(varints(1, 1) + bad + [7, 0]) == nil)
      #expect(content(varints(1, 0) + bad + [2, 7]) == nil)
      #expect(content(varints(1, 0, 1) + bad + [7]) == nil)
    }
  }

  @Test func `counts and lengths that the payload cannot hold are refused`() {
    #expect(content(varints(1, 3, 2) + [7, 0]) == nil)
    #expect(content(varints(1, 0, 2, 2) + [7]) == nil)
    #expect(content(varints(1, 1, 6) + [7, 0]) == nil)
    for large: UInt64 in [1 << 31, 1 << 32, 1 << 62, 1 << 63, .max - 1] {
      #expect(content(varints(1, large, 2) + [7, 0]) == nil, "\(large) edits")
      #expect(content(varints(1, 0, large, 2) + [7]) == nil, "\(large) commits")
      #expect(content(varints(1, 1, large) + [7, 0]) == nil, "an edit of \(large / 2) bytes")
      #expect(content(varints(1, 0, 1, large) + [7]) == nil, "a commit of \(large / 2) bytes")
      #expect(content(varints(1, 1, large + 1) + [7, 0]) == nil, "a reference as long")
    }
  }

  @Test func `edits are numbered from 1`() {
    #expect(content(varints(0, 0, 0)) == nil)
    #expect(content(varints(1, 0, 0))?.nextEdit == 1)
  }

  @Test func `edits whose numbers would begin anew are refused`() {
    let last = Limits.number
    #expect(content(batchBytes(firstEdit: last, edits: [[1], [2]]))?.nextEdit == last + 2)
    #expect(content(batchBytes(firstEdit: last + 1, edits: [[1], [2]])) == nil)
    #expect(content(batchBytes(firstEdit: .max, edits: [[1]])) == nil)
  }

  @Test func `an edit or commit may be in pieces`() throws {
    let reference = span(12, 3, 5000, 0xABCD)
    #expect(reference.count <= Span.largestByteCount)
    let field = UInt64(reference.count) * 2 + 1
    let entry = varints(field) + reference
    let other = self.span(15, 2, 60)
    let otherEntry = varints(UInt64(other.count) * 2 + 1) + other
    let payload = varints(5, 2, 2) + [7] + entry + varints(1) + otherEntry
    let content = try #require(self.content(payload))
    guard case .spanning(let span) = content.edits[1],
      case .spanning(let second)? = content.commits.first
    else { throw UnsoundBytes() }
    #expect(content.edits[0] == .whole([7]))
    #expect(second.firstFrame == FrameNumber(15) && content.commits.count == 1)
    #expect(span.firstFrame == FrameNumber(12))
    #expect(span.lastFrame == FrameNumber(14))
    #expect(span.pieceCount == 3)
    #expect(span.byteCount == 5000)
    #expect(span.check == 0xABCD)
    var writer = ByteWriter()
    var inner = ByteWriter()
    inner.write(reference)
    writer.writeEntry(inner, isSpan: true)
    #expect(writer.array == varints(field) + reference)
  }

  @Test func `a reference to pieces that cannot be is refused`() {
    #expect(content(batch(spanning: span(1, 1, 1))) != nil)
    #expect(content(batch(spanning: span(1, 1 << 30, 1 << 30))) != nil)
    let bad = [
      span(0, 1, 1), span(1, 0, 1), span(1, 1, 0), span(1, 0, 0), span(1, 2, 1),
      span(1, 1, 1 << 30 + 1), span(1, .max, .max), span(1, 1, .max), span(1, .max, 1),
      span(1, 1, 1) + [0], [], [1], [1, 1], [1, 1, 1],
    ]
    for reference in bad { #expect(content(batch(spanning: reference)) == nil, "\(reference)") }
    let good = span(300, 2, 70_000)
    for count in 0..<good.count {
      #expect(content(batch(spanning: Array(good[..<count]))) == nil, "\(count) bytes")
    }
  }

  @Test func `a batch has no more spans, nor longer ones together, than a reader may hold`() {
    func batch(_ spans: [[UInt8]], commits: [[UInt8]] = []) -> [UInt8] {
      func entry(_ span: [UInt8]) -> [UInt8] { varints(UInt64(span.count) * 2 + 1) + span }
      return varints(1, UInt64(spans.count)) + spans.flatMap(entry)
        + varints(UInt64(commits.count)) + commits.flatMap(entry)
    }
    let most = UInt64(Limits.spansByteCount)
    let half = most / 2
    #expect(content(batch([span(1, 1, half), span(2, 1, half)])) != nil)
    #expect(content(batch([span(1, 1, half), span(2, 1, half + 1)])) == nil)
    #expect(content(batch([span(1, 1, half)], commits: [span(2, 1, half)])) != nil)
    #expect(content(batch([span(1, 1, half)], commits: [span(2, 1, half + 1)])) == nil)
    #expect(content(batch([span(1, 1, most)], commits: [span(2, 1, 1)])) == nil)
    let spans = (1...UInt64(Limits.spanCount) + 1).map { span($0, 1, 1) }
    #expect(content(batch(spans.dropLast()))?.editCount == Limits.spanCount)
    #expect(content(batch(spans)) == nil)
    #expect(content(batch(spans.dropLast(), commits: spans.suffix(1))) == nil)
  }

  @Test func `a batch has no more edits or commits than a reader may remember`() {
    func isBatch(_ edits: Int, _ commits: Int) -> Bool {
      // Entries of no bytes take one each.
      let payload =
        varints(1, UInt64(edits)) + [UInt8](repeating: 0, count: edits) + varints(UInt64(commits))
        + [UInt8](repeating: 0, count: commits)
      return payload.withUnsafeBytes { Batch($0) } != nil
    }
    let most = Limits.batchEntryCount
    #expect(isBatch(most, 0) && isBatch(0, most))
    #expect(!isBatch(most + 1, 0) && !isBatch(0, most + 1))
  }

  @Test func `no bytes are no batch`() {
    #expect(Batch(UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
  }

  @Test func `a failure of whoever takes an entry ends the walk`() {
    batchBytes(firstEdit: 1, edits: [[1], [2]], commits: [[3], [4]]).withUnsafeBytes { bytes in
      var taken = 0
      #expect(throws: UnsoundBytes.self) {
        try Batch(bytes)?.forEachEdit { _, _ in
          taken += 1
          throw UnsoundBytes()
        }
      }
      #expect(throws: UnsoundBytes.self) {
        try Batch(bytes)?.forEachCommit { _ in
          taken += 1
          throw UnsoundBytes()
        }
      }
      #expect(taken == 2)
    }
  }

  @Test(arguments: [(12, 1, true), (11, 1, false), (1, 10, false), (1, 9, true), (10, 2, false)])
  func `a piece belongs to one edit or commit`(
    firstFrame: UInt64, pieceCount: UInt64, isSound: Bool
  ) {
    func entry(_ span: [UInt8]) -> [UInt8] { varints(UInt64(span.count) * 2 + 1) + span }
    let (one, other) = (entry(span(10, 2, 5_000)), entry(span(firstFrame, pieceCount, 5_000)))
    // Of two edits, of two commits, of an edit and a commit, in either order.
    for (first, second) in [(one, other), (other, one)] {
      #expect((content(varints(5, 2) + first + second + varints(0)) != nil) == isSound)
      #expect((content(varints(5, 0, 2) + first + second) != nil) == isSound)
      #expect((content(varints(5, 1) + first + varints(1) + second) != nil) == isSound)
    }
  }
}
