import DiskAccess
import ObjectStore

/// What it takes to open one thing, in a process that does nothing else.
struct Opening {
  let seconds: Double
  /// What of the process is in memory then, what it shares with others too.
  let residentMegabytes: Double
  /// The most that was.
  let peakMegabytes: Double
  /// How many bytes it has read from files.
  let readByteCount: Double

  /// Opens something, once, and closes it again.
  init(of what: String, at path: String) throws {
    let before = try Self.number("rchar", in: "io")
    var close: () throws -> Void = {}
    var stopwatch = Stopwatch(PosixDisk())
    try stopwatch.time {
      if what == "ours" { close = try NoteStore(path) { $0.makesStore = false }.store.close }
      if let kind = PeerKind(rawValue: what) {
        let peer = try kind.open(path)
        _ = try peer.rank(of: 1)
        close = peer.close
      }
    }
    seconds = stopwatch.seconds
    readByteCount = try Self.number("rchar", in: "io") - before
    residentMegabytes = try Self.number("VmRSS", in: "status") * 1024 / 1e6
    peakMegabytes = try Self.number("VmHWM", in: "status") * 1024 / 1e6
    try close()
  }

  /// Reads what `line` says.
  init?(line: String) {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 4 else { return nil }
    (seconds, residentMegabytes, peakMegabytes, readByteCount) =
      (numbers[0], numbers[1], numbers[2], numbers[3])
  }

  var line: String { "\(seconds) \(residentMegabytes) \(peakMegabytes) \(readByteCount)" }

  /// What the system says of this process behind a name.
  private static func number(_ name: String, in fileName: String) throws -> Double {
    let file = try PosixDisk().folderForReading(at: "/proc/self").fileForReading(fileName)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix(name + ":") }?.split { $0 == " " || $0 == "\t" }
    guard let words, words.count > 1, let number = Double(words[1]) else {
      throw BenchError.wrongResult("\(name) in \(fileName)")
    }
    return number
  }
}
