// What a checkpoint says of the store as a whole is what the journal says of it, and where it is not, that is found.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct CatalogueVerificationTests {
  /// One thing that a checkpoint says otherwise, and words of what must be found.
  struct Forgery: CustomTestStringConvertible, Sendable {
    let name: String
    let words: String
    /// Whether a journal shows it whose beginning compaction has dropped.
    var isFoundInPart = true
    let change: @Sendable (inout [String: Value]) throws -> Void

    var testDescription: String { name }
  }

  private struct NoField: Error {}

  /// Changes what a checkpoint says of its only context.
  private static func context(
    _ name: String, _ words: String, _ change: @escaping @Sendable (inout [String: Value]) -> Void
  ) -> Forgery {
    Forgery(name: name, words: words) {
      guard case .array(var contexts)? = $0["contexts"], contexts.count == 1,
        case .dictionary(var fields) = contexts[0]
      else { throw NoField() }
      change(&fields)
      contexts[0] = .dictionary(fields)
      $0["contexts"] = .array(contexts)
    }
  }

  private static func moving(_ name: String, by count: Int)
    -> @Sendable (inout [String: Value]) -> Void
  {
    { $0[name] = $0[name].flatMap(\.integer).map { .integer($0 + count) } }
  }

  private static func tags(
    _ name: String, _ words: String, isFoundInPart: Bool = true, _ tags: [String: Value]
  ) -> Forgery {
    Forgery(name: name, words: words, isFoundInPart: isFoundInPart) {
      $0["tags"] = .dictionary(tags)
    }
  }

  static let forgeries: [Forgery] = [
    Forgery(name: "time", words: "was made at", change: moving("time", by: 7)),
    Forgery(name: "first commit", words: "the first commit is", change: moving("since", by: -1)),
    Forgery(name: "a key by another name", words: "is “new”") {
      guard case .array(var names)? = $0["keys"] else { throw NoField() }
      names[names.count - 1] = "other"
      $0["keys"] = .array(names)
    },
    Forgery(name: "a key more", words: "names of keys", isFoundInPart: false) {
      guard case .array(let names)? = $0["keys"] else { throw NoField() }
      $0["keys"] = .array(names + ["other"])
    },
    tags("no tag", "tag “late”", [:]),
    tags("a tag elsewhere", "tag “late”", ["early": 1, "late": 1]),
    tags("a tag more", "there are 2 tags", isFoundInPart: false, ["early": 1, "late": 3, "x": 1]),
    Forgery(name: "no numbers given", words: "number") { $0["numbers"] = [] },
    Forgery(
      name: "a context is still to come", words: "the next context is",
      change: moving("nextContext", by: -1)),
    Forgery(
      name: "a context more is to come", words: "the next context is", isFoundInPart: false,
      change: moving("nextContext", by: 1)),
    Forgery(name: "a draft less", words: "is open") { $0["contexts"] = [] },
    context("a draft of another context", "open") { $0["number"] = 1 },
    context("a draft that began later", "began with edit", moving("firstEdit", by: 1)),
    context("a draft of a child", "began with edit") { $0["parent"] = 1 },
    context("a draft by another name", "is “renamed” on commit") { $0["name"] = "other" },
    context("a draft with nothing unsaved", "is “renamed” on commit") {
      $0["firstUnsavedEdit"] = nil
    },
    context(
      "a draft without its first edit", "is “renamed” on commit", moving("firstUnsavedEdit", by: 1)),
    context("a draft on another commit", "is “renamed” on commit", moving("base", by: 1)),
    context("a draft that never stood on older", "is “renamed” on commit", moving("oldest", by: 1)),
  ]

  /// A closed store with a draft, tags, and dynamic keys, of which some are as old as can be.
  private func made(compacted: Bool) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 61)
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    let title = try store.key(named: "title")
    func save(_ value: Value) throws {
      let context = try store.beginContext(name: "saver", on: store.lastCommit)
      let object = try store.newObject(of: EntityNumber(rawValue: 0))
      try store.record(.inserted(object), by: context)
      try store.record(.set(object, title, value), by: context)
      _ = try store.commit(
        CommitRequest([.init(object, base: .none, nil, to: Row([title: value]))]), by: context)
      try store.endContext(context)
    }
    try save("one")
    try store.tag("early", 1)
    try save("two")
    try store.beginSegment()
    let draft = try store.beginContext(name: "draft", on: store.lastCommit)
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    try store.record(.inserted(object), by: draft)
    try store.record(.set(object, try store.key(named: "new"), 1), by: draft)
    try store.record(.renamed("renamed"), by: draft)
    try save("three")
    try store.tag("late", 3)
    if compacted { try store.compact(keeping: .latest) }
    try store.checkpoint()
    try store.close()
    return disk
  }

  private func findings(_ disk: SimulatedDisk) throws -> [[StoreFinding]] {
    let reader = try StoreReader(on: disk, at: StoreLife.path).verification(deep: true).findings
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: nil, options: .small)
    defer { try? store.close() }
    return [reader, try store.verify(deep: true)]
  }

  @Test(arguments: [false, true])
  func `S75: what a checkpoint says of the store is what its journal says`(compacted: Bool) throws {
    let disk = try made(compacted: compacted)
    let kept = try StoreReader(on: disk, at: StoreLife.path).firstKeptCommit
    #expect(kept == (compacted ? 3 : 1))
    #expect(try findings(disk) == [[], []])
  }

  @Test(arguments: forgeries, [false, true])
  func `S75: a checkpoint is found that says of the store what its journal does not`(
    forgery: Forgery, compacted: Bool
  ) throws {
    let disk = try made(compacted: compacted)
    try disk.forgeCheckpoint(forgery.change)
    for found in try findings(disk) {
      let isFound = found.contains {
        $0.description.hasPrefix("by the journal") && $0.description.contains(forgery.words)
      }
      #expect(isFound == (!compacted || forgery.isFoundInPart), "\(found)")
    }
  }
}
