package import ObjectPatching
internal import ObjectStore

/// Where a command says what it has found: data on the standard output, words on the other.
///
/// Failures are kept and told at the end; a command that may go on for long asks `isOpen` now and then.
package final class Output {
  package let console: any Console
  /// Whether the data are JSON.
  package private(set) var isJSON: Bool
  /// Texts and lists in JSON that have more are cut; none where nothing is said.
  private var longest: Int?
  /// Whether documents stand within a page, where an angle bracket could end what they stand in.
  private var isInPage = false
  private let isColoured: Bool
  private let colorsErrors: Bool
  private var buffer: [UInt8] = []
  /// What may stand in the line in which something is to be said.
  var progress: ProgressLine?
  private(set) var failure: ConsoleWriting?
  /// What the command has done that stays, in a sentence without its point: also where that cannot be said.
  package var deed: String?
  /// The path of the journal, of which it is said once what can be done about damage; nil where it was said, or nothing
  /// can be done.
  package var damagedPath: String?
  /// Whether the state is damaged that the journal keeps beside its segments.
  private var isKeptStateDamaged = false
  /// Whether compaction has dropped the beginning of the journal.
  var isBeginningDropped: () -> Bool = { false }

  private static let bufferByteCount = 32 << 10

  package init(_ console: any Console, isJSON: Bool = false, color: String? = nil) {
    self.console = console
    self.isJSON = isJSON
    let isWanted = { (isTerminal: Bool) in
      switch color {
      case "always": true
      case "never": false
      default:
        isTerminal && console.environment["NO_COLOR", default: ""].isEmpty
          && console.environment["TERM"] != "dumb"
      }
    }
    isColoured = isWanted(console.isOutputTerminal)
    colorsErrors = isWanted(console.isErrorTerminal)
  }

  /// Whether somebody still reads.
  package var isOpen: Bool { failure == nil }

  /// Writes a line of text.
  package func line(_ words: Words = "") { send(words.sent(coloured: isColoured) + "\n") }

  /// Writes text as it is, where that is what was asked for: a terminal is sent no control characters all the same.
  package func exact(_ text: String) {
    guard console.isOutputTerminal else { return send(text) }
    send(
      text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).shown }
        .joined(separator: "\n"))
  }

  /// Writes a JSON document on a line.
  ///
  /// - Parameter isAsItIs: whether large integers stay numbers, where another format says so.
  package func json(_ document: JSONValue, asItIs isAsItIs: Bool = false) {
    send(text(of: document, asItIs: isAsItIs) + "\n")
  }

  /// Writes a JSON document on a line, with a list at its end of which no more than an element is held at a time.
  ///
  /// - Parameter body: is given what writes an element.
  func json<Failure>(
    _ document: JSONValue, with key: String,
    _ body: ((JSONValue) -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    send(text(of: document).dropLast() + ",\"\(key)\":[")
    var separator = ""
    do throws(Failure) {
      try body { element in
        send(separator + text(of: element))
        separator = ","
      }
    } catch {
      send(Self.endOfIncomplete)
      throw error
    }
    send("]}\n")
  }

  /// The end of a list and its document where the rest cannot be read: JSON all the same, which says so.
  static let endOfIncomplete = "],\"incomplete\":true}\n"

  private func text(of document: JSONValue, asItIs isAsItIs: Bool = false) -> String {
    let document = longest.map(document.withValuesCut) ?? document
    let text = isAsItIs ? document.escapedText : document.safeText
    return isInPage ? text.withoutAngleBrackets : text
  }

  /// Has what a closure shows written as JSON, whatever else is written.
  ///
  /// - Parameters:
  ///   - longest: texts and lists that have more characters or elements are cut.
  ///   - isInPage: whether it stands within a page.
  func writeDocuments(
    cutTo longest: Int, inPage isInPage: Bool, _ body: () throws(ToolError) -> Void
  ) throws(ToolError) {
    let before = (isJSON, self.longest, self.isInPage)
    defer { (isJSON, self.longest, self.isInPage) = before }
    (isJSON, self.longest, self.isInPage) = (true, longest, isInPage)
    try body()
  }

  /// Says something to whoever sits at the terminal.
  package func note(_ words: Words) {
    flush()
    progress?.clear()
    console.writeError(Array((words.sent(coloured: colorsErrors) + "\n").utf8))
  }

  /// Says that something is not as it should be, and ends nothing; in JSON where the data are.
  package func remark(_ text: String) {
    guard isJSON else { return note("\("note:", .warning) \(text)") }
    flush()
    progress?.clear()
    let document = JSONValue.document("note", [("message", .string(text))])
    console.writeError(Array((document.safeText + "\n").utf8))
  }

  /// What can be done about damage, unless that was said already.
  func takeRemedy(_ remedy: Remedy? = .repair) -> String? {
    guard let remedy, let path = damagedPath else { return nil }
    damagedPath = nil
    let needsSalvage = remedy == .repair && isKeptStateDamaged && isBeginningDropped()
    return (needsSalvage ? .salvage : remedy).words(path)
  }

  /// Notes what is damaged: what can be done follows from that.
  func noteDamage(_ matters: [StoreError.Matter]) {
    if matters.contains(.keptState) { isKeptStateDamaged = true }
  }

  /// The same error; where it is the first of damage, with what can be done.
  private func advised(_ error: ToolError) -> ToolError {
    guard error.status == .damage else { return error }
    noteDamage([error.matter])
    guard let advice = takeRemedy(error.remedy) else { return error }
    return error.saying("\(error.message) \(advice)")
  }

  /// Says why something is not as it should be; in JSON where the data are.
  package func tell(_ error: ToolError) {
    let error = advised(error)
    flush()
    guard !isJSON else {
      progress?.clear()
      let document = JSONValue.document(
        "error", [("status", .count(error.status.rawValue)), ("message", .string(error.message))])
      console.writeError(Array((document.safeText + "\n").utf8))
      return
    }
    // Where something is wrong in a query, further lines point at it.
    let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
    note("\("xjournal:", .warning) \(lines[0])")
    for line in lines.dropFirst() { note("  \(line)") }
  }

  private func send(_ text: String) {
    guard isOpen else { return }
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.bufferByteCount { flush() }
  }

  /// Hands over what is held.
  package func flush() {
    guard isOpen, !buffer.isEmpty else { return }
    // Who sees what comes sees that it goes on.
    if console.isOutputTerminal { progress?.end() } else { progress?.clear() }
    let result = console.write(buffer)
    buffer.removeAll(keepingCapacity: true)
    if result != .written { failure = result }
  }
}

extension String {
  /// The JSON with angle brackets, which only stand in strings there, in digits.
  fileprivate var withoutAngleBrackets: String {
    guard utf8.contains(UInt8(ascii: "<")) else { return self }
    return escaping { $0 == "<" ? "\\u003c" : nil }
  }
}
