import Foundation

/// Where the demo speaks: with colours and pauses on a terminal, plain and at once in a pipe.
struct Stage {
  private let isTerminal = isatty(1) == 1
  private let hasColour =
    isatty(1) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  private var actCount = 0

  /// Begins an act.
  mutating func act(_ title: String) {
    pause(1.2)
    actCount += 1
    print("\n" + styled("\(actCount). \(title)", "1;36"))
    pause(0.4)
  }

  /// Shows a line of what happens.
  func show(_ line: String) {
    print("   " + line)
    pause(0.35)
  }

  /// Shows code that has just run.
  func code(_ line: String) { show(styled(line, "2")) }

  /// Shows what a program has said.
  func quote(_ text: String) {
    for line in text.split(separator: "\n") { print("   " + styled("│ ", "36") + line) }
    pause(0.7)
  }

  /// Shows that a promise was kept.
  func cheer(_ line: String) { show(styled("✓ ", "1;32") + line) }

  func heading(_ text: String) { print("\n" + styled(text, "1")) }

  private func styled(_ text: String, _ style: String) -> String {
    hasColour ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
  }

  private func pause(_ seconds: Double) {
    guard isTerminal else { return }
    fflush(nil)
    Thread.sleep(forTimeInterval: seconds)
  }
}
