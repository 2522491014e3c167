package import ObjectModel

/// What a store's events say about the store as a whole, folded: names and numbers of keys, models, tags,
/// contexts. What they say about objects is in commits.
package struct Catalogue: Sendable {
  package private(set) var keys = KeyNames()
  package private(set) var eras: [Era] = []
  package private(set) var tags: [String: CommitNumber] = [:]
  /// The contexts that have begun and not ended, in disorder too.
  package private(set) var contexts: [ContextNumber: OpenContext] = [:]
  /// Through which number objects may have been given numbers, by origin and entity.
  package private(set) var reserved: [UInt64: UInt64] = [:]
  /// No context with this number or a later one has begun.
  package private(set) var nextContext = ContextNumber(rawValue: 1)
  /// The time of the last event or commit.
  package private(set) var time = RecordedTime(rawValue: .min)
  /// The last commit.
  package private(set) var head = CommitNumber.none
  /// The context whose work was noted last, while nothing else has happened to it.
  private var working: ContextNumber?
  /// The first commit that compaction has not dropped: it and the state before it can be read.
  package private(set) var firstKept = CommitNumber(rawValue: 1)

  package init() {}

  /// A catalogue as a checkpoint has it.
  init(
    keys: KeyNames, eras: [Era], tags: [String: CommitNumber],
    contexts: [ContextNumber: OpenContext], reserved: [UInt64: UInt64], nextContext: ContextNumber,
    time: RecordedTime, head: CommitNumber, firstKept: CommitNumber
  ) {
    self.keys = keys
    self.eras = eras
    self.tags = tags
    self.contexts = contexts
    self.reserved = reserved
    self.nextContext = nextContext
    self.time = time
    self.head = head
    self.firstKept = firstKept
  }

  /// The catalogue as of a commit of this life of the store, with what its live contexts know of themselves.
  ///
  /// - Parameters:
  ///   - lastNumbers: the numbers of objects given last. Some may not be reserved, while the journal could not be
  ///     written, and be those of objects that are saved by now.
  ///   - areFinal: whether none will be given any more.
  func settled(
    at head: CommitNumber, _ time: RecordedTime, _ lastNumbers: [UInt64: UInt64], areFinal: Bool,
    live: some Sequence<(LiveContext, ContextStanding)>
  ) -> Catalogue {
    var settled = self
    settled.head = head
    settled.time = max(self.time, time)
    settled.reserved = areFinal ? lastNumbers : reserved.merging(lastNumbers) { max($0, $1) }
    for (context, standing) in live {
      settled.contexts[context.number]?.name = context.name
      settled.contexts[context.number]?.standing = standing
    }
    return settled
  }

  /// A context that has begun and not ended.
  package struct OpenContext: Hashable, Sendable {
    package let number: ContextNumber
    package var name: String
    package let parent: ContextNumber?
    /// The journal's edit with which it began.
    package let firstEdit: UInt64
    package var standing: ContextStanding
  }

  /// Takes an event in.
  ///
  /// - Parameter edit: its number in the journal.
  /// - Throws: what contradicts the events before it, in words.
  package mutating func apply(_ event: Event, edit: UInt64) throws(Contradiction) {
    working = nil
    switch event {
    case .keyNamed(let number, let name):
      guard keys.add(name, number) else {
        throw Contradiction("key \(number.rawValue) cannot be named “\(name)”")
      }
    case .modelAdopted(let entities):
      do throws(EraProblem) {
        eras.append(try Era(since: head, entities, keys, after: eras.last))
      } catch {
        throw Contradiction("the model cannot be adopted")
      }
    case .timePassed(let time): self.time = max(self.time, time)
    case .numbersReserved(let origin, let entity, let through):
      let group = ObjectID.group(origin: origin, entity)
      reserved[group] = max(reserved[group] ?? 0, through)
    case .tagged(let name, let commit): tags[name] = commit
    case .contextBegan(let number, let name, let base, let parent):
      guard number >= nextContext else {
        throw Contradiction("context \(number.rawValue) begins a second time")
      }
      nextContext = ContextNumber(rawValue: number.rawValue + 1)
      contexts[number] = OpenContext(
        number: number, name: name, parent: parent, firstEdit: edit,
        standing: ContextStanding(on: base))
    case .contextEnded(let number), .draftDiscarded(let number): contexts[number] = nil
    case .contextResumed(let number, let name, let base, let oldest, let firstEdit):
      guard number < nextContext, contexts[number] == nil, firstEdit < edit else {
        throw Contradiction("context \(number.rawValue) goes on and has not ended")
      }
      contexts[number] = OpenContext(
        number: number, name: name, parent: nil, firstEdit: firstEdit,
        standing: ContextStanding(on: base, oldest: oldest))
    case .edited(let number, let edited):
      if case .inserted(let object) = edited { noteNumber(of: object) }
      if case .renamed(let name) = edited { contexts[number]?.name = name }
      contexts[number]?.standing.note(edited, edit)
    case .unknown: break
    }
  }

  /// Notes that an object has its number, whether that was said to be reserved or not.
  mutating func noteNumber(of object: ObjectID) {
    if object.number > reserved[object.group] ?? 0 { reserved[object.group] = object.number }
  }

  /// Notes that a context has done something that is not saved.
  mutating func noteWork(of number: ContextNumber, _ edit: UInt64) {
    if working == number { return }
    working = number
    contexts[number]?.standing.noteWork(edit)
  }

  /// Notes the last commit of this life of the store, whose commits are not folded here.
  mutating func advance(to commit: CommitNumber) { head = max(head, commit) }

  /// Notes that commits before one are dropped.
  mutating func drop(before commit: CommitNumber) { firstKept = max(firstKept, commit) }

  /// Takes a commit in.
  package mutating func apply(_ commit: CommitContent) throws(Contradiction) {
    guard commit.number == head.next else {
      throw Contradiction("commit \(commit.number) comes after commit \(head)")
    }
    working = nil
    head = commit.number
    time = max(time, commit.time)
    for change in commit.changes where change.kind == .inserted { noteNumber(of: change.object) }
    contexts[commit.context]?.standing.settle(on: commit.number)
  }

  /// Something in the journal that cannot have come after what came before it.
  package struct Contradiction: Error {
    package let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
  }
}

extension Catalogue {
  /// The era of the last commit.
  package var era: Era? { eras.last }

  /// The place among the eras of the one in which a commit was made.
  package func eraIndex(of commit: CommitNumber) -> Int {
    max(0, (eras.lastIndex { $0.since < commit }) ?? 0)
  }
}
