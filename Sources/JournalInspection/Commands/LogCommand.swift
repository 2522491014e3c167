internal import FoundationEssentials
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// `xjournal log`: the commits, the last first.
extension Command {
  static let log = Command(
    "log", "Tells the commits, the last first.",
    details: [
      "What is asked for is looked up from the newest commit back, so that -n reads no more than it shows. Of --since "
        + "and --until both ends are among what is shown."
    ],
    examples: [
      Example("xjournal log -n 20", "the last twenty commits"),
      Example("xjournal log -p --author ann --since '2 days ago'", "what ann changed lately"),
      Example("xjournal log --id Post/1 --attr title -p", "who changed a title, and how"),
      Example("xjournal log --stat --reverse", "from the first on, with the objects of each"),
    ],
    options: [
      Option("patch", letter: "p", "with old and new values"),
      Option("stat", "with the objects, and which of their values changed"),
      Option("author", value: "TEXT", "only of authors whose name has this in it"),
      Option("entity", value: "NAME", "only what changed objects of the entity"),
      Option("id", value: "OBJECT", "only what changed the object"),
      Option("attr", value: "KEY", "only what changed values of the key"),
      Option("since", value: "REF", "only from this time or commit on"),
      Option("until", value: "REF", "only up to this time or commit"),
      Option(
        "grep", value: "PATTERN", "only with messages in which the regular expression is found"),
      Option("limit", letter: "n", value: "COUNT", "no more than so many"),
      Option("reverse", "the first first"),
      Option(
        "follow", letter: "f", "wait for further commits, and tell of them when they are made"),
    ],
    travels: true
  ) { (request) throws(ToolError) in
    let store = try request.store()
    let selection = try CommitSelection(request, store)
    let detail: CommitDetail =
      request.has("patch") ? .values : request.has("stat") ? .objects : .summary
    var printer = CommitPrinter(store, detail, request.output)
    try selection.forEach(in: store, limit: try request.number("limit"), request) {
      (content) throws(StoreError) in
      try printer.show(content)
      return request.output.isOpen
    }
    guard request.has("follow") else { return .fine }
    var last = store.lastCommit
    while request.output.isOpen, request.output.console.pause(milliseconds: 200) {
      request.output.flush()
      try onStore { () throws(StoreError) in
        guard try store.refresh() else { return }
        while last < store.lastCommit {
          last = last.next
          let content = try store.content(of: last)
          if selection.admits(content, store) { try printer.show(content) }
        }
      }
      request.output.flush()
    }
    return .fine
  }
}

/// Which commits are wanted.
private struct CommitSelection {
  private let author: String?
  private let entity: String?
  private let object: ObjectID?
  private let key: KeyNumber?
  private let pattern: Pattern?
  private var first: CommitNumber
  private var last: CommitNumber
  private var since: Date?
  private var until: Date?

  init(_ request: Request, _ store: StoreReader) throws(ToolError) {
    author = request["author"]?.lowercased()
    entity = request["entity"]
    if let entity, !store.head.eras.contains(where: { $0.number(of: entity) != nil }) {
      let nearest = Spelling.nearest(
        to: entity, among: store.model?.descriptions.map(\.name) ?? [])
      throw .no(
        "there is no entity ‘\(entity)’" + (nearest.map { "; did you mean ‘\($0)’?" } ?? "."))
    }
    object = try request["id"].map { (text) throws(ToolError) in
      try ObjectReference(text).object(in: store, store.head)
    }
    if let name = request["attr"] {
      guard let number = store.existingKey(named: name) else {
        throw .no("no object ever had a value of ‘\(name)’.")
      }
      key = number
    } else {
      key = nil
    }
    if let text = request["grep"] {
      // A pattern matches a whole text.
      guard Pattern.read(text) != nil, let read = Pattern.read("(?s:.*)(?:\(text))(?s:.*)") else {
        throw .usage("‘\(text)’ is no regular expression.")
      }
      pattern = read
    } else {
      pattern = nil
    }
    (first, last) = (store.firstKeptCommit, try request.commitNumber())
    if let text = request["since"] {
      let reference = try Reference(text, now: request.now)
      since = reference.date
      if since == nil { first = max(first, try reference.commit(in: store)) }
    }
    if let text = request["until"] {
      let reference = try Reference(text, now: request.now)
      until = reference.date
      last = min(last, try reference.commit(in: store))
    }
  }

  /// Whether a commit is wanted, whenever it was made.
  func admits(_ content: CommitContent, _ store: StoreReader) -> Bool {
    if let author, content.author?.lowercased().contains(author) != true { return false }
    if let pattern, content.message.map(pattern.matches) != true { return false }
    guard entity != nil || object != nil || key != nil else { return true }
    return content.changes.contains { change in
      if let object, change.object != object { return false }
      if let key, change[key] == nil { return false }
      guard let entity else { return true }
      let era = store.head.eras.last { $0.since < content.number } ?? store.head.eras.first
      return era?.entity(of: change.object)?.isKind(of: entity) ?? false
    }
  }

  /// Calls a closure with the commits that are wanted, in the order that is.
  func forEach(
    in store: StoreReader, limit: Int?, _ request: Request,
    _ body: (CommitContent) throws(StoreError) -> Bool
  ) throws(ToolError) {
    guard limit != 0, last >= first, last > .none else { return }
    let isReversed = request.has("reverse")
    // Of the last few the first is told first, so these are found before any is told.
    var held: [CommitNumber] = []
    try onStore { () throws(StoreError) in
      var number = isReversed && limit == nil ? first : last
      var count = 0
      while number >= first, number <= last, number > .none {
        let content = try store.content(of: number)
        if let since, content.time.date < since, !(isReversed && limit == nil) { break }
        let isInTime = since.map { content.time.date >= $0 } ?? true
        if isInTime, admits(content, store) {
          count += 1
          if isReversed, limit != nil {
            held.append(number)
          } else {
            guard try body(content) else { return }
          }
          if count == limit { break }
        }
        number = isReversed && limit == nil ? number.next : number.previous
      }
      for number in held.reversed() {
        guard try body(try store.content(of: number)) else { return }
      }
    }
  }
}
