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
  /// What a process of its own is to open: this program starts itself so.
  var opening: String?
  /// What is done by itself, so often as `rounds` says, by whoever counts its instructions.
  var hotPath: HotPath?

  static let usage = """
    Tools/bench/run [FOLDER] [option …]

      --line P3,P5   only these lines and what belongs to them: P1 is also P1s
      --rows N       objects of a large store (1,000,000)
      --rounds N     how often each line is measured (5); what takes seconds, half as often
      --quick        100,000 objects, 3 rounds: under five minutes
      --json FILE    also writes the figures as JSON; - prints them in the place of the table
      --page FILE    also writes them as a page for a browser

    It works in a new folder within FOLDER, or within the system's place for temporary ones, and removes it again;
    with a million objects that takes up to 8 GB. The status is 1 where a goal is missed.
    """

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
