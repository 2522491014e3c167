// Tests the verdict about a segment's end for every combination of what it rests on.

import Journaling
import Testing

@Suite struct TailVerdicts {
  private static let kinds: [Finding.Kind] = [
    .notAFrame, .sealDamaged, .bodyDamaged, .frameCutShort, .footerDamaged, .foreignFrame,
    .framesMissing(found: FrameNumber(12)), .framesSwapped(found: FrameNumber(12)),
    .frameRepeated(found: FrameNumber(3)), .linkBroken,
    .frameMalformed, .frameNewer(format: 2, flags: 0), .bytesAfterFooter,
  ]

  /// What a write that did not come to its end may leave, and nothing else.
  private static let torn: Set<Finding.Kind> = [
    .notAFrame, .sealDamaged, .bodyDamaged, .frameCutShort, .footerDamaged,
  ]

  private let lost = Finding(
    .framesLost(through: FrameNumber(11)), "journal/0000000001.xj", at: 900,
    expected: FrameNumber(10))

  private func evidence(
    _ kind: Finding.Kind?, durable: UInt64, bad: UInt64, isSealed: Bool
  ) -> TailVerdict.Evidence {
    TailVerdict.Evidence(
      finding: kind.map {
        Finding($0, "journal/0000000001.xj", at: 900, expected: FrameNumber(10))
      }, lost: lost, durableThrough: FrameNumber(durable), badByteCount: bad,
      windowByteCount: 4096, isSealed: isSealed)
  }

  @Test func `frames that were durable and are not there are damage, whatever stands there`() {
    for kind in Self.kinds.map(Optional.init) + [nil] {
      for (durable, bad, isSealed) in combinations where durable >= 10 {
        let evidence = evidence(kind, durable: durable, bad: bad, isSealed: isSealed)
        #expect(
          TailVerdict(evidence)
            == .damaged(evidence.finding ?? lost, .knownDurable(through: FrameNumber(durable))))
      }
    }
  }

  @Test func `a sealed segment that does not end well is damaged`() {
    for kind in Self.kinds.map(Optional.init) + [nil] {
      for (durable, bad, isSealed) in combinations where durable < 10 && isSealed {
        let evidence = evidence(kind, durable: durable, bad: bad, isSealed: true)
        #expect(TailVerdict(evidence) == .damaged(evidence.finding ?? lost, .segmentSealed))
      }
    }
  }

  @Test func `an active segment is torn only by what a write may leave, within the window`() {
    for kind in Self.kinds {
      for (durable, bad, isSealed) in combinations where durable < 10 && !isSealed {
        let evidence = evidence(kind, durable: durable, bad: bad, isSealed: false)
        let finding = Finding(
          kind, "journal/0000000001.xj", at: 900, expected: FrameNumber(10))
        let expected: TailVerdict =
          if !Self.torn.contains(kind) {
            .damaged(finding, .notTorn)
          } else if bad > 4096 {
            .damaged(finding, .widerThanWindow)
          } else {
            .torn(finding, byteCount: bad)
          }
        #expect(TailVerdict(evidence) == expected, "\(kind), \(durable), \(bad)")
      }
    }
  }

  @Test func `an active segment at whose end nothing stands is whole`() {
    for (durable, bad, isSealed) in combinations where durable < 10 && !isSealed {
      #expect(TailVerdict(evidence(nil, durable: durable, bad: bad, isSealed: false)) == .whole)
    }
  }

  /// Durable before, right before, at and after the expected frame; nothing bad, as much as the window
  /// holds, and more; sealed and active.
  private var combinations: [(durable: UInt64, bad: UInt64, isSealed: Bool)] {
    [0, 9, 10, 11, UInt64.max].flatMap { durable in
      [0, 1, 4096, 4097, UInt64.max].flatMap { bad in
        [(durable, bad, false), (durable, bad, true)]
      }
    }
  }
}
