internal import JournalInspection
internal import Synchronization

/// How far long work has come, in one line of a terminal that is written over; nothing where there is no terminal.
final class ProgressLine: Sendable {
  private let deed: String
  private let isShown: Bool
  private let shown = Mutex(-1)
  private let write: @Sendable ([UInt8]) -> Void

  init(_ deed: String, _ output: Output) {
    self.deed = deed
    isShown = output.console.isErrorTerminal && !output.isJSON
    nonisolated(unsafe) let console = output.console
    write = { console.writeError($0) }
  }

  /// Says how much of it is done, from 0 to 1.
  func tell(_ fraction: Double) {
    guard isShown else { return }
    let percent = Int(fraction * 100)
    let isNew = shown.withLock { shown in
      defer { shown = percent }
      return shown != percent
    }
    if isNew { write(Array("\r\(deed): \(percent) %".utf8)) }
  }

  /// Takes the line away.
  func end() {
    guard isShown else { return }
    write(Array("\r\u{1B}[K".utf8))
  }
}
