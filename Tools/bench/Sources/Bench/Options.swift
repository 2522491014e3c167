import Glibc

/// What the command line asks for.
struct Options {
  /// The folder to work in.
  var place = "."
  /// The lines to measure, by the names of their families; none for all.
  var lines: Set<String> = []
  /// How many objects a large store has.
  var rows = 1_000_000
  /// How often what takes moments is measured.
  var rounds = 5
  /// Where the figures go as JSON; `-` is standard output, in the place of the table.
  var json: String?
  /// Where the figures go as a page.
  var page: String?
  /// Where the figures go as a table of Markdown.
  var markdown: String?
  /// How many edits are made to see whether anything grows, in the place of the lines.
  var soakEditCount: Int?
  /// What a process of its own is to open: this program starts itself so.
  var opening: String?
  /// What is done by itself, so often as `rounds` says, by whoever counts its instructions.
  var hotPath: HotPath?

  struct Refusal: Error {
    let words: String
  }

  init(_ arguments: [String]) throws(Refusal) {
    var rest = arguments[...]
    if let first = rest.first, !first.hasPrefix("--") {
      place = first
      rest = rest.dropFirst()
    }
    while let name = rest.popFirst() {
      if name == "--quick" {
        (rows, rounds) = (100_000, 3)
        continue
      }
      guard let value = rest.popFirst() else {
        throw Refusal(words: "\(name) needs a value, or is not known.")
      }
      switch name {
      case "--line": lines = Set(value.split(separator: ",").map(String.init))
      case "--rows": rows = try Self.number(value, for: name)
      case "--rounds": rounds = try Self.number(value, for: name)
      case "--json": json = value
      case "--page": page = value
      case "--markdown": markdown = value
      case "--soak": soakEditCount = try Self.number(value, for: name)
      case "--opening": opening = value
      case "--hot":
        guard let path = HotPath(rawValue: value) else {
          throw Refusal(words: "There is no hot path \(value).")
        }
        hotPath = path
      default: throw Refusal(words: "There is no option \(name).")
      }
    }
  }

  private static func number(_ text: String, for name: String) throws(Refusal) -> Int {
    guard let number = Int(text), number > 0 else {
      throw Refusal(words: "\(name) takes a number from 1 on, not '\(text)'.")
    }
    return number
  }
}

/// Says on the standard error output why nothing is measured, and ends.
func refuse(_ words: String) -> Never {
  var bytes = Array((words + "\n").utf8)
  _ = write(STDERR_FILENO, &bytes, bytes.count)
  exit(64)
}
