internal import JournalInspection
internal import ObjectModel
internal import ObjectStore

/// Brings into a new journal, which ends before the first damaged place of another, what can still be read behind that
/// place: commit by commit, with their times and authors, under the numbers that are next there.
struct Salvaging {
  var store: JournaledStore
  let clock: PastClock
  /// The last commit of the original that has been come to.
  var last: CommitNumber
  /// What keys and commits of the original are here.
  var keyNames: [KeyNumber: String]
  var numbers: [CommitNumber: CommitNumber] = [:]
  /// The first commit of those of the original that compaction has kept, as far as that is known.
  private let firstKept: CommitNumber
  /// The last commit that both have.
  let shared: CommitNumber
  /// What names stand for in the original, where that was said behind the damage; nil for nothing any more.
  var tags: [String: CommitNumber?] = [:]
  /// The models that were adopted before the next commit, the last of which it was made under.
  var nextModels: [[NumberedEntity]] = []

  /// What shows the original from a state on that was kept behind the damaged place, and the first commit it can tell;
  /// nil where there is none, or it has been taken over.
  var later: (reader: StoreReader, first: CommitNumber)?

  /// The models that a damaged state knows, which come after its own.
  var keptModels: [(since: CommitNumber, entities: [NumberedEntity])] = []
  /// Whether the journal is to have the models that the original tells.
  private(set) var adoptsModels = true

  /// What the next commit is to change.
  var changes: [CommitRequest.Object] = []

  /// How many commits have been brought in.
  var count = 0
  /// The commits that are lost, so that nothing of what they did is here.
  var lost: [ClosedRange<CommitNumber>] = []
  /// What could not be. Commits are named by the numbers that they have in the original.
  var losses: [String] = []

  /// Commits of the original, one behind the other, that have other numbers here.
  struct Renumbering: Equatable {
    let first: CommitNumber
    fileprivate(set) var last: CommitNumber
    /// The number that the first has here.
    let now: CommitNumber
  }

  /// All of them, in order.
  var renumbered: [Renumbering] {
    var renumbered: [Renumbering] = []
    for (number, now) in numbers.sorted(by: { $0.key < $1.key }) where number != now {
      if let before = renumbered.last, before.last.next == number,
        now.rawValue - before.now.rawValue == number.rawValue - before.first.rawValue
      {
        renumbered[renumbered.count - 1].last = number
      } else {
        renumbered.append(Renumbering(first: number, last: number, now: now))
      }
    }
    return renumbered
  }

  /// - Parameter clock: the disk on which the new journal is open.
  init(
    into store: JournaledStore, _ clock: PastClock,
    since firstKept: CommitNumber = CommitNumber.none.next
  ) {
    self.store = store
    self.firstKept = firstKept
    self.clock = clock
    last = store.lastCommit
    shared = last
    keyNames = Self.keys(of: store)
  }

  /// Goes on from what is sound of a state, which the new journal begins with.
  mutating func goOn(from state: SalvagedState) {
    keptModels = state.laterModels
    // A model says nothing of entities whose names are not its own.
    adoptsModels = !state.isNameless
    for (name, commit) in state.laterTags { tags.updateValue(commit, forKey: name) }
  }

  /// Ends the work: tags are set, and the clock goes on.
  mutating func finish() throws(ToolError) {
    try takeOverLater()
    try adoptKeptModels(before: .largest)
    try adoptNextModels()
    clock.set(nil)
    for (name, commit) in tags.sorted(by: { $0.key < $1.key }) {
      let here = commit.flatMap { $0 <= shared ? $0 : numbers[$0] }
      if let here, let commit, here < store.firstKeptCommit.previous {
        // What compaction has dropped was lost to nobody by the damage.
        if commit >= firstKept.previous {
          losses.append("the state that the tag ‘\(name)’ stands for")
        } else if store.tags[name] != here {
          losses.append("the tag ‘\(name)’, of a commit that compaction had dropped")
        }
        continue
      }
      do throws(StoreError) {
        if let here {
          if store.tags[name] != here { try store.tag(name, here) }
        } else if commit != nil {
          losses.append("the tag ‘\(name)’, as its commit is lost")
        } else if store.tags[name] != nil {
          try store.removeTag(name)
        }
      } catch {
        throw ToolError(error)
      }
    }
  }
}
