import Glibc
import JournalInspection

/// The terminal or pipe of this process.
final class Terminal: Console {
  private var output: Int32 = 1
  private var pager: Pager?

  init() {
    // A reader that has gone, and a file that may not become longer, are told by the write, and are no reason to be
    // killed.
    for number in Self.toldByWrites { signal(number, SIG_IGN) }
  }

  private static let toldByWrites = [SIGPIPE, SIGXFSZ]

  static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  /// Whether all that was typed is UTF-8; the words that the process has are mended where it is not.
  static var argumentsAreText: Bool {
    (0..<Int(CommandLine.argc)).allSatisfy { place in
      CommandLine.unsafeArgv[place].map { String(validatingCString: $0) != nil } ?? true
    }
  }

  let isOutputTerminal = isatty(1) == 1
  let isErrorTerminal = isatty(2) == 1

  var environment: [String: String] {
    var environment: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return environment
  }

  var width: Int {
    var size = winsize()
    return ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  func writeError(_ bytes: [UInt8]) { _ = Self.write(bytes, to: 2) }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> ConsoleWriting {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        return .closed
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        return .failed(String(cString: strerror(errno)))
      }
    }
    return .written
  }

  func readInput(atMost byteCount: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = piece.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count > 0 {
        bytes += piece[..<count]
        guard bytes.count <= byteCount else { return nil }
      } else if errno != EINTR {
        return nil
      }
    }
  }

  /// A pager's process, and what it may not have read yet; nil as soon as it is certain that it reads.
  private struct Pager {
    let process: pid_t
    let command: String
    var unread: [UInt8]? = []
    /// What an interrupt did before: it is the pager's, which shows what there is, or ends.
    let interrupt: __sighandler_t?
  }

  func startPager(_ command: String) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    var child = pid_t()
    let words = ["sh", "-c", command]
    let arguments = words.map { strdup($0) } + [nil]
    // Colours are to be seen, and what fits on the screen needs no pager.
    let usual = ["LESS": "FRX", "LV": "-c"].filter { getenv($0.key) == nil }
    let entries = Self.entries(with: usual).map { strdup($0) } + [nil]
    defer { for text in arguments + entries { free(text) } }
    let interrupt = signal(SIGINT, SIG_IGN)
    var attributes = Self.usualSignals(Self.toldByWrites + [SIGINT])
    defer { posix_spawnattr_destroy(&attributes) }
    let result = posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, entries)
    close(ends[0])
    guard result == 0 else {
      close(ends[1])
      signal(SIGINT, interrupt)
      return
    }
    output = ends[1]
    pager = Pager(process: child, command: command, interrupt: interrupt)
  }

  func write(_ bytes: [UInt8]) -> ConsoleWriting {
    pager?.unread?.append(contentsOf: bytes)
    let result = Self.write(bytes, to: output)
    guard let unread = pager?.unread else { return result }
    switch result {
    case .written where unread.count > Self.pipeByteCount: pager?.unread = nil
    case .closed: return endPager(writing: unread)
    case .written, .failed: break
    }
    return result
  }

  /// More than a pipe holds of what nobody has read.
  private static let pipeByteCount = 1 << 20

  func endPager() { _ = endPager(writing: pager?.unread) }

  /// Waits until the pager has ended. Where there was none to be run, what it has not read is written as it is, and so is
  /// what follows.
  ///
  /// - Returns: what became of that; closed, where the pager has ended in another way.
  private func endPager(writing unread: [UInt8]?) -> ConsoleWriting {
    guard let pager else { return .closed }
    close(output)
    (output, self.pager) = (1, nil)
    var status: Int32 = 0
    while waitpid(pager.process, &status, 0) < 0, errno == EINTR {}
    signal(SIGINT, pager.interrupt)
    // A shell ends so that has not found what it was to run, or may not run it.
    guard let unread, [126 << 8, 127 << 8].contains(status) else { return .closed }
    writeError(Array("xjournal: the pager ‘\(pager.command)’ cannot be run.\n".utf8))
    return Self.write(unread, to: 1)
  }

  /// What a program begins with: some signals do what they are used to. It is killed by writing to who has gone, or beyond
  /// what a file may have.
  private static func usualSignals(_ numbers: [Int32] = toldByWrites) -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  /// The environment, with some variables as they are to be.
  private static func entries(with variables: [String: String]) -> [String] {
    var entries = variables.map { "\($0.key)=\($0.value)" }
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if !variables.keys.contains(where: { text.hasPrefix($0 + "=") }) { entries.append(text) }
      next += 1
    }
    return entries
  }

  /// Runs a program, by its path or one of the folders of PATH. What it writes goes to the standard error output: the
  /// standard output has only what the tool says itself.
  ///
  /// - Returns: the status it ended with, 128 and the signal's number where one ended it; nil where it could not be run.
  static func run(_ words: [String], _ variables: [String: String]) -> Int32? {
    let arguments = words.map { strdup($0) } + [nil]
    let entries = entries(with: variables).map { strdup($0) } + [nil]
    defer { for text in arguments + entries { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, 2, 1)
    var attributes = Self.usualSignals()
    defer { posix_spawnattr_destroy(&attributes) }
    var child = pid_t()
    guard posix_spawnp(&child, words[0], &actions, &attributes, arguments, entries) == 0 else {
      return nil
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  func pause(milliseconds: Int) -> Bool {
    // Who waits for what is to be written next does not notice otherwise that nobody reads it any more.
    var waiting = pollfd(fd: output, events: 0, revents: 0)
    guard poll(&waiting, 1, Int32(clamping: milliseconds)) > 0 else { return true }
    return waiting.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
  }
}
