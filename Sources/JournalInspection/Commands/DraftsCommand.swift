internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal drafts`: what contexts have changed and not saved.
extension Command {
  package static let drafts = Command(
    "drafts", "Tells what contexts have changed and not saved.",
    details: [
      "Where the program has ended they are drafts, which it is offered when it opens the journal again; while it runs "
        + "they are what it is about to save. A draft is named by the number or the name of its context.",
      "Where the file of unsaved edits is damaged, drafts may be missing: that is told, and ends it with 65, or with 69 where "
        + "newer code has written the file. So it is where the journal is damaged: what is shown is what was not saved before "
        + "the damage. Where the file is only missing, or an edit in it is not whole, that is told too, and may "
        + "be of a loss of power: it ends with 0.",
    ],
    examples: [
      Example("xjournal drafts", "whose, since when, how much"),
      Example(
        "xjournal drafts show sketch", "what one of them would change, with old and new values"),
    ],
    operands: [
      Operand("ACTION", "list, or show", isOptional: true, choices: ["list", "show"]),
      Operand("DRAFT", "only this one", isOptional: true),
    ],
    notTravellingAs:
      "what is not saved is no part of an earlier state; ‘events --until REF’ tells the edits that there were then, saved and not."
  ) { (request) throws(ToolError) in
    let store = try request.store()
    request.tellsEdits = true
    let wanted = request.operand(1)
    guard wanted != "" else {
      throw .usage("drafts needs the number of a draft, or the name of its context.")
    }
    let unsaved = try Unsaved(store)
    request.noted = unsaved.edits.findings
    if let doubt = unsaved.doubt { request.output.remark(doubt) }
    if let damage = unsaved.damage { throw ToolError(damage) }
    let drafts = unsaved.drafts.filter {
      wanted == nil || $0.contextName == wanted || "\($0.context.rawValue)" == wanted
    }
    // Where edits cannot be read, the draft that is wanted may be missing too.
    if let wanted, drafts.isEmpty {
      throw .no("there is no draft ‘\(wanted)’; xjournal drafts lists those there are.")
    }
    if store.isBehind {
      request.output.remark(
        "the journal has more, of which it is not known that it is durable; edits may be missing here."
      )
    }
    let printer = DraftPrinter(store, isWhole: request.operand(0) == "show", request.output)
    for doubt in unsaved.edits.leftoverDoubts { request.output.remark("\(doubt).") }
    let isCertain = unsaved.doubt == nil && unsaved.edits.leftoverDoubts.isEmpty
    if !request.output.isJSON, drafts.isEmpty, isCertain {
      request.output.note("nothing is unsaved")
    }
    for draft in drafts {
      printer.show(draft)
      if let problem = draft.problem, problem.isFinding { request.passOver(problem) }
    }
    return .fine
  }
}

/// What is unsaved in a journal, as far as that can be told.
struct Unsaved {
  let drafts: [UnsavedWork]
  /// What keeps edits from being read that no frame has yet.
  let edits: Verification
  /// What keeps everything from being told.
  let damage: StoreError?
  /// That there may be more; nil where all there is can be told.
  let doubt: String?

  init(_ store: StoreReader) throws(ToolError) {
    edits = try onStore { () throws(StoreError) in try store.unsavedVerification() }
    do throws(StoreError) {
      (drafts, damage) = (try store.unsavedWork(), nil)
    } catch {
      guard error.code == .damaged else { throw ToolError(error) }
      (drafts, damage) = ([], error)
    }
    let isWhole = damage == nil && edits.findings.isEmpty && !store.endsAtDamage
    doubt =
      isWhole
      ? nil
      : drafts.isEmpty
        ? "what is not saved cannot be told."
        : "what is not saved cannot be told for certain: some may be missing, and some may have been saved."
  }
}

/// Shows what is unsaved, for people and in JSON.
struct DraftPrinter {
  private let wording: Wording
  private let isWhole: Bool
  /// Whether there may be edits that are not shown.
  private let isBehind: Bool
  private let output: Output

  init(_ store: StoreReader, isWhole: Bool, _ output: Output) {
    wording = Wording(store)
    self.isWhole = isWhole
    isBehind = store.isBehind
    self.output = output
  }

  func show(_ draft: UnsavedWork) {
    if output.isJSON { return output.json(json(draft)) }
    let name = draft.contextName.isEmpty ? "" : "  \(draft.contextName)"
    output.line(
      "\("draft \(draft.context.rawValue)", .heading)\(name, .strong)  \(Wording.time(draft.date))  \(Wording.count(draft.editCount, "edit")), \(Wording.count(draft.changes.count, "object")), on commit \(draft.base)"
    )
    if let problem = draft.problem { output.line("  \("incomplete:", .warning) \(problem)") }
    guard isWhole else { return }
    for change in draft.changes {
      output.line("  \(ChangeWording.sign(change.kind)) \(wording.name(change.objectID))")
      for (key, value) in change.values.sorted(by: { $0.key < $1.key }) {
        output.line("      \(key, .key): \(ChangeWording.words(value, change.kind, wording))")
      }
    }
  }

  private func json(_ draft: UnsavedWork) -> JSONValue {
    .document(
      "draft",
      [
        ("context", .count(draft.context.rawValue)), ("name", .string(draft.contextName)),
        ("date", .string(Wording.exactTime(draft.date))), ("base", .count(draft.base.rawValue)),
        ("edits", .count(draft.editCount)), ("isBehind", .boolean(isBehind)),
        ("problem", .text(draft.problem?.description)),
        ("objects", .array(draft.changes.map { .string(wording.name($0.objectID)) })),
        ("changes", isWhole ? .array(draft.changes.map { ChangeWording.json($0, wording) }) : nil),
      ])
  }
}
