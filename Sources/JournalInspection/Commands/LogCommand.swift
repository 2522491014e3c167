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
        + "and --until both ends are among what is shown.",
      "With --follow the first come first, as each further commit comes when it is made. -n says how many of those that "
        + "are there already are shown, the newest; all that follow are. It ends with 66 where the journal is there no more, or "
        + "another is in its place or an earlier state of it, and with 65 where it cannot be read further.",
      "Commits that cannot be read are passed over: which those are is told, and ends it with 65. Where no state was kept behind "
        + "the damage, what is sound there is not shown either; ‘repair --salvage’ makes a journal of it.",
    ],
    examples: [
      Example("xjournal log -n 20", "the last twenty commits"),
      Example("xjournal log -p --author ann --since '2 days ago'", "what ann changed lately"),
      Example("xjournal log --id Post/1 --attr title -p", "who changed a title, and how"),
      Example("xjournal log --stat --reverse", "from the first on, with the objects of each"),
      Example("xjournal log -n 10 --follow", "the last ten, and each that is made from now on"),
    ],
    options: [
      Option("patch", letter: "p", "with old and new values"),
      Option("stat", "with the objects, which of their values changed, and how many"),
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
    // What is asked for up to a moment is told, and nothing more comes.
    let follows = request.has("follow") && request["until"] == nil && request["at"] == nil
    let place = follows ? try FollowedPlace(request) : nil
    let store = try request.store()
    let selection = try CommitSelection(request, store)
    let limit = try request.number("limit")
    let detail: CommitDetail =
      switch (request.has("patch"), request.has("stat")) {
      case (true, true): .valuesAndCounts
      case (true, false): .values
      case (false, true): .objects
      case (false, false): .summary
      }
    let isForward = follows || request.has("reverse")
    var printer = CommitPrinter(
      store, detail, request.output, isForward ? .forward : .back)
    var isEmpty = true
    let passed = PassedCommits(request)
    try onStore { () throws(StoreError) in
      try selection.forEach(
        in: store, limit: limit, reversed: isForward, passingOver: passed.pass
      ) { (content, isWanted) throws(StoreError) in
        passed.tell()
        do throws(StoreError) {
          if isWanted { try printer.show(content) } else { try printer.leaveOut(content) }
        } catch {
          try request.passOverValues(of: content.number, error)
        }
        if isWanted { isEmpty = false }
        return request.output.isOpen
      }
    }
    passed.tell()
    if isEmpty, !follows, let object = selection.object { try store.refuseUnknown(object) }
    guard follows else { return .fine }
    var last = store.lastCommit
    return try request.follow(store, at: place) { () throws(StoreError) in
      printer.refresh()
      while last < store.lastCommit {
        last = last.next
        if let content = try selection.content(of: last, in: store) { try printer.show(content) }
      }
    }
  }
}

/// Which commits are wanted.
private struct CommitSelection {
  private let author: String?
  private let entity: String?
  let object: ObjectID?
  private let key: KeyNumber?
  private let pattern: Pattern?
  private var first: CommitNumber
  private var last: CommitNumber
  private var since: Date?

  init(_ request: Request, _ store: StoreReader) throws(ToolError) {
    author = request["author"]?.lowercased()
    entity = request["entity"]
    if let entity, !store.head.eras.contains(where: { $0.number(of: entity) != nil }) {
      throw .noEntity(entity, in: store.model)
    }
    object = try request["id"].map { (text) throws(ToolError) in
      try ObjectReference(text).object(in: store, request.snapshot())
    }
    if let name = request["attr"] {
      guard let number = store.existingKey(named: name) else {
        throw .no("no object ever had a value of ‘\(name)’", nearest: name, among: store.keyNames)
      }
      key = number
    } else {
      key = nil
    }
    if let text = request["grep"] {
      guard let read = Pattern.read(text) else { throw .usage(Pattern.refusal(of: text)) }
      pattern = read
    } else {
      pattern = nil
    }
    try request.refuseBackwards(in: store)
    (first, last) = (store.firstKeptCommit, try request.commitNumber())
    if let text = request["since"] {
      let reference = try Reference(text, now: request.now)
      since = reference.date
      if since == nil { first = max(first, try reference.beginning(in: store)) }
    }
    if let text = request["until"] {
      last = min(last, try Reference(text, now: request.now).commit(in: store))
    }
  }

  /// A commit, if it is wanted, whenever it was made. Where what it says of itself tells that it is not, nothing else of
  /// it is decoded.
  func content(
    of number: CommitNumber, in store: StoreReader
  ) throws(StoreError) -> CommitContent? {
    if author != nil || pattern != nil, !admits(heading: try store.heading(of: number)) {
      return nil
    }
    let content = try store.content(of: number)
    return admits(changesOf: content, store) ? content : nil
  }

