internal import Synchronization

/// How far long work has come, how fast it goes and how long it will still take, in one line of a terminal that is
/// written over. Of short work nothing is shown.
package final class ProgressLine: Sendable {
  private struct Work {
    var deed: String
    var start: UInt64
    var expectedByteCount: UInt64 = 0
    var byteCount: UInt64 = 0
    /// How much is done, where that is not told in bytes.
    var fraction: Double?
    /// When it was shown last; nil where nothing is shown.
    var shown: UInt64?
  }

  /// How long nothing is shown, and how often what is shown changes.
  private static let (patience, interval): (UInt64, UInt64) = (1_000_000_000, 200_000_000)

  private let clock: @Sendable () -> UInt64
  private let write: @Sendable ([UInt8]) -> Void
  private let work: Mutex<Work>

  /// - Parameters:
  ///   - clock: nanoseconds that only grow.
  ///   - write: writes to the terminal.
  package init(
    _ deed: String, clock: @escaping @Sendable () -> UInt64,
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.clock = clock
    self.write = write
    work = Mutex(Work(deed: deed, start: clock()))
  }

  /// Says how much will be read, roughly.
  package func expect(_ byteCount: UInt64) { work.withLock { $0.expectedByteCount = byteCount } }

  /// Says that so much more has been read.
  func add(_ byteCount: Int) {
    let now = clock()
    work.withLock { work in
      work.byteCount += UInt64(byteCount)
      show(&work, now)
    }
  }

  /// Says how much is done of something else, from 0 to 1.
  package func tell(_ deed: String, _ fraction: Double) {
    let now = clock()
    work.withLock { work in
      if work.deed != deed || work.fraction == nil { (work.deed, work.start) = (deed, now) }
      work.fraction = fraction
      show(&work, now)
    }
  }

  /// Takes the line away; it may come again.
  func clear() { work.withLock { clear(&$0) } }

  /// Takes the line away for good.
  package func end() {
    work.withLock { work in
      clear(&work)
      work.start = .max
    }
  }

  private func clear(_ work: inout Work) {
    if work.shown != nil { write(Array("\r\u{1B}[K".utf8)) }
    work.shown = nil
  }

  private func show(_ work: inout Work, _ now: UInt64) {
    guard now >= work.start, now - work.start >= Self.patience,
      work.shown.map({ now - $0 >= Self.interval }) ?? true
    else { return }
    work.shown = now
    write(Array("\r\u{1B}[K\(Self.text(work, Double(now - work.start) / 1e9))".utf8))
  }

  private static func text(_ work: Work, _ seconds: Double) -> String {
    var parts: [String] = []
    var done = work.fraction
    if done == nil, work.expectedByteCount > 0 {
      // What there is to read is known roughly.
      done = min(0.99, Double(work.byteCount) / Double(work.expectedByteCount))
    }
    if let done { parts.append("\(Int(done * 100)) %") }
    if work.fraction == nil {
      parts.append("\(Wording.bytes(Int(Double(work.byteCount) / seconds)))/s")
    }
    if let done, done >= 0.01, done < 1 {
      parts.append("\(duration(seconds * (1 - done) / done)) left")
    }
    return "\(work.deed): \(parts.joined(separator: ", "))"
  }

  private static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<90: "\(Int(seconds.rounded(.up))) s"
    case ..<5400: "\(Int((seconds / 60).rounded())) min"
    default: "\(Int((min(seconds, 1e9) / 3600).rounded())) h"
    }
  }
}
