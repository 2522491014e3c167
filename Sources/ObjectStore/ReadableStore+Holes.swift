internal import EventFold
internal import Journaling
package import ObjectModel

// What is on both sides of commits that cannot be read.
extension ReadableStore {
  /// Calls a closure with the numbers of the commits that have changed an object, the last first. Each leads to the one
  /// before it; where one cannot be read, those before it are looked through for one that has.
  ///
  /// - Parameters:
  ///   - passingOver: is told of each commit that cannot be read, and why.
  ///   - body: returns whether to go on.
  package func forEachCommit(
    changing object: ObjectID, passingOver: (CommitNumber, StoreError) -> Void,
    _ body: (CommitNumber) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let firstKept = firstKeptCommit
    var number = try head.changed(object) ?? .none
    var isKnown = true
    while number > .none, number >= firstKept {
      var change: ObjectChange?
      do throws(StoreError) {
        change = try past(number).change(of: object)
        if change == nil, isKnown { throw .chainBroken(object, in: number) }
      } catch {
        guard error.isFinding else { throw error }
        passingOver(number, error)
        isKnown = false
      }
      guard let change else {
        number = number.previous
        continue
      }
      guard try body(number) else { return }
      (number, isKnown) = (change.previous, true)
    }
  }

  /// All objects as they were at a commit, known from a state that is not earlier. Where commits between the two cannot be
  /// read, the journal is folded from its beginning, if it goes back to that and can be read so far; that holds the state
  /// in memory.
  ///
  /// - Parameter passingOver: is told why that was needed.
  package func snapshot(
    at number: CommitNumber, countedBackFrom later: Snapshot, passingOver: (StoreError) -> Void
  ) throws(StoreError) -> Snapshot {
    do throws(StoreError) {
      return try snapshot(at: number, countedBackFrom: later)
    } catch {
      guard error.isFinding, let folded = try? folded(through: number) else { throw error }
      passingOver(error)
      return folded
    }
  }

  /// What the commits after one and up to another have done to each object that they changed; nil where compaction has
  /// dropped some of the commits, or some cannot be read.
  package func netChangesIfReadable(
    after number: CommitNumber, through last: CommitNumber
  ) throws(StoreError) -> [ObjectID: NetChange]? {
    do throws(StoreError) {
      return try netChanges(after: number, through: last)
    } catch {
      guard error.isFinding else { throw error }
      return nil
    }
  }

  /// What the journal makes of its commits from the first up to one; nil where it does not begin with that.
  private func folded(through number: CommitNumber) throws(StoreError) -> Snapshot? {
    let reader = try journalReader()
    guard reader.manifest.goesBackToBeginning else { return nil }
    var fold = StoreFold(store)
    try reader.forEachEntry(decoder) { (place, batch, entry) throws(StoreError) in
      try fold.apply(entry, of: batch, in: place.number)
      return fold.snapshot.number < number
    }
    return fold.snapshot.number == number ? fold.snapshot : nil
  }

  /// Every value that a key of an object had, or without a key all of its values, as far as its commits can be read. Of
  /// what comes before a commit that cannot be read, values are left out that the commits say only in short, where the
  /// object's beginning is not known.
  ///
  /// - Parameter passingOver: is told of each commit that cannot be read, and why.
  package func history(
    of object: ObjectID, key: String?, passingOver: (CommitNumber, StoreError) -> Void
  ) throws(StoreError) -> [PastValue] {
    var values: [PastValue] = []
    let names = key.map { NamesOfKey(of: $0, in: object.entity, self) }
    let wanted = names.map { (names) -> [Set<String>] in
      head.eras.indices.map { Set(names.keys(inEra: $0).compactMap(name)) }
    }
    // Also where none of its values is wanted.
    var first = head.number.next
    do throws(StoreError) {
      try walkBack(object) { era, changed in
        values += changed.filter { wanted?[era].contains($0.key) ?? true }
          .sorted { $0.key > $1.key }
        first = min(first, changed.first?.commit ?? first)
        return true
      }
      return values.reversed()
    } catch {
      guard error.isFinding else { throw error }
    }
    var stretch = PastStretch()
    var older: [PastStretch] = []
    try forEachCommit(changing: object) { number, error in
      passingOver(number, error)
      if !stretch.isEmpty { older.append(stretch) }
      stretch = PastStretch()
    } _: { (number) throws(StoreError) in
      guard number < first else { return true }
      let commit = try past(number)
      guard let change = try commit.change(of: object) else { return true }
      stretch.add(commit.head, change)
      return true
    }
    older.append(stretch)
    let eras = head.eras
    return older.reversed().flatMap { stretch in
      stretch.values { nameTold(of: $0) }.filter { value in
        guard let wanted else { return true }
        let era = eras.lastIndex { $0.since < value.commit }
        return era.map { wanted[$0].contains(value.key) } ?? false
      }
    } + values.reversed()
  }
}

/// What commits have changed of an object that lead to each other, the last first.
private struct PastStretch {
  private var commits: [(head: CommitContent, change: ObjectChange)] = []

  var isEmpty: Bool { commits.isEmpty }

  mutating func add(_ head: CommitContent, _ change: ObjectChange) {
    commits.append((head, change))
  }

  /// The values, the first first: those that the commits say, and those that follow from the object's beginning.
  func values(_ name: (KeyNumber) -> String) -> [PastValue] {
    var values: [PastValue] = []
    // What is known of the object.
    var row: Row?
    var isKnown = false
    for (head, change) in commits.reversed() {
      if change.kind == .inserted { (row, isKnown) = (nil, true) }
      let before = row
      if change.kind == .deleted {
        row = nil
      } else if isKnown {
        do throws(FoldError) {
          row = try change.applied(to: row)
        } catch {
          isKnown = false
        }
      }
      let told = change.entries.compactMap { entry -> PastValue? in
        var (old, new) = (before?[entry.key], row?[entry.key])
        if case .replaced(let one, let other) = entry.change {
          (old, new) = (one, other)
        } else if !isKnown {
          return nil
        }
        return PastValue(
          commit: head.number, date: head.time.date, author: head.author, message: head.message,
          contextName: head.contextName, key: name(entry.key), old: old, new: new)
      }
      values += told.sorted { $0.key < $1.key }
      if change.kind == .deleted { isKnown = true }
    }
    return values
  }
}
