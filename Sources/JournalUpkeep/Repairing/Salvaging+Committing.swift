internal import JournalInspection
internal import ObjectModel
internal import ObjectStore

// How what is brought in becomes commits of the new journal.
extension Salvaging {
  mutating func addChange(of object: ObjectID, to row: Row?) throws(ToolError) {
    let current = try onStore { () throws(StoreError) in try store.head.row(of: object) }
    guard row != current else { return }
    changes.append(CommitRequest.Object(object, base: store.lastCommit, current, to: row))
  }

  mutating func commit(
    _ number: CommitNumber, author: String?, message: String?, userInfo: [String: Value],
    contextName: String?
  ) throws(ToolError) {
    defer { changes = [] }
    guard !changes.isEmpty else {
      return noteNothing(of: number)
    }
    var request = CommitRequest(changes)
    (request.author, request.message, request.userInfo) = (author, message, userInfo)
    // What an object leads to may be lost: both ends are brought in step again.
    request.keepsEnds = true
    request.isMadeAgain = true
    do throws(StoreError) {
      _ = try store.takeOver(changes.map(\.object))
      let context = try store.beginContext(name: contextName ?? "", on: store.lastCommit)
      var fits = true
      do throws(CommitError) {
        if let made = try store.commit(request, by: context) {
          numbers[number] = made.number
          count += 1
        } else {
          noteNothing(of: number)
        }
      } catch {
        if case .store(let cause) = error { throw cause }
        losses.append("commit \(number): what it did does not fit what is left of the others")
        lost.append(number...number)
        fits = false
      }
      try store.endContext(context)
      if fits { try noteLostDestinations(of: number) }
    } catch {
      throw ToolError(error)
    }
  }

  private mutating func noteNothing(of number: CommitNumber) {
    losses.append("commit \(number): nothing of what it did is left to be done")
  }

  /// Notes where objects were to lead by a commit and do not, as what they led to is lost, or leads elsewhere.
  private mutating func noteLostDestinations(of number: CommitNumber) throws(StoreError) {
    let wording = Wording(store)
    var told: [String] = []
    for change in changes {
      guard let wanted = change.row else { continue }
      let row = try store.head.row(of: change.object)
      for entry in wanted.entries where entry.value != row?[entry.key] {
        let there = Set((row?[entry.key]).destinations)
        for other in Value?.some(entry.value).destinations where !there.contains(other) {
          let key = store.nameTold(of: entry.key)
          told.append("\(wording.name(change.object)) led to \(wording.name(other)) by ‘\(key)’")
        }
      }
    }
    guard !told.isEmpty else { return }
    let rest = told.count > 3 ? ", and \(Wording.count(told.count - 3)) more such" : ""
    losses.append("commit \(number): that \(told.prefix(3).joined(separator: ", "))\(rest)")
  }

  mutating func adoptNextModels() throws(ToolError) {
    let models = nextModels
    nextModels = []
    for entities in models { try adopt(entities) }
  }

  /// Has the new journal go on under a model, whose entities keep their numbers, and with these their objects.
  mutating func adopt(_ entities: [NumberedEntity]) throws(ToolError) {
    if let renamed = renamed(entities) { try open(under: renamed) }
    try open(under: entities)
  }

  /// A model's entities, led to by the names that those of the same numbers have here, where a model between the two is
  /// lost that said so; nil where nothing is to be said.
  private func renamed(_ entities: [NumberedEntity]) -> [NumberedEntity]? {
    guard let here = store.head.era?.entities else { return nil }
    let names = Dictionary(uniqueKeysWithValues: here.map { ($0.number, $0.description.name) })
    var isChanged = false
    let renamed = entities.map { entity in
      guard let name = names[entity.number], name != entity.description.name,
        name != entity.description.renamingIdentifier
      else { return entity }
      isChanged = true
      var description = entity.description
      description.renamingIdentifier = name
      return NumberedEntity(entity.number, description)
    }
    return isChanged ? renamed : nil
  }

  mutating func open(under entities: [NumberedEntity]) throws(ToolError) {
    let model: ManagedObjectModel
    do throws(ModelError) {
      model = try ManagedObjectModel(stored: entities.map(\.description))
    } catch {
      return losses.append("a model that cannot be: \(error)")
    }
    guard store.model != model else { return }
    let path = store.path
    var options = StoreOptions.ofCopies
    for entity in entities { options.entityNumbers[entity.description.name] = entity.number }
    try onStore { () throws(StoreError) in try store.close() }
    store = try onStore { [options] () throws(StoreError) in
      try JournaledStore(on: clock, at: path, model: model, options: options)
    }
  }

  static func range(_ first: CommitNumber, _ last: CommitNumber) -> String {
    first == last ? "commit \(first)" : "commits \(first) to \(last)"
  }
}