  private func admits(heading: CommitContent) -> Bool {
    if let author, heading.author?.lowercased().contains(author) != true { return false }
    if let pattern, heading.message.map(pattern.isFound) != true { return false }
    return true
  }

  private func admits(changesOf content: CommitContent, _ store: StoreReader) -> Bool {
    guard entity != nil || object != nil || key != nil else { return true }
    return content.changes.contains { change in
      if let object, change.object != object { return false }
      if let key, change[key] == nil { return false }
      guard let entity else { return true }
      let era = store.head.eras.last { $0.since < content.number } ?? store.head.eras.first
      return era?.entity(of: change.object)?.isKind(of: entity) ?? false
    }
  }

  /// Calls a closure with the commits that are wanted, in the order that is, and with others that are passed on the
  /// way and are there at no further cost.
  ///
  /// - Parameter passingOver: is told of commits that cannot be read.
  func forEach(
    in store: StoreReader, limit: Int?, reversed: Bool,
    passingOver: (CommitNumber, StoreError) -> Void,
    _ body: (_ content: CommitContent, _ isWanted: Bool) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard limit != 0, last >= first, last > .none else { return }
    guard reversed else {
      return try forEachBack(in: store, limit: limit, passingOver) { (content) throws(StoreError) in
        try body(content, true)
      }
    }
    guard limit != nil || object != nil else {
      return try forEachForward(in: store, passingOver, body)
    }
    // Of the last few the first is told first, and the commits of an object lead back, so these are found before any
    // is told.
    var found: [CommitNumber] = []
    try forEachBack(in: store, limit: limit, passingOver) { (content) throws(StoreError) in
      found.append(content.number)
      return true
    }
    for number in found.reversed() {
      guard try body(try store.content(of: number), true) else { return }
    }
  }

  /// What a closure reads of a commit; nil where it cannot be read.
  private func reading<Answer>(
    _ number: CommitNumber, _ passingOver: (CommitNumber, StoreError) -> Void,
    _ body: () throws(StoreError) -> Answer?
  ) throws(StoreError) -> Answer? {
    do throws(StoreError) {
      return try body()
    } catch {
      guard error.isFinding else { throw error }
      passingOver(number, error)
      return nil
    }
  }

  /// The commits that are wanted, the last first; no more is read than that takes.
  private func forEachBack(
    in store: StoreReader, limit: Int?, _ passingOver: (CommitNumber, StoreError) -> Void,
    _ body: (CommitContent) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var count = 0
    var isPast = false
    func take(_ number: CommitNumber) throws(StoreError) -> Bool {
      let content = try reading(number, passingOver) { () throws(StoreError) -> CommitContent? in
        if let since, try store.heading(of: number).time.date < since {
          isPast = true
          return nil
        }
        return try self.content(of: number, in: store)
      }
      guard let content else { return !isPast }
      count += 1
      return try body(content) && count != limit
    }
    guard let object else {
      var number = last
      while number >= first, number > .none, try take(number) { number = number.previous }
      return
    }
    try store.forEachCommit(changing: object) { number, error in
      if number >= first, number <= last { passingOver(number, error) }
    } _: { (number) throws(StoreError) in
      guard number >= first else { return false }
      if number > last { return true }
      return try take(number)
    }
  }

  private func forEachForward(
    in store: StoreReader, _ passingOver: (CommitNumber, StoreError) -> Void,
    _ body: (CommitContent, Bool) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var number = try firstInTime(in: store)
    while number <= last {
      defer { number = number.next }
      let content = try reading(number, passingOver) { () throws(StoreError) in
        try store.content(of: number)
      }
      guard let content else { continue }
      let isLate = since.map { content.time.date >= $0 } ?? true
      let isWanted = isLate && admits(heading: content) && admits(changesOf: content, store)
      guard try body(content, isWanted) else { return }
    }
  }

  /// The first commit that is late enough, or one before it where that cannot be told.
  private func firstInTime(in store: StoreReader) throws(StoreError) -> CommitNumber {
    let first = max(first, CommitNumber.none.next)
    guard let since else { return first }
    do throws(StoreError) {
      var number = try store.commit(at: since).next
      while number > first, try store.heading(of: number.previous).time.date >= since {
        number = number.previous
      }
      return max(number, first)
    } catch {
      // Of what is kept, all is.
      guard error.code == .commitMissing || error.isFinding else { throw error }
      return first
    }
  }
}
