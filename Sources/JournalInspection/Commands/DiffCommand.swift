internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal diff`: what differs between two states.
extension Command {
  static let diff = Command(
    "diff", "Tells what differs between two states.",
    details: [
      "As a patch it can be applied to another store by ‘patch’, or by a program. Where the model has changed meanwhile, both "
        + "states are taken as the later one of the two has them: what was renamed does not differ by that. Objects of an entity "
        + "that the later model has no more are only in the earlier state, and it is said why. A patch leaves them out."
    ],
    examples: [
      Example("xjournal diff head~1", "what the last commit has done"),
      Example("xjournal diff 1 head --stat", "how much has changed since the first"),
      Example("xjournal diff 1 2 --format patch", "the same as a patch, in JSON"),
      Example("xjournal diff 1 1 --exit-code", "whether anything differs, for a script"),
    ],
    operands: [
      Operand("FROM", "the one state"),
      Operand("TO", "the other; head where it is not said", isOptional: true),
    ],
    options: [
      Option("stat", "only how many objects and values differ, by entity"),
      Option("name-only", "only which objects differ"),
      Option("format", choices: ["text", "json", "patch"], "how it is written"),
      Option("exit-code", "end with 1 where anything differs"),
    ],
    notTravellingAs: "the two states are named by themselves, as in ‘diff head~1 head’."
  ) { (request) throws(ToolError) in
    let store = try request.store()
    let from = try Reference(request.operands[0], now: request.now).commit(in: store)
    let to = try Reference(request.operand(1) ?? "head", now: request.now).commit(in: store)
    let format = try request.format("text", forPrograms: "json")
    guard !request.has("stat") || !request.has("name-only") else {
      throw .usage("--stat and --name-only ask for two things; leave one of them out.")
    }
    if format == "patch" {
      guard !request.has("stat"), !request.has("name-only") else {
        throw .usage("a patch has all that differs: leave --stat and --name-only out.")
      }
      let patch: Patch
      do {
        patch = try Patch.difference(in: store, from: .commit(from), to: .commit(to))
      } catch let error as StoreError {
        throw ToolError(error)
      } catch let error as PatchError {
        // Not everything that differs can be said by a patch.
        throw ToolError(.no, error.description)
      } catch {
        throw ToolError(.ourFault, "\(error)")
      }
      request.output.json(patch.jsonValue, asItIs: true)
      return request.has("exit-code") && !patch.isEmpty ? .no : .fine
    }
    let comparison = try StateComparison(request, store, from, to)
    var printer = DifferencePrinter(
      Wording(store, comparison.later), format == "json", isShort: request.has("name-only"),
      request.output)
    try onStore { () throws(StoreError) in
      try comparison.forEach { (difference) in
        if !request.has("stat") { printer.show(difference) }
        printer.count(difference)
        return request.output.isOpen
      }
    }
    if request.has("stat") { printer.showCounts() }
    return request.has("exit-code") && !printer.isEmpty ? .no : .fine
  }
}

/// What differs of an object between two states.
private struct ObjectDifference {
  let object: ObjectID
  let kind: Commit.Kind
  /// Whether the later model does not have its entity.
  let isWithoutEntity: Bool
  /// By key, in order.
  let values: [(key: String, value: Commit.ChangedValue)]
}

/// Compares two states of a store, of which only those objects are looked at that commits between them have changed; where
/// these cannot be read, all are. Those of entities that the later model does not have are looked at, too.
private struct StateComparison {
  private let store: StoreReader
  private let earlier: Snapshot
  let later: Snapshot
  private let isForward: Bool
  private let changed: [ObjectID]
  /// The entities that the later model has no more.
  private let gone: Set<EntityNumber>

  init(
    _ request: Request, _ store: StoreReader, _ from: CommitNumber, _ to: CommitNumber
  ) throws(ToolError) {
    self.store = store
    isForward = from < to
    (earlier, later, gone, changed) = try onStore { () throws(StoreError) in
      // The earlier state is made from the later.
      let later = try store.snapshot(
        at: max(from, to), countedBackFrom: store.head, passingOver: request.passOver)
      let earlier = try store.snapshot(
        at: min(from, to), countedBackFrom: later, passingOver: request.passOver)
      let gone = earlier.entities(goneIn: later)
      do throws(StoreError) {
        let changes = try store.netChanges(after: min(from, to), through: max(from, to)) ?? [:]
        var changed = Set(changes.keys)
        if !gone.isEmpty {
          changed.formUnion(try earlier.allObjects().filter { gone.contains($0.entity) })
        }
        return (earlier, later, gone, changed.sorted())
      } catch {
        guard error.isFinding else { throw error }
        request.passOver(error)
        let objects = Set(try earlier.allObjects()).union(try later.allObjects())
        return (earlier, later, gone, objects.sorted())
      }
    }
  }

  func forEach(_ body: (ObjectDifference) -> Bool) throws(StoreError) {
    for object in changed {
      let isGone = gone.contains(object.entity)
      let row = try earlier.row(of: object)
      let before = isGone ? row : later.converted(row, of: object, from: earlier)
      let after = try later.row(of: object)
      guard before != after else { continue }
      let (old, new) = isForward ? (before, after) : (after, before)
      let kind: Commit.Kind = old == nil ? .inserted : new == nil ? .deleted : .updated
      let keys = Set((old?.entries ?? []).map(\.key)).union((new?.entries ?? []).map(\.key))
      var values: [(key: String, value: Commit.ChangedValue)] = []
      for key in keys where old?[key] != new?[key] {
        values.append((store.nameTold(of: key), .init(old: old?[key], new: new?[key])))
      }
      let difference = ObjectDifference(
        object: object, kind: kind, isWithoutEntity: isGone,
        values: values.sorted { $0.key < $1.key })
      guard body(difference) else { return }
    }
  }
}

/// Shows differences, for people and in JSON.
private struct DifferencePrinter {
  private let wording: Wording
  private let isJSON: Bool
  private let isShort: Bool
  private let output: Output
  private var counts: [String: (inserted: Int, updated: Int, deleted: Int, values: Int)] = [:]

  init(_ wording: Wording, _ isJSON: Bool, isShort: Bool, _ output: Output) {
    self.wording = wording
    self.isJSON = isJSON
    self.isShort = isShort
    self.output = output
  }

  var isEmpty: Bool { counts.isEmpty }

  mutating func count(_ difference: ObjectDifference) {
    var count = counts[wording.entity(of: difference.object)] ?? (0, 0, 0, 0)
    switch difference.kind {
    case .inserted: count.inserted += 1
    case .updated: count.updated += 1
    case .deleted: count.deleted += 1
    }
    count.values += difference.values.count
    counts[wording.entity(of: difference.object)] = count
  }

  func show(_ difference: ObjectDifference) {
    guard !isJSON else { return output.json(json(difference)) }
    let reason =
      difference.isWithoutEntity
      ? "  the later model has no ‘\(wording.entity(of: difference.object))’" : ""
    output.line(
      "\(ChangeWording.sign(difference.kind)) \(wording.name(difference.object))\(reason, .faint)")
    guard !isShort else { return }
    for (key, value) in difference.values {
      output.line("    \(key, .key): \(ChangeWording.words(value, difference.kind, wording))")
    }
  }

  func showCounts() {
    for (entity, count) in counts.sorted(by: { $0.key < $1.key }) {
      if isJSON {
        output.json(
          .document(
            "differenceCount",
            [
              ("entity", .string(entity)), ("inserted", .count(count.inserted)),
              ("updated", .count(count.updated)), ("deleted", .count(count.deleted)),
              ("values", .count(count.values)),
            ]))
      } else {
        output.line(
          "\(entity, .key)  \("+\(count.inserted)", .added) \("~\(count.updated)", .heading) \("-\(count.deleted)", .removed)  \(Wording.count(count.values, "value"))"
        )
      }
    }
  }

  private func json(_ difference: ObjectDifference) -> JSONValue {
    let object = difference.object
    return .document(
      "difference",
      [
        ("object", .string(wording.name(object))), ("uri", .string(object.uri)),
        ("change", .string(difference.kind.name)),
        ("isWithoutEntity", difference.isWithoutEntity ? .boolean(true) : nil),
        (
          "values",
          isShort ? nil : ChangeWording.json(difference.values, of: object, wording)
        ),
      ])
  }
}
