import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// What must hold of the JSON of any differences.
@Suite struct JSONLawTests {
  @Test
  func
    `S79: differences come back from JSON, and lead to the same as JSON Patch and as merge patch`()
    throws
  {
    let campaign = Campaign(count: "XJ_JSON_DIFFERENCES", inGate: 60)
    let tally = Tally()
    let schema = try JSONSchema.ofPatches()
    try campaign.forEachHistory(tally) { seed in
      try JSONLaws(seed: seed).check(schema, tally)
    }
    print("JSON from seed \(campaign.seed): \(tally.summary)")
    #expect(tally["JSON Patch"] >= campaign.count / 8)
    #expect(tally["merge patch"] >= campaign.count / 40)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}

private struct JSONLaws {
  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private let store: JournaledStore
  private let commits: [CommitNumber]
  private let model: ManagedObjectModel

  init(seed: UInt64) throws {
    model = try PatchStage.model()
    var graph = try RandomGraph(seed: seed, isNamed: seed.isMultiple(of: 2))
    store = graph.stage.store
    commits = [try graph.goOn(16), try graph.goOn(3)]
  }

  func check(_ schema: JSONSchema, _ tally: Tally) throws {
    let (old, new) = (
      try store.asOf(.commit(commits[0])), try store.asOf(.commit(commits[1]))
    )
    let patch = try Patch.difference(from: old, to: new)
    let json = try patch.json()
    guard try Patch(json: json, model: model, allowsDynamicKeys: true) == patch else {
      throw Broken(description: "another patch comes back from its JSON")
    }
    let findings = schema.findings(in: try JSONValue(parsing: json))
    guard findings.isEmpty else { throw Broken(description: "not by the schema: \(findings)") }
    tally.count("JSON")
    let picture = try GraphPicture(new)
    if let operations = try said({ () throws(PatchError) in try patch.jsonPatch(model: model) }) {
      let patch = try Patch(jsonPatch: operations, against: old, allowsDynamicKeys: true)
      try check(patch, picture, "JSON Patch")
      tally.count("JSON Patch")
    }
    if let merge = try said({ () throws(PatchError) in try patch.mergePatch(model: model) }) {
      let patch = try Patch(mergePatch: merge, against: old, allowsDynamicKeys: true)
      try check(patch, picture, "merge patch")
      tally.count("merge patch")
    }
    // The whole graph is made again of its document alone.
    let graph = try new.jsonGraph()
    let all = try Patch(
      mergePatch: graph, graph: Data("{}".utf8), model: model, allowsDynamicKeys: true)
    let empty = try PatchStage(seed: 7).context()
    let isNamed = !all.objects.contains { object in
      if case .objectID = object.identity.identifier { true } else { false }
    }
    if isNamed {
      try all.apply(to: empty)
      if let difference = try GraphPicture(empty).difference(from: picture) {
        throw Broken(description: "the document of the graph leads elsewhere:\n    \(difference)")
      }
      tally.count("graphs")
    }
  }

  /// What a standard can say; nil where it cannot.
  private func said(_ body: () throws(PatchError) -> Data) throws -> Data? {
    do throws(PatchError) {
      return try body()
    } catch {
      guard [.wrongIdentifier, .wrongType].contains(error.code) else { throw error }
      return nil
    }
  }

  private func check(_ patch: Patch, _ picture: GraphPicture, _ name: String) throws {
    let context = ManagedObjectContext(store, isolation: nil)
    try context.revert(to: .commit(commits[0]))
    try patch.apply(to: context)
    if let difference = try GraphPicture(context).difference(from: picture) {
      throw Broken(description: "a \(name) leads elsewhere:\n    \(difference)")
    }
  }
}
