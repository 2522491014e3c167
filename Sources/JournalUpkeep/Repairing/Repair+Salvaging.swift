internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

// What a repair brings in from behind the damaged place, or says of it.
extension Repair {
  /// Brings in what is behind the damaged place, or says what that would be.
  mutating func salvage(
    _ survey: JournalSurvey, _ plan: RepairPlan, from hole: Int, into store: JournaledStore,
    _ clock: PastClock, _ unsaved: inout UnsavedContexts, isWanted: Bool
  ) throws(ToolError) -> JournaledStore {
    let reader = plan.isStateDamaged ? nil : try reader(survey, plan)
    let base = plan.base?.state
    var salvaging = Salvaging(into: store, clock, since: plan.firstKept)
    if isWanted, let reader { try salvaging.expect(from: reader) }
    if let base { salvaging.goOn(from: base) }
    var tags = Set((reader?.tags ?? [:]).filter { store.tags[$0.key] != $0.value }.keys)
    var removedTags = Set(reader.map { Set(store.tags.keys).subtracting($0.tags.keys) } ?? [])
    var last = max(store.lastCommit, reader?.lastCommit ?? base?.lastKnown ?? .none)
    let journal = try journal(survey)
    let frames = RemainingFrames(
      survey: survey, journal: journal, first: hole, isWhole: plan.isHoleBefore)
    // Behind the state frames may be lost before the first of which anything is known.
    let known = plan.isHoleBefore && plan.keptThrough > .none ? plan.keptThrough : frames.before
    var lost = LostFrames(behind: min(known, frames.before))
    // Which tags there were when a state was kept is known, also of those that were taken away since.
    let areTagsKnown = reader != nil || base?.isNameless == false
    try frames.forEach { (frame, payload) throws(ToolError) in
      lost.comeTo(frame)
      guard let payload else { return true }
      var entries: [SalvagedEntry]
      do throws(StoreError) {
        entries = try SalvagedEntry.all(in: payload, of: frame, store.tag, journal)
      } catch {
        guard error.isOfLoss else { throw ToolError(error) }
        salvaging.lose(frame, error)
        return true
      }
      for entry in entries {
        last = max(last, entry.knownCommit)
        unsaved.take(entry)
        if case .commit = entry { lost.comeToCommit() }
      }
      if areTagsKnown, frame <= plan.keptThrough { entries.removeAll { $0.tag != nil } }
      // So are the models, where the checkpoint can be read: each has the commit that it comes behind.
      if base?.isNameless == false, frame <= plan.keptThrough {
        entries.removeAll(where: \.isModel)
      }
      if isWanted { try salvaging.take(entries) }
      for (name, isGiven) in entries.lazy.compactMap(\.tag) {
        if isGiven { tags.insert(name) } else { tags.remove(name) }
        if isGiven { removedTags.remove(name) } else { removedTags.insert(name) }
      }
      return true
    }
    if isWanted {
      try salvaging.finish()
      salvaging.expect(through: last)
    } else if last > store.lastCommit {
      losses.append(
        "\(Salvaging.range(store.lastCommit.next, last)); --salvage takes over what can be read of that"
      )
    }
    if isWanted { (tags, removedTags) = ([], []) }
    removedTags.formIntersection(store.tags.keys)
    losses += removedTags.sorted().map {
      "that the tag ‘\($0)’ was taken away, which --salvage does"
    }
    losses += tags.sorted().map { "the tag ‘\($0)’, which --salvage sets where its commit is read" }
    losses += salvaging.losses.filter { !losses.contains($0) }
    let keptThrough = reader != nil || plan.start != nil ? plan.keptThrough : .none
    lost.comeToEnd(survey.durableThrough)
    losses += lost.words(behind: keptThrough, areTagsKnown: areTagsKnown)
    salvagedCount = salvaging.count
    renumbered = salvaging.renumbered
    return salvaging.store
  }

  /// Gives up drafts of contexts that have saved since, or given them up, as commits tell that were made again.
  func discardDrafts(
    of contexts: Set<ContextNumber>, in store: JournaledStore
  ) throws(ToolError) {
    for draft in store.unsavedDrafts where contexts.contains(draft.context) {
      try onStore { () throws(StoreError) in try store.discard(draft) }
    }
  }
}
