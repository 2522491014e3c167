package import DiskAccess
internal import EventCoding
package import FoundationEssentials
internal import Journaling
package import ObjectModel
package import ObjectStore

/// What a command is asked to do, and all it may use for that: a journal that it can look at and not change.
package final class Request {
  package let command: Command
  package let table: CommandTable
  package let operands: [String]
  package let output: Output
  package let disk: any ReadableDisk
  /// Tells how far it has come, where it takes long and somebody sits at a terminal.
  package let progress: ProgressLine?
  private let values: [String: [String]]
  private let journalPath: String?
  private(set) var opened: StoreReader?
  /// Whether the journal is a copy that was never said to be whole.
  private(set) var isUnfinished = false
  /// Whether the command itself tells what is wrong with the journal.
  package var tellsFindings = false
  /// Whether the command itself tells of the edits that no frame has, or takes over what is whole of the journal.
  package var tellsEdits = false
  /// What the command has found wrong besides, and does not tell itself.
  package var noted: [StoreFinding] = []

  init(
    _ command: Command, of table: CommandTable, _ arguments: ParsedArguments,
    _ disk: any ReadableDisk,
    _ output: Output
  ) throws(ToolError) {
    var arguments = arguments
    self.command = command
    self.table = table
    self.output = output
    progress = Self.progress(of: command, disk, output.console)
    output.progress = progress
    self.disk = progress.map { MeteredDisk(disk, $0) } ?? disk
    if let named = arguments.values["store"]?.last {
      journalPath = named
    } else {
      journalPath = try command.readsJournal ? arguments.takeJournal() : nil
    }
    try arguments.check(command)
    operands = arguments.operands
    values = arguments.values
    expectPasses(over: disk)
  }

  private static func progress(
    of command: Command, _ disk: any ReadableDisk, _ console: any Console
  ) -> ProgressLine? {
    guard command.passCount != nil, console.isErrorTerminal else { return nil }
    nonisolated(unsafe) let console = console
    return ProgressLine(command.name, clock: { disk.steadyClock() }) { console.writeError($0) }
  }

  /// Says how much there is to read. What cannot be told of it is told by whoever reads it.
  private func expectPasses(over disk: any ReadableDisk) {
    guard let progress, let passCount = command.passCount, let path = try? path(),
      let folder = try? disk.folderForReading(at: path)
    else { return }
    var byteCount: UInt64 = 0
    for name in (try? folder.names()) ?? [] {
      guard let inner = try? folder.folderForReading(name) else { continue }
      for name in (try? inner.names()) ?? [] {
        byteCount &+= (try? inner.information(of: name))?.allocatedByteCount ?? 0
      }
    }
    progress.expect(byteCount &* UInt64(passCount))
  }

  // MARK: What was typed

  /// Whether an option was given.
  package func has(_ option: String) -> Bool {
    assert(command.allOptions.contains { $0.name == option }, "\(option) is not in the table")
    return values[option] != nil
  }

  /// The value of an option; the last where it was given more than once.
  package subscript(option: String) -> String? {
    assert(command.allOptions.contains { $0.name == option }, "\(option) is not in the table")
    return values[option]?.last
  }

  /// The value of an option that is a count.
  package func number(_ option: String) throws(ToolError) -> Int? {
    guard let text = self[option] else { return nil }
    let isWhole = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard let number = isWhole ? Int(text) ?? .max : nil else {
      throw .usage("--\(option) needs a whole number, not ‘\(text)’.")
    }
    return number
  }

  /// The operand at a place; nil where there are fewer.
  package func operand(_ place: Int) -> String? {
    operands.indices.contains(place) ? operands[place] : nil
  }

  /// The time of day.
  package var now: Date {
    Date(timeIntervalSince1970: Double(disk.wallClock()) / 1e9)
  }

  // MARK: The journal

  /// The journal's path: as it was named, or the only one in this folder.
  package func path() throws(ToolError) -> String {
    if let journalPath { return journalPath }
    // Set by who runs the tool for a journal, as bisect does.
    if let named = output.console.environment["XJOURNAL_STORE"], !named.isEmpty { return named }
    let names: [String]
    do throws(DiskError) {
      names = try disk.folderForReading(at: ".").names().filter { $0.hasSuffix(".xjournal") }
    } catch {
      throw ToolError(error)
    }
    switch names.count {
    case 1: return names[0]
    case 0: throw ToolError(.noJournal, "there is no journal in this folder; name one: -s PATH.")
    default:
      throw .usage(
        "there are \(names.count) journals in this folder (\(names.prefix(3).joined(separator: ", "))"
          + "\(names.count > 3 ? ", …" : "")); name one: -s PATH.")
    }
  }

  /// The journal, open for looking.
  package func store() throws(ToolError) -> StoreReader {
    if let opened { return opened }
    let path = try path()
    do throws(StoreError) {
      let store = try StoreReader(on: disk, at: path, limits: .ofTool)
      opened = store
      isUnfinished = store.isMarkedUnfinished
      return store
    } catch {
      // What is there and no folder is no journal either.
      if [.disk, .storeMissing].contains(error.code) { try refuseNoFolder(path) }
      throw ToolError(error)
    }
  }

  /// Refuses what is there and no folder, and a journal that has something else where its segments should be.
  package func refuseNoFolder(_ path: String) throws(ToolError) {
    try Self.refuseNoFolder(path, on: disk)
  }

  /// The same, by whoever has no request.
  package static func refuseNoFolder(
    _ path: String, on disk: any ReadableDisk
  ) throws(ToolError) {
    var isOpen = false
    let isUnfinished: Bool
    do throws(DiskError) {
      let folder = try disk.folderForReading(at: path)
      isOpen = true
      let hasManifest = try folder.information(of: JournalFiles.manifest) != nil
      let isMarked = try folder.information(of: JournalFiles.copyMark) != nil
      isUnfinished = isMarked && !hasManifest
      if !isUnfinished { _ = try folder.folderForReading(JournalFiles.journalFolder) }
    } catch {
      guard error.code == .notFolder || error.code == .isLink else { return }
      guard isOpen else { throw .noFolder(path) }
      throw ToolError(
        .damage, "“\(path)/\(JournalFiles.journalFolder)” is no folder.")
    }
    if isUnfinished {
      throw ToolError(
        .noJournal,
        "“\(path)” is what is left of a copy that did not come to its end; remove it, and make the copy anew."
      )
    }
  }

  /// The same error, with the name of the value that it is about.
  func named(_ error: ToolError) -> ToolError {
    guard let value = error.value, let store = opened else { return error }
    let limit = Wording.count(HoldingLimits.ofTool.valueCount)
    return error.saying(
      "‘\(store.name(of: value.key) ?? "\(value.key.rawValue)")’ of \(Wording(store).name(value.object)) is too large to be shown: "
        + "of an event or a commit no more than \(limit) elements are held at once. Nothing is wrong with it: the program "
        + "whose store it is can hold it, and ‘backup’, ‘compact’ and ‘repair’ take it over."
    )
  }

  /// What was found wrong with the journal while it was looked at.
  var findings: [StoreFinding] { (tellsFindings ? [] : opened?.findings ?? []) + noted }

  /// The state that was asked for: that of `--at`, or the last.
  package func snapshot() throws(ToolError) -> Snapshot {
    let store = try store()
    guard let text = self["at"] else { return store.head }
    let number = try Reference(text, now: now).commit(in: store)
    return try onStore { () throws(StoreError) in
      try store.snapshot(at: number, countedBackFrom: store.head, passingOver: passOver)
    }
  }

  /// How a command is to write: as `--format` says, or for programs where `--json` does.
  func format(_ usual: String, forPrograms json: String) throws(ToolError) -> String {
    guard let format = self["format"] else { return output.isJSON ? json : usual }
    // A patch is JSON by itself, and none of the documents that --json promises.
    if output.isJSON, !["json", "ndjson", "events"].contains(format) {
      throw .usage("--json and --format \(format) ask for two things; leave one of them out.")
    }
    return format
  }

  /// Refuses what ends before it begins, where both are said alike: as times or as commits.
  func refuseBackwards(in store: ReadableStore) throws(ToolError) {
    guard let first = self["since"] else { return }
    let since = try Reference(first, now: now)
    for last in [self["until"], self["at"]].compactMap(\.self) {
      let until = try Reference(last, now: now)
      let isBackwards =
        switch (since.date, until.lastDate) {
        case (let since?, let until?): since > until
        case (nil, nil): try since.beginning(in: store) > until.commit(in: store)
        default: false
        }
      if isBackwards {
        throw .usage(
          "there is nothing from \(first) up to \(last); --since must not be after --until.")
      }
    }
  }

  /// The number of the commit whose state was asked for.
  package func commitNumber() throws(ToolError) -> CommitNumber {
    let store = try store()
    guard let text = self["at"] else { return store.lastCommit }
    return try Reference(text, now: now).commit(in: store)
  }
}

extension HoldingLimits {
  /// How much the tool holds at once, whatever a journal says: some 500 MB in all.
  package static let ofTool = HoldingLimits(
    valueCount: 2_000_000, objectCount: 100_000, editByteCount: 192 << 20)
}
