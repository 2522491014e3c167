// Histories with many changes of the model, with everything in between that can happen to a store.

import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ModelHistoryTests {
  /// A row of models that follow one another, and the last leads back to the first.
  private static func models() throws -> [ManagedObjectModel] {
    func model(
      _ note: [AttributeDescription], folder: Bool, name: String = "Note", was: String? = nil
    ) throws -> ManagedObjectModel {
      let relationships = folder ? [RelationshipDescription("folder", to: "Folder")] : []
      let entity = EntityDescription(
        name, attributes: note, relationships: relationships, renamingIdentifier: was)
      let other = EntityDescription(
        "Folder", attributes: [AttributeDescription("name", .string, isIdentifier: true)])
      return try ManagedObjectModel(entities: folder ? [entity, other] : [entity])
    }
    let (title, rank) = (
      AttributeDescription("title", .string, isIndexed: true),
      AttributeDescription("rank", .integer, isIndexed: true)
    )
    return [
      try model([title, rank], folder: true),
      try model([title, AttributeDescription("rank", .real)], folder: true),
      try model([title], folder: false),
      try model(
        [
          AttributeDescription(
            "title", .string, isOptional: false, defaultValue: "untitled"),
          AttributeDescription("mood", .string, isOptional: false, defaultValue: "calm"),
        ], folder: true),
      try model(
        [AttributeDescription("head", .string, renamingIdentifier: "title"), rank], folder: true,
        name: "Memo", was: "Note"),
      try model(
        [AttributeDescription("title", .string, renamingIdentifier: "head"), rank], folder: true,
        name: "Note", was: "Memo"),
    ]
  }

  @Test func `S73: commits are told across a change of the model, whatever was held of objects`()
    throws
  {
    func model(_ note: AttributeDescription...) throws -> ManagedObjectModel {
      let likes = AttributeDescription("likes", .counter)
      return try ManagedObjectModel(entities: [
        EntityDescription("Note", attributes: [likes] + note)
      ])
    }
    let (title, rank) = (
      AttributeDescription("title", .string), AttributeDescription("rank", .integer)
    )
    let likes = Value.counter(2)
    // The third commit, under another model.
    let steps: [(ManagedObjectModel, [String: Value]?, changed: [String])] = [
      (
        try model(AttributeDescription("head", .string, renamingIdentifier: "title"), rank),
        ["head": "two", "rank": 1, "likes": likes], ["head"]
      ),
      (
        try model(title, AttributeDescription("rank", .real)),
        ["title": "one", "rank": .real(2.5), "likes": likes], ["rank"]
      ),
      (
        try model(
          title, rank,
          AttributeDescription("mood", .string, isOptional: false, defaultValue: "calm")),
        ["title": "one", "rank": 1, "likes": likes, "mood": "wild"], ["mood"]
      ),
      (try model(title), nil, ["likes", "title"]),
    ]
    for (newer, values, changed) in steps {
      var life = try ModelLife(try model(title, rank))
      let note = try life.insert("Note", ["title": "one", "rank": 1, "likes": .counter(0)])
      try life.save([note: ["title": "one", "rank": 1, "likes": likes]])
      try life.reopen(newer)
      try life.save([note: values])
      let commits = try life.store.commits(since: 0)
      #expect(commits.last?.changes.first?.values.keys.sorted() == changed)
      #expect(try commits == (1...3).map { try life.store.commit(CommitNumber(rawValue: $0)) })
      try life.store.close()
    }
  }

  @Test func `every state of every model's time is the same, whatever is done to the store`() throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_HISTORIES", inGate: 30)
    let tally = Tally()
    let models = try Self.models()
    try onBothCores(campaign.count) { round in
      let seed = campaign.seed &+ UInt64(round)
      do {
        tally.count("states", try follow(seed, models, tally))
      } catch {
        tally.violation("seed \(seed): \(error)")
      }
    }
    print("seed \(campaign.seed), \(campaign.count) histories: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["changes of model"] > 3 * campaign.count)
  }

  private func follow(_ seed: UInt64, _ models: [ManagedObjectModel], _ tally: Tally) throws -> Int
  {
    var life = try ModelLife(models[0], seed: seed)
    var dice = Dice(seed: seed)
    var model = 0
    var count = 0
    var steps: [String] = []
    for _ in 0..<30 {
      let step = dice.pick(12)
      steps.append("\(step)")
      switch step {
      case 0...5: try save(&life, &dice)
      case 6, 7:
        model = (model + 1) % models.count
        try life.reopen(models[model])
        tally.count("changes of model")
      case 8: try life.store.checkpoint()
      case 9: try life.store.beginSegment()
      case 10: try life.reopen(dice.pick(2) == 0 ? nil : models[model])
      default: try compact(life, &dice)
      }
      if dice.pick(4) == 0 {
        count += life.states.count
        if let fault = try life.fault() {
          tally.violation("seed \(seed), after \(steps.joined(separator: " ")): \(fault)")
          return count
        }
      }
    }
    try life.store.close()
    return count
  }

  private func compact(_ life: ModelLife, _ dice: inout Dice) throws {
    switch dice.pick(3) {
    case 0: try life.store.compact(keeping: .everything)
    case 1:
      let first = dice.pick(life.states.count) + 1
      try life.store.compact(keeping: .commits(since: CommitNumber(rawValue: UInt64(first))))
    default: try life.store.compact(keeping: .latest)
    }
  }

  /// Changes, deletes, brings back or makes some objects.
  private func save(_ life: inout ModelLife, _ dice: inout Dice) throws {
    guard let era = life.store.head.era else { return }
    let state = try life.head
    var changes: [ObjectID: [String: Value]?] = [:]
    for _ in 0...dice.pick(3) {
      let known = state.keys.sorted()
      if known.isEmpty || dice.pick(3) == 0 {
        let entity = era.entities[dice.pick(era.entities.count)].number
        let object = try life.store.newObject(of: entity)
        changes[object] = values(of: entity, era, known, &dice)
      } else {
        let object = known[dice.pick(known.count)]
        changes[object] =
          dice.pick(5) == 0
          ? .some(nil) : values(of: object.entity, era, known, &dice)
      }
    }
    // What was deleted may come back, as undo brings it back.
    let gone = Set(life.states.flatMap(\.keys)).subtracting(state.keys).filter {
      era.name(of: $0.entity) != nil
    }.sorted()
    if !gone.isEmpty, dice.pick(3) == 0 {
      let object = gone[dice.pick(gone.count)]
      changes[object] = values(of: object.entity, era, state.keys.sorted(), &dice)
    }
    if try changes.allSatisfy({ try life.store.head.row(of: $0.key) == $0.value.map(life.row) }) {
      return
    }
    try life.save(changes)
  }

  private func values(
    of number: EntityNumber, _ era: Era, _ known: [ObjectID], _ dice: inout Dice
  ) -> [String: Value] {
    guard let entity = era.name(of: number).flatMap({ era.model.entity(named: $0) }) else {
      return [:]
    }
    var values: [String: Value] = [:]
    for attribute in entity.attributes where !attribute.isOptional || dice.pick(3) > 0 {
      switch attribute.type {
      case .integer: values[attribute.name] = .integer(dice.pick(1_000))
      case .real: values[attribute.name] = .real(Double(dice.pick(1_000)))
      default: values[attribute.name] = .string("\(attribute.name) \(dice.pick(100))")
      }
    }
    let folders = known.filter { era.name(of: $0.entity) == "Folder" }
    if entity.relationship("folder") != nil, !folders.isEmpty {
      values["folder"] = .reference(folders[dice.pick(folders.count)])
    }
    if dice.pick(4) == 0 { values["mood"] = .string("mood \(dice.pick(9))") }
    return values
  }
}
