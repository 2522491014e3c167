// Every byte cut, zeroed, scrambled or aged, and every bit flipped, in journals of many shapes.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct Corruption {
  @Test func `no cut and no flipped bit of a segment goes unnoticed or is misjudged`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_CASES", inGate: 500_000)
    let tally = Tally()
    var round: UInt64 = 0
    while tally["cases"] < campaign.count {
      let corpora = try JournalCorpus.all(seed: campaign.seed &+ round &* 1_000)
      tally.count("journals", corpora.count)
      try onBothCores(corpora.count) { index in
        let vandal = Vandal(corpora[index], seed: campaign.seed &+ UInt64(index), tally)
        vandal.cutEverywhere()
        vandal.flipEverywhere()
      }
      round += 1
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["journals"] >= 20)
    #expect(tally["of another life"] > 1_000 && tally["as wide as the window"] > 400)
    #expect(tally["torn"] > 1_000 && tally["damaged"] > 1_000 && tally["whole"] > 1_000)
  }

  @Test func `every flipped bit and every cut of a manifest is damage`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_CASES", inGate: 1)
    let tally = Tally()
    for corpus in try JournalCorpus.all(seed: campaign.seed) {
      let path = "store/MANIFEST"
      let bytes = try #require(corpus.disk.contents(of: path))
      let cuts = bytes.indices.map { Array(bytes[..<$0]) }
      let flips = (0..<bytes.count * 8).map { bytes.flipping(bit: $0) }
      for changed in cuts + flips {
        tally.count("cases")
        let disk = try corpus.disk.image(changing: path, to: changed)
        #expect {
          try Journal.open(on: disk, at: "store", options: .small)
        } throws: { error in
          guard case .damaged(let finding) = error as? JournalError else { return false }
          return finding.kind == .manifestDamaged
        }
        #expect(disk.contents(of: path) == changed)
      }
    }
    print("seed \(campaign.seed): \(tally.summary)")
  }

  @Test func `damage to the edit buffer costs only the edits from it on, and that is told`()
    throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_CASES", inGate: 1)
    let tally = Tally()
    let ending: [Step] = [.append, .edit, .edit, .edit, .edit]
    let corpora = try JournalCorpus.all(seed: campaign.seed &+ 1, endingIn: ending)
      .filter { !$0.name.hasSuffix("close") }.prefix(6).map { $0 }
    try onBothCores(corpora.count) { index in
      do { try damageEdits(of: corpora[index], tally) } catch { tally.violation("\(error)") }
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    for lost in 0...4 { #expect(tally["cost \(lost)"] > 500, "\(lost)") }
  }

  private func damageEdits(of corpus: JournalCorpus, _ tally: Tally) throws {
    let path = "store/edits"
    guard let bytes = corpus.disk.contents(of: path) else {
      return tally.violation("\(corpus.name): no edit buffer")
    }
    let (whole, report) = try Self.recovered(corpus.disk.imageAfterProcessDeath())
    let leftover = whole.editCount - 3...whole.editCount
    guard report.recoveredEditCount == 4, let places = EditPlaces(of: leftover, in: bytes) else {
      return tally.violation("\(corpus.name): \(report)")
    }
    func judge(_ changed: [UInt8], costs cost: Int, _ deed: @autoclosure () -> String) throws {
      tally.count("cases")
      tally.count("cost \(cost)")
      let disk = try corpus.disk.image(changing: path, to: changed)
      let (content, report) = try Self.recovered(disk)
      let isRight =
        content.fault == nil && content.commitCount == whole.commitCount
        && whole.editCount - content.editCount == cost && report.recoveredEditCount == 4 - cost
        && (cost == 0 || report.findings.count == 1 && report.editBufferSavedAs != nil)
      if !isRight {
        tally.violation("\(corpus.name), \(deed()), to cost \(cost): \(content), \(report)")
      }
    }
    for bit in 0..<bytes.count * 8 {
      let cost = places.lossAfterChange(at: bit / 8)
      try judge(bytes.flipping(bit: bit), costs: cost, "bit \(bit) of edits")
    }
    // A file that is shorter than its header demands holds no edits.
    for count in 1..<bytes.count {
      try judge(Array(bytes[..<count]), costs: 4, "edits cut at \(count)")
    }
  }

  private static func recovered(
    _ disk: SimulatedDisk
  ) throws -> (JournalContent, RecoveryReport) {
    let (journal, report) = try Journal.open(on: disk, at: "store", options: .small)
    let content = try JournalContent(on: disk, at: "store")
    try journal.close()
    return (content, report)
  }
}

/// Damages one journal in every way, one at a time, and compares the verdict with the truth.
private struct Vandal {
  private let corpus: JournalCorpus
  private let seed: UInt64
  private let tally: Tally

