internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal history` and `xjournal blame`: what values an object had, and which commits set them.
extension Command {
  static let history = Command(
    "history", "Tells every value that an object had: when, by whom, old and new.",
    details: [
      "Of what compaction has dropped there are the values that were there before the first commit that is kept; "
        + "‘commit’ is null of them in JSON.",
      "Commits that cannot be read are passed over: which those are is told, and ends it with 65. Of what comes before "
        + "them some values may be left out where the object's beginning cannot be read either. Where there is nothing else, "
        + "it is told that what the object had cannot be told.",
    ],
    examples: [
      Example("xjournal history Post/1 title", "what became of a title"),
      Example(
        "xjournal history Post/1 --json", "everything about the object, a line for each value"),
    ],
    operands: [
      Operand("OBJECT", "Post/7, the value of an identifier, or a URI"),
      Operand("KEY", "only values of the key", isOptional: true),
    ],
    travels: true
  ) { (request) throws(ToolError) in
    let (store, number) = (try request.store(), try request.commitNumber())
    let object = try request.object(0, request.snapshot())
    let passed = PassedCommits(request)
    let values = try onStore(about: object, store) { () throws(StoreError) in
      try store.history(of: object, key: request.operand(1), passingOver: passed.pass)
    }.filter { $0.commit <= number }
    let dropped = try droppedValues(of: object, request, passed, through: number)
      .filter { request.operand(1) == nil || $0.key == request.operand(1) }
    guard !values.isEmpty || !dropped.isEmpty else {
      passed.tell()
      let name = Wording(store).name(object)
      guard let key = request.operand(1) else {
        guard passed.isNone else {
          return request.cannotTell("what values \(name) had up to commit \(number)")
        }
        throw .no("\(name) had no value up to commit \(number).")
      }
      let isKey = store.existingKey(named: key) != nil
      guard passed.isNone || !isKey else {
        return request.cannotTell("what values of ‘\(key)’ \(name) had up to commit \(number)")
      }
      let known = isKey ? [] : store.keyNames
      throw .no(
        "\(name) had no value of ‘\(key)’ up to commit \(number)", nearest: key, among: known)
    }
    let printer = PastValuePrinter(store, object, request.output)
    for value in dropped {
      printer.show(value.key, value.value, "before commit \(store.firstKeptCommit)")
    }
    for value in values {
      passed.tell(before: value.commit)
      printer.show(value, withOld: true)
    }
    passed.tell()
    return .fine
  }

  static let blame = Command(
    "blame", "Tells for each value of an object which commit set it.",
    details: [
      "Where that commit may be one that cannot be read the value is shown all the same: which commit set it cannot be told, "
        + "and ‘commit’ is null in JSON, as it is of what compaction has dropped. That ends it with 65."
    ],
    examples: [
      Example("xjournal blame Post/1", "who is to be asked about which value"),
      Example("xjournal blame Post/1 --at head~2", "as it was two commits ago"),
    ],
    operands: [Operand("OBJECT", "Post/7, the value of an identifier, or a URI")],
    travels: true
  ) { (request) throws(ToolError) in
    let (store, number) = (try request.store(), try request.commitNumber())
    let object = try request.object(0, request.snapshot())
    let printer = PastValuePrinter(store, object, request.output)
    let row = try onStore { [snapshot = try request.snapshot()] () throws(StoreError) in
      try snapshot.row(of: object)
    }
    let passed = PassedCommits(request)
    let known = try blame(object, store, number, passed).filter { value in
      // Another may have come by a commit that cannot be read.
      passed.isNone || store.existingKey(named: value.key).flatMap { row?[$0] } == value.new
    }
    let dropped = try droppedValues(of: object, request, passed, through: number).filter {
      dropped in
      store.existingKey(named: dropped.key).map { row?[$0] } == dropped.value
        && !known.contains { $0.key == dropped.key }
    }
    let untold =
      passed.isNone
      ? []
      : (row?.entries ?? []).map {
        (key: store.nameTold(of: $0.key), value: $0.value)
      }.filter { value in
        !known.contains { $0.key == value.key } && !dropped.contains { $0.key == value.key }
      }.sorted { $0.key < $1.key }
    defer { passed.tell() }
    guard !known.isEmpty || !dropped.isEmpty || !untold.isEmpty else {
      throw .no("\(Wording(store).name(object)) had no values at commit \(number).")
    }
    for value in untold { printer.show(value.key, value.value, "commit cannot be told") }
    for value in dropped {
      printer.show(value.key, value.value, "before commit \(store.firstKeptCommit)")
    }
    for value in known { printer.show(value, withOld: false) }
    return .fine
  }

  /// The values that an object had, by key, before the first commit that compaction has kept; none where all are kept.
  private static func droppedValues(
    of object: ObjectID, _ request: Request, _ passed: PassedCommits, through number: CommitNumber
  ) throws(ToolError) -> [(key: String, value: Value)] {
    let store = try request.store()
    let last = store.firstKeptCommit.previous
    guard last > .none, number >= last else { return [] }
    let row = try onStore(about: object, store) { () throws(StoreError) -> Row? in
      do throws(StoreError) {
        let state = last == store.lastCommit ? store.head : try store.snapshot(at: last)
        return try state.row(of: object)
      } catch {
        guard error.isFinding else { throw error }
        passed.passWhatIsDropped(error)
        return nil
      }
    }
    return (row?.entries ?? []).map { (store.nameTold(of: $0.key), $0.value) }
      .sorted { $0.0 < $1.0 }
  }

  /// The values that an object had at a commit, each with the commit that set it, by key.
  private static func blame(
    _ object: ObjectID, _ store: StoreReader, _ number: CommitNumber, _ passed: PassedCommits
  ) throws(ToolError) -> [PastValue] {
    var last: [String: PastValue] = [:]
    try onStore(about: object, store) { () throws(StoreError) in
      if number == store.lastCommit {
        do throws(StoreError) {
          last = try store.blame(object)
          return
        } catch {
          guard error.isFinding else { throw error }
        }
      }
      let values = try store.history(of: object, key: nil, passingOver: passed.pass)
      for value in values where value.commit <= number {
        last[value.key] = value.new == nil ? .none : value
      }
    }
    return last.values.sorted { $0.key < $1.key }
  }
}

/// Runs calls to a store about an object, whose failures name it as people do.
func onStore<Answer>(
  about object: ObjectID, _ store: StoreReader, _ body: () throws(StoreError) -> Answer
) throws(ToolError) -> Answer {
  do throws(StoreError) {
    return try body()
  } catch {
    let told = ToolError(error)
    throw told.saying(
      told.message.replacing(object.uri, with: Wording(store).name(object)))
  }
}

extension StoreReader {
  /// Refuses an object that no commit knows, where nothing was found of it.
  func refuseUnknown(_ object: ObjectID) throws(ToolError) {
    _ = try onStore(about: object, self) { () throws(StoreError) in
      // What cannot be read of it is told elsewhere.
      try history(of: object, key: nil) { _, _ in }
    }
  }
}

/// Shows values with the commits that set them.
private struct PastValuePrinter {
  private let wording: Wording
  private let object: ObjectID
  private let output: Output

  init(_ store: StoreReader, _ object: ObjectID, _ output: Output) {
    wording = Wording(store)
    self.object = object
    self.output = output
  }

  /// Shows a value of which it is not known which commit has set it.
  ///
  /// - Parameter known: what is known of that.
  func show(_ key: String, _ value: Value, _ known: String) {
    guard !output.isJSON else {
      return output.json(
        .document(
          "value",
          [
            ("object", .string(wording.name(object))), ("key", .string(key)), ("commit", .null),
            ("new", wording.json(value, key, of: object)),
          ]))
    }
    output.line("\(known, .heading)  \(key, .key): \(wording.text(value))")
  }

  func show(_ value: PastValue, withOld: Bool) {
    guard !output.isJSON else {
      let old = withOld ? wording.json(value.old, value.key, of: object) : nil
      output.json(
        .document(
          "value",
          [
            ("object", .string(wording.name(object))), ("key", .string(value.key)),
            ("commit", .count(value.commit.rawValue)),
            ("date", .string(Wording.exactTime(value.date))), ("author", .text(value.author)),
            ("message", .text(value.message)), ("context", .text(value.contextName)), ("old", old),
            ("new", wording.json(value.new, value.key, of: object)),
          ]))
      return
    }
    let who = value.author.map { "  \($0)" } ?? ""
    let line: Words =
      "\("commit \(value.commit)", .heading)  \(Wording.time(value.date))\(who, .strong)  \(value.key, .key): "
    guard withOld else { return output.line(line + Words(wording.text(value.new))) }
    output.line(
      line + "\(wording.text(value.old), .removed) → \(wording.text(value.new), .added)")
  }
}
