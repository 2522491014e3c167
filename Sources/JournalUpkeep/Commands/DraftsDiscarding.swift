internal import DiskAccess
internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal drafts discard`: gives up what a context had not saved when its program ended.
extension Command {
  static func drafts(on disk: any Disk) -> Command {
    drafts.extended(
      "Tells what contexts have changed and not saved, and gives it up.",
      details: [
        "‘discard’ changes the journal in place: no program may have it open for writing. What was given up stays in the "
          + "past: ‘events’ tells of it. " + seenInPlace
      ],
      examples: [Example("xjournal drafts discard sketch", "give one of them up")],
      operands: [
        Operand(
          "ACTION", "list, show, or discard", isOptional: true,
          choices: ["list", "show", "discard"]),
        Operand("DRAFT", "only this one", isOptional: true),
      ]
    ) { (request) throws(ToolError) in
      guard request.operand(0) == "discard" else { return nil }
      // Without a name it is nobody's, also where a variable of a script is empty.
      guard let wanted = request.operand(1), !wanted.isEmpty else {
        throw .usage("drafts discard needs the draft: its number, or the name of its context.")
      }
      let missing = ToolError.no(
        "there is no draft ‘\(wanted)’; xjournal drafts lists those there are.")
      try request.changing(on: disk) { (reader) throws(ToolError) in
        guard let work = try? reader.unsavedWork() else { return }
        let isThere = work.contains {
          "\($0.context.rawValue)" == wanted || $0.contextName == wanted
        }
        guard isThere else { throw missing }
      } _: { (store) throws(ToolError) in
        // A number says which, also where a context is called like the number of another.
        var drafts = store.unsavedDrafts.filter { "\($0.context.rawValue)" == wanted }
        if drafts.isEmpty { drafts = store.unsavedDrafts.filter { $0.contextName == wanted } }
        guard let draft = drafts.first else { throw missing }
        guard drafts.count == 1 else {
          throw .no(
            "several drafts are called ‘\(wanted)’; name one by its number: "
              + drafts.map { "\($0.context.rawValue)" }.joined(separator: ", ") + ".")
        }
        try onStore { () throws(StoreError) in try store.discard(draft) }
        request.output.deed = "the draft was discarded"
        tell(draft, request.output)
      }
      return .fine
    }
  }

  private static func tell(_ draft: Draft, _ output: Output) {
    if output.isJSON {
      output.json(
        .document(
          "discarded",
          [
            ("context", .count(draft.context.rawValue)), ("name", .string(draft.contextName)),
            ("edits", .count(draft.editCount)),
          ]))
    } else {
      let name = draft.contextName.isEmpty ? "" : " \(draft.contextName)"
      output.line(
        "\("discarded", .removed) draft \(draft.context.rawValue)\(name, .strong): \(Wording.count(draft.editCount, "edit"))."
      )
    }
  }
}
