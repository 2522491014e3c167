internal import EventCoding
internal import Journaling
internal import ObjectModel

extension ReadableStore {
  /// Everything that happened, in order over all contexts, as far as the journal goes back.
  ///
  /// What happens while the events are gone through may be among them or not.
  /// - Throws: where the journal is damaged or cannot be read.
  public func events() throws(StoreError) -> [StoreEvent] {
    var events: [StoreEvent] = []
    try forEachEvent { (event) throws(StoreError) in
      events.append(event)
      return true
    }
    return events
  }

  /// Calls a closure with everything that happened, in order, without holding all of it.
  ///
  /// - Parameter body: returns whether to go on.
  public func forEachEvent(
    _ body: (StoreEvent) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try settle()
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(at: path, on: readableDisk)
    }
    var telling = EventTelling(
      from: try reader.firstTime(decoder), name: { [self] in name(of: $0) ?? "" })
    let ending = try reader.forEachEntry(decoder) { (_, entry) throws(StoreError) in
      guard let event = telling.tell(entry) else { return true }
      return try body(event)
    }
    if let finding = ending.finding { throw StoreError(JournalError.damaged(finding)) }
  }
}

/// Tells entries of the journal in names, and knows the time and the contexts' names while they pass.
private struct EventTelling {
  let name: (KeyNumber) -> String
  private var time: RecordedTime
  private var contextNames: [ContextNumber: String] = [:]

  init(from time: RecordedTime, name: @escaping (KeyNumber) -> String) {
    self.time = time
    self.name = name
  }

  /// The event that an entry is; nil for what only keeps the journal's own books.
  mutating func tell(_ entry: JournalEntry) -> StoreEvent? {
    switch entry {
    case .commit(let commit):
      time = max(time, commit.content.time)
      contextNames[commit.content.context] = commit.content.contextName
      return event(commit.content.context, .saved(commit.content.number))
    case .event(_, let event): return tell(event)
    }
  }

  private mutating func tell(_ told: Event) -> StoreEvent? {
    switch told {
    case .keyNamed, .numbersReserved: return nil
    case .timePassed(let time):
      self.time = max(self.time, time)
      return nil
    case .modelAdopted(let entities):
      return event(nil, .modelAdopted(entities.map(\.description.name)))
    case .tagged(let name, let commit): return event(nil, .tagged(name, commit))
    case .unknown(let kind, _): return event(nil, .unknown(kind: kind))
    case .contextBegan(let number, let name, let base, _):
      contextNames[number] = name
      return event(number, .began(on: base))
    case .contextEnded(let number):
      defer { contextNames[number] = nil }
      return event(number, .ended)
    case .draftDiscarded(let number):
      defer { contextNames[number] = nil }
      return event(number, .discarded)
    case .contextResumed(let number, let name, _, _, _):
      contextNames[number] = name
      return event(number, .resumed)
    case .edited(let number, let edit):
      if case .renamed(let name) = edit { contextNames[number] = name }
      return event(number, kind(of: edit))
    }
  }

  private func kind(of edit: Edit) -> StoreEvent.Kind {
    switch edit {
    case .renamed(let name): .renamed(name)
    case .based(let object, let commit): .based(object, on: commit)
    case .inserted(let object): .inserted(object)
    case .set(let object, let key, let value): .set(object, key: name(key), value)
    case .setPrimitive(let object, let key, let value):
      .setPrimitive(object, key: name(key), value)
    case .membersChanged(let object, let key, let inserted, let removed):
      .membersChanged(object, key: name(key), inserted: inserted, removed: removed)
    case .deleted(let object): .deleted(object)
    case .stepEnded(let name): .stepEnded(name: name)
    case .undoSwitched(let isOn): .undoSwitched(isOn: isOn)
    case .undone(let restorations): .undone(restorations.map(\.object))
    case .redone(let restorations): .redone(restorations.map(\.object))
    case .refreshed(let objects, let keepingChanges, let commit):
      .refreshed(objects, keepingChanges: keepingChanges, at: commit)
    case .merged(let commit): .merged(commit)
    case .rolledBack: .rolledBack
    case .wasReset: .wasReset
    case .saved(let commit): .saved(commit)
    case .saveFailed(let reason): .saveFailed(reason)
    case .reconciled(let object, let keys): .reconciled(object, keys: keys.map(name))
    }
  }

  private func event(_ number: ContextNumber?, _ kind: StoreEvent.Kind) -> StoreEvent {
    StoreEvent(
      date: time.date,
      context: number.map { .init(number: $0.rawValue, name: contextNames[$0]) }, kind: kind)
  }
}

extension JournalReader {
  /// The time of what happened before the first that the journal tells: less than a moment after its first segment
  /// was begun, or else that first time.
  func firstTime(_ decoder: EventDecoder) throws(StoreError) -> RecordedTime {
    var first = RecordedTime(
      rawValue: try onJournal { () throws(JournalError) in try creationTime() })
    try forEachEntry(decoder) { (_, batch, entry) throws(StoreError) in
      switch entry {
      case .commit(let place): first = min(first, try batch.head(place).time)
      case .event(let place):
        guard batch.kind(place) == .timePassed, case .timePassed(let time) = try batch.event(place)
        else { return true }
        first = min(first, time)
      }
      return false
    }
    return first
  }
}
