internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal history` and `xjournal blame`: what values an object had, and which commits set them.
extension Command {
  static let history = Command(
    "history", "Tells every value that an object had: when, by whom, old and new.",
    details: [
      "A key that was renamed is followed through all its names, whichever is asked for, and its values, and objects in them, "
        + "are told by those they had. Where two keys had a name in turn, each is meant as long as it had it.",
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
    let snapshot = try request.snapshot()
    let object = try request.object(0, snapshot)
    let passed = PassedCommits(request)
    let values = try onStore(about: object, store) { () throws(StoreError) in
      try store.history(of: object, key: request.operand(1), passingOver: passed.pass)
    }.filter { $0.commit <= number }
    let names = request.operand(1).map { NamesOfKey(of: $0, in: object.entity, store) }
    let former = try droppedRow(of: object, request, passed, through: number)
    let wanted = former.flatMap { names?.keys(inEra: $0.state.eras.count - 1) }
    let dropped = rowValues(former?.row, store).filter { value in
      wanted == nil
        || store.existingKey(named: value.key).map { wanted?.contains($0) == true } == true
    }
    guard !values.isEmpty || !dropped.isEmpty else {
      passed.tell()
      let name = Wording(store, snapshot).name(object)
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
    let printer = PastValuePrinter(store, object, snapshot, request.output)
    for value in dropped {
      printer.show(value.key, value.value, "before commit \(store.firstKeptCommit)")
    }
    for value in values {
      passed.tell(before: value.commit)
      printer.show(value, value.key, withOld: true)
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
    let snapshot = try request.snapshot()
    let object = try request.object(0, snapshot)
    let printer = PastValuePrinter(store, object, snapshot, request.output)
    let row = try onStore { () throws(StoreError) in try snapshot.row(of: object) }
    let passed = PassedCommits(request)
    let (found, lastPassed) = try blame(object, store, number, snapshot, passed)
    let known = found.filter { key, value in
      // Another may have come by a commit that cannot be read, or the same again.
      passed.isNone
        || value.commit > lastPassed
          && store.existingKey(named: key).flatMap { row?[$0] } == value.new
    }
    let former = try droppedRow(of: object, request, passed, through: number)
    let carried = former.flatMap { snapshot.converted($0.row, of: object, from: $0.state) }
    let dropped = rowValues(carried, store).filter { dropped in
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
      throw .no("\(Wording(store, snapshot).name(object)) had no values at commit \(number).")
    }
    for value in untold { printer.show(value.key, value.value, "commit cannot be told") }
    for value in dropped {
      printer.show(value.key, value.value, "before commit \(store.firstKeptCommit)")
    }
    for (key, value) in known { printer.show(value, key, withOld: false) }
    return .fine
  }

  /// What an object had before the first commit that compaction has kept, with the state that this is of; nil where all
  /// are kept.
  private static func droppedRow(
    of object: ObjectID, _ request: Request, _ passed: PassedCommits, through number: CommitNumber
  ) throws(ToolError) -> (row: Row?, state: Snapshot)? {
    let store = try request.store()
    let last = store.firstKeptCommit.previous
    guard last > .none, number >= last else { return nil }
    return try onStore(about: object, store) { () throws(StoreError) in
      do throws(StoreError) {
        let state = last == store.lastCommit ? store.head : try store.snapshot(at: last)
        return (try state.row(of: object), state)
      } catch {
        guard error.isFinding else { throw error }
        passed.passWhatIsDropped(error)
        return nil
      }
    }
  }

  /// The values of a row by key.
  private static func rowValues(_ row: Row?, _ store: StoreReader) -> [(key: String, value: Value)]
  {
    (row?.entries ?? []).map { (key: store.nameTold(of: $0.key), value: $0.value) }
      .sorted { $0.key < $1.key }
  }

  /// The values that an object had at a commit, each with the commit that set it, by the keys of then; and the last
  /// commit before that which was passed over.
  private static func blame(
    _ object: ObjectID, _ store: StoreReader, _ number: CommitNumber, _ snapshot: Snapshot,
    _ passed: PassedCommits
  ) throws(ToolError) -> (values: [(key: String, value: PastValue)], lastPassed: CommitNumber) {
    let head = store.head
    var last: [String: PastValue] = [:]
    var lastPassed = CommitNumber.none
    try onStore(about: object, store) { () throws(StoreError) in
      if number == head.number, snapshot.eras.count == head.eras.count {
        do throws(StoreError) {
          last = try store.blame(object)
          return
        } catch {
          guard error.isFinding else { throw error }
        }
      }
      let values = try store.history(of: object, key: nil) { commit, error in
        if commit <= number { lastPassed = max(lastPassed, commit) }
        passed.pass(commit, error)
      }
      var place = 0
      for value in values where value.commit <= number {
        let era = head.eraCount(at: value.commit) - 1
        last = store.renamed(last, of: object, from: place, to: era)
        place = era
        last[value.key] = value.new == nil ? .none : value
      }
      last = store.renamed(last, of: object, from: place, to: snapshot.eras.count - 1)
    }
    return (last.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, lastPassed)
  }
}

extension StoreReader {
  /// What is noted by the keys of an era, by those of a later one.
  fileprivate func renamed(
    _ values: [String: PastValue], of object: ObjectID, from era: Int, to last: Int
  ) -> [String: PastValue] {
    guard era < last else { return values }
    var renamed: [String: PastValue] = [:]
    for (key, value) in values {
      guard let number = existingKey(named: key) else { continue }
      for later in laterKeys(of: number, in: object.entity, from: era, to: last) {
        renamed[name(of: later) ?? ""] = value
      }
    }
    return renamed
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
  private let store: StoreReader
  private let wording: Wording
  private let object: ObjectID
  private let output: Output

  /// - Parameter snapshot: the state by whose names the object is told.
  init(_ store: StoreReader, _ object: ObjectID, _ snapshot: Snapshot, _ output: Output) {
    self.store = store
    wording = Wording(store, snapshot)
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

  /// - Parameter key: what the key is called.
  func show(_ value: PastValue, _ key: String, withOld: Bool) {
    // As the model of then says what it is, and what objects are called.
    let then = Wording(store, at: value.commit)
    guard !output.isJSON else {
      let old = withOld ? then.json(value.old, value.key, of: object) : nil
      output.json(
        .document(
          "value",
          [
            ("object", .string(wording.name(object))), ("key", .string(key)),
            ("commit", .count(value.commit.rawValue)),
            ("date", .string(Wording.exactTime(value.date))), ("author", .text(value.author)),
            ("message", .text(value.message)), ("context", .text(value.contextName)), ("old", old),
            ("new", then.json(value.new, value.key, of: object)),
          ]))
      return
    }
    let who = value.author.map { "  \($0)" } ?? ""
    let line: Words =
      "\("commit \(value.commit)", .heading)  \(Wording.time(value.date))\(who, .strong)  \(key, .key): "
    guard withOld else { return output.line(line + Words(wording.text(value.new))) }
    output.line(line + "\(then.text(value.old), .removed) → \(then.text(value.new), .added)")
  }
}
