internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

// What is made of a journal that does not go back to its beginning, where the state that it begins with is damaged too.
extension Repair {
  /// Decides what is taken over then: commits are made again, upon what is sound of that state.
  func planWithoutState(
    _ survey: JournalSurvey, _ kept: KeptState, salvaging: Bool
  ) throws(ToolError) -> RepairPlan {
    let beginning =
      survey.goesBackToBeginning
      ? "The journal lacks its beginning" : "The journal does not go back to its beginning"
    let stateWords =
      survey.goesBackToBeginning ? "a state that was kept" : "the state that it begins with"
    guard salvaging else {
      throw ToolError(
        .damage,
        "“\(path)” cannot be repaired without --salvage: \(foundWords). \(beginning), "
          + "and \(stateWords) is damaged or lost; --salvage makes its commits again, upon what is sound of that."
      )
    }
    var first: CommitContent?
    let firstKept = kept.end?.firstKept ?? .none
    try forEachEntry(of: survey) { _, entry in
      if case .commit(let content) = entry, content.number >= firstKept { first = content }
      return first == nil
    }
    var state = try onStore { () throws(StoreError) in
      try SalvagedState(survey.manifest, in: survey.folder, before: first?.number)
    }
    guard first != nil || !state.isEmpty else {
      throw ToolError(
        .damage,
        "“\(path)” cannot be repaired: \(foundWords). \(beginning), and neither a commit "
          + "nor an object of \(stateWords) can be read; only a backup can have it."
      )
    }
    try forEachEntry(of: survey) { frame, entry in
      switch entry {
      case .commit(let content): state.take(content)
      case .event(let event): state.take(event, in: frame)
      }
      return true
    }
    state.finish()
    let edits = survey.parts.compactMap(\.header?.firstEdit)
    let frame = max(survey.manifest.segments[0].firstFrame.previous, FrameNumber(1))
    var plan = RepairPlan(
      parts: [], keepsCheckpoint: false, hole: 0, isHoleBefore: true,
      start: (frame, edits.reduce(EditNumber(1)) { max($0, $1) }))
    plan.base = (state, first?.time ?? RecordedTime(rawValue: source.wallClock()))
    (plan.isStateDamaged, plan.keptThrough) = (true, state.frame)
    plan.firstKept = kept.end?.firstKept ?? plan.firstKept
    return plan
  }

  /// What was found, within a sentence.
  private var foundWords: String {
    findings.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }.joined(separator: "; ")
  }

  /// Says what of a state a journal does not begin with.
  ///
  /// - Parameter first: the first commit that the journal had, where it is known without the state.
  mutating func tellLosses(
    of state: SalvagedState, in store: JournaledStore, since first: CommitNumber?
  ) {
    let next = state.number.next
    let wording = Wording(store)
    if state.isNameless {
      losses.append(
        "the model, and the names that were given before commit \(next): entities and keys are called by their numbers, as "
          + "‘entity0’ and ‘key0’, every value is one of a dynamic attribute, and tags from before are gone"
      )
    }
    if let first = state.firstKept ?? first, first <= state.number {
      losses.append(
        "\(Salvaging.range(first, state.number)): the outcome is in the state before commit \(next)"
      )
    } else if state.firstKept ?? first == nil {
      losses.append(
        "all that was before commit \(next), as far as compaction had not dropped it, but for the state it left"
      )
    }
    let before = "before commit \(next): "
    let unlessSaid = "where nothing else says it"
    if state.isNameless, !state.hasRuns {
      losses.append("\(before)all objects that no commit from there on has changed")
    }
    losses += state.losses.map { loss in
      switch loss {
      case .run(let name):
        let entities = store.model?.descriptions.map(\.name).joined(separator: ", ") ?? ""
        return "\(before)what the file \(name) had of objects (\(entities)), \(unlessSaid)"
      case .rows(let first, let last, let count):
        let objects = Wording.count(count, "object")
        return
          "\(before)\(objects) from \(wording.name(first)) to \(wording.name(last)), \(unlessSaid)"
      case .column(let key, let first, let last, let count):
        let objects = Wording.count(count, "object")
        return
          "\(before)\(name(of: key, in: store)) of \(objects) from \(wording.name(first)) to \(wording.name(last)), \(unlessSaid)"
      case .commits(let first, let last, let count):
        let objects = Wording.count(count, "object")
        return
          "\(before)which commits changed \(objects) from \(wording.name(first)) to \(wording.name(last))"
      case .value(let key, let object):
        return "\(before)\(name(of: key, in: store)) of \(wording.name(object))"
      }
    }
    losses += unknownWords(state.unknown, wording).map {
      "\(before)\($0), but for what commits from there on have changed of them"
    }
    if state.hasGap {
      losses.append(
        "\(before)what lost commits behind it did is there already, where no other commit says what was before"
      )
    }
  }

  private func name(of key: KeyNumber, in store: JournaledStore) -> String {
    store.name(of: key) ?? "key \(key.rawValue)"
  }

  /// Objects in words, an entity at a time, with the stretches of their numbers.
  private func unknownWords(_ objects: Set<ObjectID>, _ wording: Wording) -> [String] {
    let entities = Dictionary(grouping: objects, by: \.entity).sorted {
      $0.key.rawValue < $1.key.rawValue
    }
    return entities.map { _, objects in
      var stretches: [(first: ObjectID, last: ObjectID)] = []
      for object in objects.sorted() {
        if let last = stretches.last?.last, last.rawValue + 1 == object.rawValue {
          stretches[stretches.count - 1].last = object
        } else {
          stretches.append((object, object))
        }
      }
      let words = stretches.prefix(20).map { first, last in
        first == last ? wording.name(first) : "\(wording.name(first)) to \(wording.name(last))"
      }
      let rest = stretches.count > words.count ? ", …" : ""
      return
        "\(Wording.count(objects.count, "object")) (\(words.joined(separator: ", "))\(rest))"
    }
  }
}
