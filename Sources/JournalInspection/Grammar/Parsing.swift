internal import ObjectQuery

/// What was typed behind the name of a command, taken apart by what the table says of it.
package struct ParsedArguments: Sendable {
  package private(set) var values: [String: [String]] = [:]
  package private(set) var operands: [String] = []
  /// How many operands stand before `--`.
  private var openOperandCount: Int?

  init(_ words: some Sequence<String>, of command: Command) throws(ToolError) {
    var rest = Array(words)[0...]
    var onlyOperands = false
    while let word = rest.popFirst() {
      if onlyOperands || word == "-" || !word.hasPrefix("-") {
        operands.append(word)
      } else if word == "--" {
        onlyOperands = true
        openOperandCount = operands.count
      } else if word.hasPrefix("--") {
        try takeLong(word.dropFirst(2), &rest, of: command)
      } else {
        try takeLetters(word.dropFirst(), &rest, of: command)
      }
    }
  }

  private mutating func takeLong(
    _ text: Substring, _ rest: inout ArraySlice<String>, of command: Command
  ) throws(ToolError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.allOptions.first(where: { $0.name == name }) else {
      if name == Option.at.name, let reason = command.reasonNotToTravel {
        throw .usage("\(command.name) has no option --at: \(reason)")
      }
      let nearest = Spelling.nearest(to: name, among: command.allOptions.map(\.name))
      throw .usage(
        "\(command.name) has no option --\(name)"
          + (nearest.map { "; did you mean --\($0)?" } ?? "; --help lists those it has."))
    }
    try take(option, parts.count > 1 ? String(parts[1]) : nil, &rest)
  }

  /// `-n 20`, `-n20`, `-pn 20`.
  private mutating func takeLetters(
    _ text: Substring, _ rest: inout ArraySlice<String>, of command: Command
  ) throws(ToolError) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = command.allOptions.first(where: { $0.letter == letter }) else {
        throw .usage("\(command.name) has no option -\(letter); --help lists those it has.")
      }
      guard option.value != nil, !letters.isEmpty else {
        try take(option, nil, &rest)
        continue
      }
      try take(option, String(letters), &rest)
      return
    }
  }

  private mutating func take(
    _ option: Option, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(ToolError) {
    guard option.value != nil else {
      if attached != nil { throw .usage("--\(option.name) takes no value.") }
      values[option.name] = []
      return
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .noValue(of: option)
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let nearest = Spelling.nearest(to: value, among: option.choices)
      throw .usage(
        "--\(option.name) is one of \(option.choices.joined(separator: ", "))"
          + (nearest.map { "; did you mean \($0)?" } ?? "."))
    }
    if option.name == Option.store.name, let other = values[option.name]?.last, other != value {
      throw .secondJournal(value, beside: other)
    }
    values[option.name, default: []].append(value)
  }

  /// Takes the operand that names a journal by its ending out of the others. What stands behind `--` is left as it is.
  mutating func takeJournal() throws(ToolError) -> String? {
    let open = operands.prefix(openOperandCount ?? .max)
    guard let index = open.firstIndex(where: Self.namesJournal) else { return nil }
    if let other = open[(index + 1)...].first(where: Self.namesJournal) {
      throw .secondJournal(other, beside: open[index])
    }
    return operands.remove(at: index)
  }

  private static func namesJournal(_ word: String) -> Bool {
    word.hasSuffix(".xjournal") || word.hasSuffix(".xjournal/")
  }

  /// Checks how many operands there are, and those that are chosen from a list.
  func check(_ command: Command) throws(ToolError) {
    let needed = command.operands.count { !$0.isOptional }
    guard operands.count >= needed else {
      throw .usage(
        "\(command.name) needs \(command.operands[operands.count].name): \(command.synopsis)")
    }
    let isOpen = command.operands.last?.isRepeated ?? false
    guard isOpen || operands.count <= command.operands.count else {
      let excess = operands[command.operands.count]
      if command.readsJournal, Self.namesJournal(excess), let named = values["store"]?.last {
        throw .secondJournal(excess, beside: named)
      }
      throw .usage(
        "\(command.name) does not know what to do with ‘\(excess)’: \(command.synopsis)"
          + (command.readsJournal
            ? "; a journal that does not end in .xjournal is named by -s." : ""))
    }
    for (word, operand) in zip(operands, command.operands)
    where !operand.choices.isEmpty && !operand.choices.contains(word) {
      let nearest = Spelling.nearest(to: word, among: operand.choices)
      throw .usage(
        "\(operand.name) is one of \(operand.choices.joined(separator: ", "))"
          + (nearest.map { "; did you mean \($0)?" } ?? "."))
    }
  }
}

extension ToolError {
  static func noValue(of option: Option) -> ToolError {
    .usage("--\(option.name) needs a value: \(option.synopsis).")
  }

  fileprivate static func secondJournal(_ path: String, beside other: String) -> ToolError {
    .usage("“\(other)” and “\(path)” are two journals; name the one that is meant.")
  }
}
