import DiskAccess
import Glibc
import ManagedObjects
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
  /// How many bytes are no object's: values that the store's cache holds, as objects that were read hold none, and the
  /// array that the objects are in here.
  let valueByteCount: Double

  /// How many objects are held where `objects` is opened.
  static let objectCount = 100_000

  /// Opens something, once, and closes it again.
  init(of what: String, at path: String) throws {
    let before = try Self.number("rchar", in: "io")
    var close: () throws -> Void = {}
    var valueByteCount = 0.0
    var held: (context: NoteContext, notes: [StoredNote])?
    var stopwatch = Stopwatch(PosixDisk())
    try stopwatch.time {
      if what == "ours" {
        let store = try NoteStore(path) { $0.makesStore = false }
        _ = try store.rank(of: 1)
        close = store.store.close
      }
      if what == "objects" {
        let store = try NoteStore(path) {
          $0.makesStore = false
          $0.cacheByteCount = 1 << 20
        }
        let notes = NoteContext(store)
        let count = try notes.context.count(FetchRequest("StoredNote"))
        var objects: [StoredNote] = []
        objects.reserveCapacity(Self.objectCount)
        for number in 1...min(Self.objectCount, count) {
          let note = try notes.note(number)
          guard note.title != nil, note.text != nil else {
            throw BenchError.wrongResult("note \(number) has no text")
          }
          objects.append(note)
        }
        valueByteCount = Double(store.store.cachedByteCount + 8 * objects.count)
        held = (notes, objects)
        close = store.store.close
      }
      if let kind = PeerKind(rawValue: what) {
        let peer = try kind.open(path)
        _ = try peer.rank(of: 1)
        close = peer.close
      }
    }
    seconds = stopwatch.seconds
    readByteCount = try Self.number("rchar", in: "io") - before
    residentMegabytes = try Self.residentMegabytes
    peakMegabytes = try Self.peakMegabytes
    self.valueByteCount = valueByteCount
    extendLifetime(held)
    try close()
  }

  /// What of this process is in memory now.
  static var residentMegabytes: Double {
    get throws { try number("VmRSS", in: "status") * 1024 / 1e6 }
  }

  /// The most that was in memory since this was last forgotten.
  static var peakMegabytes: Double {
    get throws { try number("VmHWM", in: "status") * 1024 / 1e6 }
  }

  static func forgetPeak() throws {
    guard let file = fopen("/proc/self/clear_refs", "w") else {
      throw BenchError.output("/proc/self/clear_refs", errno)
    }
    fputs("5", file)
    guard fclose(file) == 0 else { throw BenchError.output("/proc/self/clear_refs", errno) }
  }

  /// How long processors have worked for this process so far.
  static var processorSeconds: Double {
    get throws {
      // Behind the name of the program, which may have blanks in it: in user mode, and in the system, in ticks.
      let fields = try text(of: "stat").split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
        throw BenchError.wrongResult("times in stat")
      }
      return (user + system) / 100
    }
  }

  /// Reads what `line` says.
  init?(line: String) {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 5 else { return nil }
    (seconds, residentMegabytes, peakMegabytes, readByteCount, valueByteCount) =
      (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
  }

  var line: String {
    "\(seconds) \(residentMegabytes) \(peakMegabytes) \(readByteCount) \(valueByteCount)"
  }

  /// What the system says of this process behind a name.
  private static func number(_ name: String, in fileName: String) throws -> Double {
    let lines = try text(of: fileName).split(separator: "\n")
    let words = lines.first { $0.hasPrefix(name + ":") }?.split { $0 == " " || $0 == "\t" }
    guard let words, words.count > 1, let number = Double(words[1]) else {
      throw BenchError.wrongResult("\(name) in \(fileName)")
    }
    return number
  }

  private static func text(of fileName: String) throws -> String {
    let file = try PosixDisk().folderForReading(at: "/proc/self").fileForReading(fileName)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
