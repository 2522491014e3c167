internal import ObjectModel
internal import ObjectStore

/// `xjournal log`: the commits, the last first.
extension Command {
  static let log = Command(
    "log", "Tells the commits, the last first.",
    details: [
      "What is asked for is looked up from the newest commit back, so that -n reads no more than it shows. Of --since "
        + "and --until both ends are among what is shown.",
      "Each commit is told by the names that its objects and keys had when it was made. --entity and --attr find what has the "
        + "name in any model, under all its names; where two things had it in turn, each as long as it had it.",
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
      Option(
        "author", value: "TEXT", "only of authors whose name has this in it, in capitals or not"),
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