  init(_ corpus: JournalCorpus, seed: UInt64, _ tally: Tally) {
    self.corpus = corpus
    self.seed = seed
    self.tally = tally
  }

  func cutEverywhere() {
    var dice = Dice(seed: seed)
    for segment in corpus.segments {
      let other = corpus.otherLife.segmentBytes[segment.path] ?? []
      let parting = zip(segment.bytes, other).prefix { $0 == $1 }.count
      for position in segment.bytes.indices {
        let kept = segment.bytes[..<position]
        let rest = segment.bytes.count - position
        judge(segment, Array(kept), "cut at \(position)")
        judge(segment, kept + Array(repeating: 0, count: rest), "zeros from \(position)")
        let noise = (0..<rest).map { _ in UInt8.random(in: 0...255, using: &dice) }
        judge(segment, kept + noise, "noise from \(position)")
        if position > parting {
          let stale = Array(other.dropFirst(position))
          tally.count("of another life")
          judge(segment, kept + stale, "of another life from \(position)")
        }
        if position % 61 == 0 {
          // About as much as may be unsynced: a little less, and a little more.
          let wide = corpus.windowByteCount + Int.random(in: -60...60, using: &dice)
          tally.count("as wide as the window")
          let noise = (0..<wide).map { _ in UInt8.random(in: 1...255, using: &dice) }
          judge(segment, kept + noise, "\(wide) bytes of noise from \(position)")
        }
      }
    }
  }

  func flipEverywhere() {
    for segment in corpus.segments {
      for bit in 0..<segment.bytes.count * 8 {
        judge(segment, segment.bytes.flipping(bit: bit), "bit \(bit) flipped")
      }
    }
  }

  private func judge(
    _ segment: JournalCorpus.Segment, _ bytes: [UInt8], _ deed: @autoclosure () -> String
  ) {
    // With the edit buffer, as after the end of a process; without it, as after a loss of power that
    // took it, where only the frames themselves can testify.
    for hasEditBuffer in [true, false] {
      tally.count("cases")
      let expected = ExpectedVerdict(corpus, segment, became: bytes, hasEditBuffer: hasEditBuffer)
      tally.count("\(expected.kind)")
      do {
        let disk = try corpus.disk.image(changing: segment.path, to: bytes)
        if !hasEditBuffer { try disk.folder(at: "store").remove("edits") }
        let actual = try verdict(on: disk, segment.path, bytes)
        if actual != expected {
          tally.violation(
            "\(corpus.name), \(segment.path), \(deed()), edit buffer \(hasEditBuffer): "
              + "expected \(expected), got \(actual)")
        }
      } catch {
        tally.violation("\(corpus.name), \(segment.path), \(deed()): \(error)")
      }
    }
  }

  /// What the journal makes of a disk: first a reader, then an opening for writing.
  private func verdict(
    on disk: SimulatedDisk, _ path: String, _ bytes: [UInt8]
  ) throws -> ExpectedVerdict {
    let readable = try readableFrameCount(on: disk)
    do {
      let (journal, report) = try Journal.open(
        on: disk, at: "store", options: .small, checkingFrom: FrameNumber(1))
      // Behind those frames there may now be one more, of edits that only the buffer held.
      let recovered = try readableFrameCount(on: disk, comparing: readable)
      guard recovered >= readable else { return .init(.damaged, frameCount: -1) }
      try journal.close()
      return ExpectedVerdict(report.tornTail == nil ? .whole : .torn, frameCount: readable)
    } catch let error as JournalError {
      guard case .damaged = error, disk.contents(of: path) == bytes else {
        return .init(.damaged, frameCount: -2)
      }
      return ExpectedVerdict(.damaged, frameCount: readable)
    }
  }

  /// How many frames a reader delivers, of which the first must be what they were.
  private func readableFrameCount(
    on disk: SimulatedDisk, comparing compared: Int = .max
  ) throws -> Int {
    var count = 0
    var isTrue = true
    do throws(JournalError) {
      let reader = try JournalReader(at: "store", on: disk)
      _ = try reader.forEachFrame { frame in
        if corpus.frames.indices.contains(count), count < compared {
          let truth = corpus.frames[count]
          isTrue =
            isTrue && frame.number == truth.number && frame.payload.elementsEqual(truth.payload)
        }
        count += 1
        return true
      }
    } catch {
      guard case .damaged = error else { throw error }
    }
    return isTrue ? count : -3
  }
}

extension SimulatedDisk {
  /// An independent disk with another content of one file.
  fileprivate func image(changing path: String, to bytes: [UInt8]) throws -> SimulatedDisk {
    let image = imageAfterProcessDeath()
    try image.setContents(path, bytes)
    return image
  }
}
