internal import FoundationEssentials
internal import ObjectModel
internal import ObjectPatching
internal import ObjectQuery
internal import ObjectStore

/// `xjournal events`: the edits themselves, in the order in which they were made.
extension Command {
  static let events = Command(
    "events", "Tells the edits themselves, of all contexts in the order in which they were made.",
    details: [
      "Objects and keys are called as they were when it happened.",
      "Edits that a program has made since its last save are told too, also where it has died: those that are in no frame "
        + "yet as far as the file of unsaved edits has them.",
      "Where a segment cannot be read to its end, that is told, the events of the next ones follow, and it ends with 65.",
    ],
    examples: [
      Example("xjournal events", "everything that happened"),
      Example(
        "xjournal events --context editor --json", "what one context did, a line for each event"),
      Example("xjournal events --id Post/1 -n 10", "the first ten events about an object"),
    ],
    options: [
      Option("context", value: "NAME", "only of contexts of this name or number"),
      Option("id", value: "OBJECT", "only about the object"),
      Option("kind", value: "KIND", "only of this kind: set, inserted, undone, saved, …"),
      Option("since", value: "REF", "only from this time or commit on"),
      Option("until", value: "REF", "only up to this time or commit"),
      Option("limit", letter: "n", value: "COUNT", "no more than so many"),
    ],
    travels: true
  ) { (request) throws(ToolError) in
    let store = try request.store()
    var selection = try EventSelection(request, store)
    var printer = try EventPrinter(store, request.output)
    let limit = try request.number("limit")
    var count = 0
    guard limit != 0 else { return .fine }
    var isWhole = true
    try request.forEachEvent(of: store) { next in
      selection.pass(before: next)
      printer.pass(before: next)
    } _: { (event) throws(StoreError) in
      printer.take(event)
      guard let isWanted = selection.take(event) else {
        isWhole = false
        return false
      }
      guard isWanted else { return true }
      printer.show(event)
      count += 1
      isWhole = request.output.isOpen && count != limit
      return isWhole
    }
    guard isWhole, count == 0 else { return .fine }
    if let error = selection.unknownContext { throw error }
    if let object = selection.unmetObject { try store.refuseUnknown(object) }
    return .fine
  }
}

extension StoreReader {
  /// Whether the journal may have events up to a commit: not where it begins with a state behind that.
  func hasEvents(through last: CommitNumber) throws(ToolError) -> Bool {
    let first = try onStore { () throws(StoreError) in try firstCommitThere() }
    return last >= first ?? lastCommit.next
  }
}

/// Which events are wanted.
struct EventSelection {
  private var context: String?
  private var object: ObjectID?
  private var kind: String?
  private var since: Date?
  private var until: Date?
  private var first: CommitNumber = .none
  private var last: CommitNumber?
  private var isPast = false
  private var number: CommitNumber = .none
  private var contextNames: Set<String> = []
  private var hasMetObject = false

  /// The object that is asked for, where none of the events that were looked at is about it.
  var unmetObject: ObjectID? { hasMetObject ? nil : object }

  /// Those up to a commit.
  init(through last: CommitNumber, of store: StoreReader) throws(ToolError) {
    self.last = last
    isPast = try !store.hasEvents(through: last)
  }

  init(_ request: Request, _ store: StoreReader) throws(ToolError) {
    context = request["context"]
    kind = request["kind"]
    if let kind, !StoreEvent.Kind.names.contains(kind) {
      let nearest = Spelling.nearest(to: kind, among: StoreEvent.Kind.names)
      throw .usage(
        "there is no kind of event ‘\(kind)’"
          + (nearest.map { "; did you mean ‘\($0)’?" }
            ?? "; there are \(StoreEvent.Kind.names.joined(separator: ", "))."))
    }
    object = try request["id"].map { (text) throws(ToolError) in
      try ObjectReference(text).object(in: store, request.snapshot())
    }
    try request.refuseBackwards(in: store)
    if let next = try onStore({ () throws(StoreError) in try store.firstCommitThere() }) {
      number = next.previous
    }
    if let text = request["since"] {
      let reference = try Reference(text, now: request.now)
      since = reference.date
      if since == nil { first = try reference.beginning(in: store) }
    }
    for text in [request["until"], request["at"]].compactMap(\.self) {
      let reference = try Reference(text, now: request.now)
      if let date = reference.lastDate {
        until = min(until ?? date, date)
      } else {
        let number = try reference.commit(in: store)
        last = min(last ?? number, number)
      }
    }
    isPast =
      try last.map { (last) throws(ToolError) in try !store.hasEvents(through: last) } ?? false
  }

  /// That there is no context of the name, where none of the events that were looked at is of one.
  var unknownContext: ToolError? {
    guard let context, !contextNames.contains(context) else { return nil }
    let nearest = Spelling.nearest(to: context, among: contextNames.filter { !$0.isEmpty }.sorted())
    return .no(
      "no event is of a context ‘\(context)’" + (nearest.map { "; did you mean ‘\($0)’?" } ?? "."))
  }

  /// Goes on behind what cannot be read, with the edits of a commit; of none where there is no other.
  mutating func pass(before next: CommitNumber?) {
    if let last, next.map({ $0 > last }) ?? true { isPast = true }
    if let next { number = max(number, next.previous) }
  }

  /// Whether an event is wanted; nil where none is any more.
  mutating func take(_ event: StoreEvent) -> Bool? {
    if isPast { return nil }
    if let object, event.kind.objects.contains(object) { hasMetObject = true }
    if let until, event.date > until { return nil }
    let before = number
    if case .saved(let commit) = event.kind, commit > .none {
      number = commit
      if let last, commit >= last { isPast = true }
    }
    if let last, last == .none { return nil }
    if let since, event.date < since { return false }
    // The edits of a commit come before it, and behind what saved the one before.
    if first > .none, before.next < first { return false }
    if let context {
      let names = event.context.map { ["\($0.number)", $0.name ?? ""] } ?? []
      contextNames.formUnion(names)
      guard names.contains(context) else { return false }
    }
    if let kind, event.kind.name != kind { return false }
    if let object, !event.kind.objects.contains(object) { return false }
    return true
  }
}
