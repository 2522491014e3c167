import CLMDB
import CSQLite
import CXXHash
import CLZ4
import Glibc

/// What a run has measured, and on what.
struct Results {
  let options: Options
  let comparisons: [Comparison]

  /// What figures depend on: the machine, the versions, and what was asked for.
  private var settings: [(name: String, value: String)] {
    var name = utsname()
    let hasName = uname(&name) == 0
    let kernel = withUnsafeBytes(of: &name.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let pages = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    return [
      ("processor", Self.processor ?? "unknown"),
      ("cores", "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))"),
      ("memory", "\(pages >> 30) GiB"), ("kernel", hasName ? kernel : "unknown"),
      ("compiler", Self.told("XJ_BENCH_SWIFT")),
      ("SQLite", String(cString: sqlite3_libversion()) + ", " + SQLitePeer.words),
      ("LMDB", String(cString: mdb_version(nil, nil, nil)) + ", " + LMDBPeer.words),
      ("RocksDB", Self.told("XJ_BENCH_ROCKSDB") + ", " + RocksDBSettings.words),
      ("XJournal", "cache \(NoteStore.ampleCacheByteCount >> 20) MiB where rows are read warm"),
      ("LZ4", String(cString: LZ4_versionString())), ("xxHash", "\(XXH_versionNumber())"),
      ("rows", thousands(Double(options.rows))), ("rounds", "\(options.rounds)"),
    ]
  }

  /// What the script says that starts this.
  private static func told(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? "unknown"
  }

  private static var processor: String? {
    guard let file = fopen("/proc/cpuinfo", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix("model name"), let colon = text.firstIndex(of: ":") {
        return String(text[text.index(colon, offsetBy: 2)...].prefix { $0 != "\n" })
      }
    }
    return nil
  }

  /// The figures for people.
  var table: String {
    let rows = [Comparison.header] + comparisons.map(\.row)
    let widths = Comparison.header.indices.map { column in rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(
        separator: "  ")
    }.joined(separator: "\n")
  }

  /// The figures for a document.
  var markdown: String {
    let rows = [Comparison.header, Comparison.header.map { _ in "---" }] + comparisons.map(\.row)
    let lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
    let settings = settings.map { "\($0.name) \($0.value)" }.joined(separator: " · ")
    return lines.joined(separator: "\n") + "\n\n\(settings)\n"
  }

  /// The figures for programs.
  var json: String {
    let settings = settings.map { "\(quoted($0.name)): \(quoted($0.value))" }
    return """
      {"settings": {\(settings.joined(separator: ", "))},
      "lines": [
      \(comparisons.map(\.json).joined(separator: ",\n"))
      ]}

      """
  }

  /// The figures as a page that needs nothing else.
  var page: String {
    let settings = settings.map { "\($0.name) \($0.value)" }.joined(separator: " · ")
    let missed = comparisons.filter { !$0.isReached }.map(\.line)
    return """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>XJournal, measured</title>
      <style>
      :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
      body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
      h2 { font-size: 1rem; margin: 2rem 0 .3rem } p { margin: .2rem 0; opacity: .8 }
      .row { display: grid; grid-template-columns: 10rem 1fr 9rem; gap: .6rem; align-items: center }
      .row span:last-child { text-align: right; font-variant-numeric: tabular-nums }
      .bar { height: .9rem; border-radius: 2px; background: #8a8f98; min-width: 1px }
      .ours { background: #2563eb } .floor { background: none; outline: 1px dashed #8a8f98 }
      .missed { color: #dc2626; font-weight: 600; opacity: 1 }
      </style>
      <h1>XJournal, measured</h1>
      <p>\(escaped(settings))</p>
      <p>\(missed.isEmpty ? "Every goal is reached." : "Missed: \(escaped(missed.joined(separator: ", "))).")</p>
      \(comparisons.map(\.section).joined(separator: "\n"))
      </html>

      """
  }

  /// Writes what was asked for into files, and prints the rest.
  func tell() throws {
    if options.json != "-" { print(table) }
    for (path, text) in [
      (options.json, json), (options.page, page), (options.markdown, markdown),
    ] {
      guard let path else { continue }
      if path == "-" {
        print(text, terminator: "")
      } else {
        try Self.write(text, to: path)
      }
    }
  }

  private static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw BenchError.output(path, errno) }
    let written = fputs(text, file)
    guard fclose(file) == 0, written >= 0 else { throw BenchError.output(path, errno) }
  }
}

extension Comparison {
  /// A heading and a bar for each that was measured, the longest for the largest figure.
  fileprivate var section: String {
    var bars = [("XJournal", median(ours), "bar ours")]
    if !floor.isEmpty { bars.append(("floor", median(floor), "bar floor")) }
    bars += peers.map { ($0.name, median($0.measured), "bar") }
    let longest = bars.map(\.1).max() ?? 0
    let rows = bars.map { name, value, kind in
      let width = longest > 0 ? value / longest * 100 : 0
      return """
        <div class="row"><span>\(escaped(name))</span><div class="\(kind)" style="width:\(fixed(width))%"></div>\
        <span>\(escaped(unit.text(value)))</span></div>
        """
    }
    let verdict = goals.isEmpty ? "" : " Goal: \(goal), \(isReached ? "reached" : "missed")."
    let mark = isReached ? "" : #" class="missed""#
    let durability =
      syncs.counted.isEmpty ? "" : "\n<p>Syncs a save: \(escaped(syncs.words)).</p>"
    let isBetter = unit == .perSecond ? "More is better." : "Less is better."
    return """
      <h2>\(escaped(line)): \(escaped(what))</h2>
      <p\(mark)>\(isBetter)\(escaped(verdict))</p>\(durability)
      \(rows.joined(separator: "\n"))
      """
  }
}

/// A text within JSON.
func quoted(_ text: String) -> String {
  var quoted = "\""
  for character in text.unicodeScalars {
    switch character {
    case "\"", "\\": quoted += "\\\(character)"
    case let other where other.value < 32: quoted += " "
    default: quoted.unicodeScalars.append(character)
    }
  }
  return quoted + "\""
}

/// A text within a page.
private func escaped(_ text: String) -> String {
  text.map { character in
    switch character {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    default: String(character)
    }
  }.joined()
}
