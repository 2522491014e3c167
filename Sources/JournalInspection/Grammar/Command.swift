/// A command of the tool: how it is called, and what it does.
///
/// Parsing, help, completions, the manual page and docs/xjournal.md are made of this. To add a command, write a file
/// with one of these and name it in the table.
package struct Command: Sendable {
  /// A way to call it, which a test runs.
  package struct Example: Sendable {
    package let line: String
    package let meaning: String

    package init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  /// A word that stands by itself.
  package struct Operand: Sendable {
    package let name: String
    package let summary: String
    package let isOptional: Bool
    package let isRepeated: Bool
    package let choices: [String]

    package init(
      _ name: String, _ summary: String, isOptional: Bool = false, isRepeated: Bool = false,
      choices: [String] = []
    ) {
      self.name = name
      self.summary = summary
      self.isOptional = isOptional
      self.isRepeated = isRepeated
      self.choices = choices
    }

    /// As a synopsis has it: `REF`, `[REF]`, `[KEY …]`.
    var synopsis: String {
      let text = isRepeated ? "\(name) …" : name
      return isOptional ? "[\(text)]" : text
    }
  }

  package let name: String
  package let summary: String
  /// What is worth knowing beyond the summary, a paragraph each.
  package let details: [String]
  package let examples: [Example]
  package let operands: [Operand]
  package let options: [Option]
  /// Whether it shows a state, so that `--at` can name an earlier one.
  package let travels: Bool
  /// Whether it reads a journal at all.
  package let readsJournal: Bool
  /// Whether what it shows may be long, and so is shown page by page on a terminal.
  package let isPaged: Bool
  /// How often it reads the whole of a journal, roughly; nil where it does not. Only of that is told how far it has come.
  package let passCount: Int?
  /// Why it shows no earlier state, and what does instead; nil where nobody would ask it to, or it does.
  package let reasonNotToTravel: String?
  package let run: @Sendable (Request) throws(ToolError) -> ExitStatus

  package init(
    _ name: String, _ summary: String, details: [String] = [], examples: [Example],
    operands: [Operand] = [], options: [Option] = [], travels: Bool = false,
    notTravellingAs reasonNotToTravel: String? = nil,
    readsJournal: Bool = true, isPaged: Bool? = nil, passCount: Int? = nil,
    run: @escaping @Sendable (Request) throws(ToolError) -> ExitStatus
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.examples = examples
    self.operands = operands
    self.options = options
    self.travels = travels
    self.reasonNotToTravel = reasonNotToTravel
    self.readsJournal = readsJournal
    self.isPaged = isPaged ?? readsJournal
    self.passCount = passCount
    self.run = run
  }

  /// The same command, which can do more.
  ///
  /// - Parameters:
  ///   - operands: all that it has then.
  ///   - more: is asked first; nil where the command is to do what it did before.
  package func extended(
    _ summary: String? = nil, details: [String] = [], examples: [Example],
    operands: [Operand]? = nil, options: [Option] = [],
    by more: @escaping @Sendable (Request) throws(ToolError) -> ExitStatus?
  ) -> Command {
    Command(
      name, summary ?? self.summary, details: self.details + details,
      examples: self.examples + examples, operands: operands ?? self.operands,
      options: self.options + options, travels: travels, notTravellingAs: reasonNotToTravel,
      readsJournal: readsJournal, isPaged: isPaged, passCount: passCount
    ) { [run] (request) throws(ToolError) in
      if let status = try more(request) { return status }
      return try run(request)
    }
  }

  /// What is worth knowing, with why it goes not to an earlier state, where somebody would ask it to.
  package var allDetails: [String] {
    details + (reasonNotToTravel.map { ["There is no --at: \($0)"] } ?? [])
  }

  /// Its own options, and those that it shares with others.
  package var allOptions: [Option] {
    options + (travels ? [Option.at] : []) + (readsJournal ? [Option.store] : [])
      + Option.everywhere
  }

  /// How it is called, in one line.
  package var synopsis: String {
    var parts = ["xjournal", name] + operands.map(\.synopsis)
    if !options.isEmpty || travels { parts.append("[option …]") }
    return parts.joined(separator: " ")
  }
}
