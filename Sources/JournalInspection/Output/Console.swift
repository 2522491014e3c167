/// The terminal or pipe that the tool talks to: all that it asks of the process it runs in.
package protocol Console: AnyObject {
  var environment: [String: String] { get }
  var isOutputTerminal: Bool { get }
  var isErrorTerminal: Bool { get }
  /// How many characters a line of the terminal has.
  var width: Int { get }

  /// Writes to the standard output.
  func write(_ bytes: [UInt8]) -> ConsoleWriting

  /// Writes to the standard error output.
  func writeError(_ bytes: [UInt8])

  /// Reads the standard input to its end; nil where that fails, or it has more bytes.
  func readInput(atMost byteCount: Int) -> [UInt8]?

  /// Hands what is written from here on to a program that shows it page by page. Where it cannot be run, that is told, and
  /// what was written is shown as it is.
  func startPager(_ command: String)

  /// Waits until that program has ended.
  func endPager()

  /// Waits a while.
  ///
  /// - Returns: whether to go on: not where whoever was reading has gone.
  func pause(milliseconds: Int) -> Bool
}

/// What became of bytes that were written.
package enum ConsoleWriting: Hashable, Sendable {
  case written
  /// Whoever was reading has gone.
  case closed
  /// The system refused, for this reason.
  case failed(String)
}
