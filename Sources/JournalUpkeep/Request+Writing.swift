internal import DiskAccess
internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// What commands that write ask of a request: a journal to change, a place for a new one, files to read.
extension Request {
  /// Changes the journal by a closure, and gives it back. Nobody else may have it open for writing meanwhile.
  ///
  /// What opening it and the closure meet that is not as it should be is told.
  ///
  /// - Parameter look: refuses what can be told to be wrong by looking, so that the journal is not even opened for writing.
  func changing<Answer>(
    on disk: any Disk, first look: (StoreReader) throws(ToolError) -> Void = { _ in },
    _ body: (JournaledStore) throws(ToolError) -> Answer
  ) throws(ToolError) -> Answer {
    let path = try path()
    try refuseNoFolder(path)
    // Where a reader cannot see everything, whoever opens the journal for writing tells what it meets.
    if let reader = try? StoreReader(on: self.disk, at: path, limits: .ofTool),
      reader.findings.isEmpty, !reader.isBehind
    {
      try look(reader)
      if reader.isMarkedUnfinished { output.remark("\(JournalCopy.unfinished).") }
    }
    return try JournaledStore.whileOpen(on: disk, at: path) { (store) throws(ToolError) in
      defer { for finding in store.findings { output.remark("\(finding)") } }
      return try body(store)
    }
  }

  /// The path of the journal that is to be made.
  func newPath(_ option: String = "output") throws(ToolError) -> String {
    guard let path = self[option] else {
      let name = command.options.first { $0.name == option }?.synopsis ?? option
      throw .usage("\(command.name) needs a place for the new journal: \(name).")
    }
    guard !path.isEmpty else { throw .usage("--\(option) needs a path.") }
    return path
  }

  /// The whole of a file or pipe that was named; the standard input where it is `-`.
  func bytes(ofFile path: String, atMost limit: Int) throws(ToolError) -> [UInt8] {
    let excess = "has more than the \(limit >> 20) MiB that are taken at once."
    guard path != "-", path != "/dev/stdin" else {
      guard let bytes = output.console.readInput(atMost: limit) else {
        throw ToolError(
          .inputOutput, "the standard input cannot be read, or \(excess)")
      }
      return bytes
    }
    do throws(DiskError) {
      return try disk.input(at: path, atMost: limit)
    } catch {
      let words: String =
        switch (error.call, error.code) {
        case (_, .fileTooLarge): "“\(path)” \(excess)"
        case (.openFile, .invalid): "“\(path)” is neither a file nor a pipe."
        case (.read, .wouldBlock): "nobody writes to the pipe “\(path)”."
        default: error.description
        }
      throw ToolError(.inputOutput, words)
    }
  }

  /// Tells of a journal that was made.
  ///
  /// - Parameters:
  ///   - lost: what of another is not in it.
  ///   - drafts: those for which past is kept.
  ///   - references: those that were left out.
  func tell(
    of made: NewJournal, _ deed: String, without lost: LeftoverEdits.Loss = LeftoverEdits.Loss(),
    keptFor drafts: [String] = [], leavingOut references: LostReferences = LostReferences()
  ) {
    output.deed = "“\(made.path)” was made"
    if output.isJSON {
      let texts = { (texts: [String]) -> JSONValue? in
        texts.isEmpty ? nil : .array(texts.map { .string($0) })
      }
      output.json(
        .document(
          "newJournal",
          [
            ("path", .string(made.path)), ("lastCommit", .count(made.last.rawValue)),
            ("firstKeptCommit", .count(made.first.rawValue)), ("bytes", .count(made.byteCount)),
            ("findings", texts(lost.findings)), ("lost", texts(lost.losses)),
            ("doubts", texts(lost.doubts)),
            ("keptFor", texts(drafts)), ("leftOut", references.json),
            ("leftOutCount", references.count == 0 ? nil : .count(references.count)),
          ]))
    } else {
      output.tell(findings: lost.findings, doubts: lost.doubts, losses: lost.losses)
      if !drafts.isEmpty {
        output.note(
          "\("kept:", .warning) the past that \(Wording.count(drafts.count, "draft")) (\(drafts.joined(separator: ", "))) may need; saved or discarded, they need none."
        )
      }
      let missing = references.count - references.contradictedCount
      if missing > 0 {
        output.note(
          "\("left out:", .warning) \(Wording.count(missing, "reference")) to objects that are not among these."
        )
      }
      if references.contradictedCount > 0 {
        output.note(
          "\("left out:", .warning) \(Wording.count(references.contradictedCount, "reference")) to objects of which a later line says otherwise; --json tells which."
        )
      }
      output.line("\(deed, .added) \(made.path, .strong), with \(made.wordsForPast).")
    }
  }
}

extension Output {
  /// Says what is wrong with a journal of which another was made, and what is not in that.
  func tell(findings: [String], doubts: [String], losses: [String]) {
    for finding in findings { note("\("damaged:", .removed) \(finding)") }
    for doubt in doubts { note("\("note:", .warning) \(doubt)") }
    for loss in losses { note("\("lost:", .warning) \(loss)") }
  }
}

extension LostReferences {
  /// The lines and keys that they stood at; nil where there are none.
  fileprivate var json: JSONValue? {
    guard count > 0 else { return nil }
    return .array(
      told.map { reference in
        .members([
          ("line", .count(reference.line)), ("key", .string(reference.key)),
          ("uri", .string(reference.object.uri)),
          ("contradicted", reference.isContradicted ? .boolean(true) : nil),
        ])
      })
  }
}
