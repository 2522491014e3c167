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
    var salvaging = Salvaging(into: store, clock)
    if isWanted, let reader { try salvaging.expect(from: reader) }
    if let base { salvaging.goOn(from: base) }
    var tags = Set((reader?.tags ?? [:]).filter { store.tags[$0.key] != $0.value }.keys)
    var last = max(store.lastCommit, reader?.lastCommit ?? base?.lastKnown ?? .none)
    let journal = journal(survey)
    var failure: ToolError?
    let frames = RemainingFrames(survey: survey, first: hole, isWhole: plan.isHoleBefore)
    let lastFrame = try frames.forEachBatch { frame, payload in
      do throws(ToolError) {
        var entries: [SalvagedEntry]
        do throws(StoreError) {
          entries = try SalvagedEntry.all(in: payload, of: frame, store.tag, journal)
        } catch {
          salvaging.lose(frame, error)
          return true
        }
        for entry in entries {
          last = max(last, entry.knownCommit)
          unsaved.take(entry)
        }
        // Which tags there were then is known, also of those that were taken away since.
        let areTagsKnown = reader != nil || base?.isNameless == false
        if areTagsKnown, frame <= plan.keptThrough { entries.removeAll { $0.tag != nil } }
        // So are the models, where the checkpoint can be read: each has the commit that it comes behind.
        if base?.isNameless == false, frame <= plan.keptThrough {
          entries.removeAll(where: \.isModel)
        }
        if isWanted { try salvaging.take(entries) }
        for (name, isGiven) in entries.lazy.compactMap(\.tag) {
          if isGiven { tags.insert(name) } else { tags.remove(name) }
        }
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    if isWanted {
      try salvaging.finish()
      salvaging.expect(through: last)
    } else if last > store.lastCommit {
      losses.append(
        "\(Salvaging.range(store.lastCommit.next, last)); --salvage takes over what can be read of that"
      )
    }
    let known = reader != nil || plan.start != nil ? plan.keptThrough : .none
    loseFrames(from: max(lastFrame, known).next, through: survey.durableThrough)
    if isWanted { tags = [] }
    losses += tags.sorted().map { "the tag ‘\($0)’, which --salvage sets where its commit is read" }
    losses += salvaging.losses.filter { !losses.contains($0) }
    salvagedCount = salvaging.count
    renumbered = salvaging.renumbered
    return salvaging.store
  }

  /// Tells of frames that were durable and of which nobody knows what was in them.
  private mutating func loseFrames(from first: FrameNumber, through last: FrameNumber) {
    guard first <= last else { return }
    let frames =
      first == last
      ? "frame \(first.rawValue)" : "frames \(first.rawValue) to \(last.rawValue)"
    losses.append("\(frames), with whatever was saved or tagged there")
  }
}
