internal import EventCoding
internal import Journaling
package import ObjectModel

extension ReadableStore {
  /// Everything that happened, in order over all contexts, as far as the journal goes back.
  ///
  /// What happens while the events are gone through may be among them or not, and so may what compaction drops
  /// meanwhile. A reader tells what it shows, no commit that came after it was refreshed, and the edits that a program has
  /// made since, also where it has died.
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
    try forEachEvent(passingOver: nil, body)
  }

  /// The same, which may go on with the next segment where one cannot be read to its end.
  ///
  /// - Parameter passingOver: is told where that is, and why, and which commit comes next; where it is nil, that is thrown.
  package func forEachEvent(
    passingOver: ((StoreError, _ next: CommitNumber?) -> Void)?,
    _ body: (StoreEvent) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let last = try settle()
    var telling: EventTelling?
    var next = FrameNumber.none
    var failure: StoreError?
    var isWhole = true
    try readingJournal { (reader) throws(StoreError) in
      var goesOn = true
      for (place, segment) in reader.manifest.segments.enumerated() where goesOn {
        let end = min(last, segment.sealing?.lastFrame ?? last)
        // What was told before something was dropped stays told.
        guard max(next, segment.firstFrame) <= end else { continue }
        do throws(StoreError) {
          if telling == nil {
            telling = EventTelling(
              from: try reader.firstTime(ofSegmentAt: place, decoder),
              name: { [self] in nameTold(of: $0) })
          }
          let ending = try reader.forEachEntry(
            from: max(next, segment.firstFrame), through: end, decoder
          ) { (place, entry) throws(StoreError) in
            next = place.number.next
            guard let event = telling?.tell(entry) else { return true }
            do throws(StoreError) {
              goesOn = try body(event)
              isWhole = isWhole && goesOn
            } catch {
              (failure, goesOn) = (error, false)
            }
            return goesOn
          }
          if let finding = ending.finding { throw StoreError(refusing: finding) }
        } catch {
          guard let passingOver, error.isFinding else { throw error }
          passingOver(error, firstCommit(from: end.next))
          // Of what comes behind the last frame nobody knows whether it follows.
          isWhole = isWhole && segment.sealing != nil
        }
        next = max(next, end.next)
      }
      return JournalReader.Ending(next: next)
    }
    if let failure { throw failure }
    guard isWhole, let (events, keys) = try unsealed(), !events.isEmpty else { return }
    if telling == nil {
      telling = EventTelling(from: try journalReader().firstTime(decoder)) { _ in "" }
    }
    telling?.name = { [self] in keys[$0] ?? nameTold(of: $0) }
    for event in events {
      guard let event = telling?.tell(event) else { continue }
      guard try body(event) else { return }
    }
  }

  /// The first commit of all that the journal has; nil where there is none, or it cannot be told.
  package func firstCommitThere() throws(StoreError) -> CommitNumber? {
    firstCommit(from: try journalReader().manifest.segments[0].firstFrame)
  }

  private func firstCommit(from frame: FrameNumber) -> CommitNumber? {
    // What is in its way is told where it is met.
    (try? pastCommits.firstCommit(from: frame, head: headNumber)) ?? nil
  }

  /// Reads the journal by a closure, which is called again where compaction has dropped something of it meanwhile.
  ///
  /// - Throws: what the closure throws, or where it says that it has met damage.
  func readingJournal(
    _ body: (JournalReader) throws(StoreError) -> JournalReader.Ending
  ) throws(StoreError) {
    var reader = try journalReader()
    while true {
      do throws(StoreError) {
        let ending = try body(reader)
        if let finding = ending.finding { throw StoreError(refusing: finding) }
        return
      } catch {
        guard error.code == .commitMissing else { throw error }
        let newer = try journalReader()
        let (first, now) = (reader.manifest.segments[0], newer.manifest.segments[0])
        guard now.firstFrame > first.firstFrame else { throw error }
        reader = newer
      }
    }
  }

  /// A reader of the journal as it is now.
  func journalReader() throws(StoreError) -> JournalReader {
    try onJournal { () throws(JournalError) in try JournalReader(in: folder, path: path) }
  }
}

/// Tells entries of the journal in names, and knows the time and the contexts' names while they pass.
private struct EventTelling {
  var name: (KeyNumber) -> String
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

  /// The event that one is that no frame holds yet.
  mutating func tell(_ told: Event) -> StoreEvent? {
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
    case .spliced(let object, let key, let splice): .spliced(object, key: name(key), splice)
    case .setPrimitive(let object, let key, let value):
      .setPrimitive(object, key: name(key), value)
    case .membersChanged(let object, let key, let inserted, let removed):
      .membersChanged(object, key: name(key), inserted: inserted, removed: removed)
    case .deleted(let object): .deleted(object)
    case .stepEnded(let name): .stepEnded(name: name)
    case .undoSwitched(let isOn): .undoSwitched(isOn: isOn)
    case .undone(let restorations): .undone(restorations.map(restored))
    case .redone(let restorations): .redone(restorations.map(restored))
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

  private func restored(_ restoration: Restoration) -> StoreEvent.Restored {
    let kind: Commit.Kind =
      switch restoration.kind {
      case .inserted: .inserted
      case .updated: .updated
      case .deleted: .deleted
      }
    var values: [String: Value] = [:]
    var splices: [String: Splice] = [:]
    for entry in restoration.entries {
      switch entry.content {
      case .value(let value): values[name(entry.key)] = value ?? .null
      case .splice(let splice): splices[name(entry.key)] = splice
      }
    }
    return StoreEvent.Restored(
      objectID: restoration.object, kind: kind, values: values, splices: splices)
  }

  private func event(_ number: ContextNumber?, _ kind: StoreEvent.Kind) -> StoreEvent {
    StoreEvent(
      date: time.date,
      context: number.map { .init(number: $0.rawValue, name: contextNames[$0]) }, kind: kind)
  }
}

extension JournalReader {
  /// The time of what happened before the first that the journal tells: when its first segment was begun, or else that
  /// first time, where that is earlier.
  ///
  /// - Parameter segment: the place of another segment that is taken for the first.
  func firstTime(
    ofSegmentAt segment: Int = 0, _ decoder: EventDecoder
  ) throws(StoreError) -> RecordedTime {
    let begun = try onJournal { () throws(JournalError) in
      try creationTime(ofSegmentAt: segment)
    }
    var first = RecordedTime(rawValue: begun)
    let frame = manifest.segments[segment].firstFrame
    try forEachEntry(from: frame, decoder) { (_, batch, entry) throws(StoreError) in
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
