// What must be in a store after a crash, and whether it is.

package import DiskSimulation
internal import EventFold
internal import ObjectModel
internal import ObjectStore

/// Opens what a crash left of a store, and compares it with what was promised.
package struct StoreOracle {
  private let ledger: StoreLedger
  private let crash: Crash

  /// All objects that contexts have known.
  private let known: Set<ObjectID>

  package init(_ ledger: StoreLedger, _ crash: Crash) {
    self.ledger = ledger
    self.crash = crash
    known = ledger.moments.reduce(into: []) { known, moment in
      if let work = moment.work { known.formUnion(work.reference.objects.keys) }
    }
  }

  /// What was found in a store after a crash.
  package struct Remains {
    let lastCommit: Int
    /// How many of the moments of contexts are there.
    let momentCount: Int
    let tags: [String: Int]
    /// Where backups are, and whether they are there after a loss of power too.
    let backups: Set<String>
    let areBackupsDurable: Bool
  }

  /// What is there of a store in which no promise is broken.
  ///
  /// - Parameter isDurable: whether a loss of power has left the disk, and another takes nothing from it.
  package func remains(on disk: SimulatedDisk, isDurable: Bool) throws -> Remains {
    let store = try StoreWork.open(on: disk)
    let head = Int(store.lastCommit.rawValue)
    let count = try momentCount(drafts(of: store), head)
    let paths = ledger.backups.map(\.path).filter { disk.contents(of: "\($0)/MANIFEST") != nil }
    return Remains(
      lastCommit: head, momentCount: count ?? ledger.moments.count,
      tags: store.tags.mapValues { Int($0.rawValue) }, backups: Set(paths),
      areBackupsDurable: isDurable)
  }

  /// Opens the store on a disk, and works on with it where asked.
  ///
  /// - Returns: what promise was broken, or nil.
  package func violation(on disk: SimulatedDisk, goesOn: Bool) -> String? {
    do {
      let store = try StoreWork.open(on: disk)
      if let fault = try fault(in: store) { return fault }
      if let fault = try faultOfBackups(on: disk) { return fault }
      if goesOn {
        let findings = try store.verify(deep: true)
        if let finding = findings.first { return "verification: \(finding)" }
        if let fault = try faultOfGoingOn(store, disk) { return "second life: " + fault }
      } else {
        // As if the process had ended.
        withExtendedLifetime(store) {}
      }
      return nil
    } catch {
      return "it does not open or go on: \(error)"
    }
  }

  private func fault(in store: JournaledStore) throws -> String? {
    let head = Int(store.lastCommit.rawValue)
    guard (ledger.acknowledgedCount..<ledger.states.count).contains(head) else {
      return "commit \(head) is the last of \(ledger.acknowledgedCount) acknowledged and "
        + "\(ledger.states.count - 1) begun"
    }
    let first = Int(store.firstKeptCommit.rawValue)
    guard first - 1 <= ledger.mayBeDropped else { return "commits before \(first) are dropped" }
    for number in (first - 1)...head {
      let past = try store.snapshot(at: CommitNumber(rawValue: UInt64(number))).plain()
      if past != ledger.states[number] {
        return "commit \(number) is \(past), and should be \(ledger.states[number])"
      }
    }
    var dice = Dice(seed: UInt64(head))
    if let fault = try IndexOracle(store.head, store.existingKey).fault(&dice) {
      return "commit \(head): \(fault)"
    }
    if let fault = faultOfTags(store.tags) { return fault }
    return try faultOfDrafts(store)
  }

  private func faultOfTags(_ tags: [String: CommitNumber]) -> String? {
    for name in ["tag 0", "tag 1"] {
      let begun = ledger.tags.filter { $0.name == name }
      let last = begun.lastIndex(where: \.isAcknowledged)
      // What was refused may be there as long as nobody knows that, and no tag that came after it was acknowledged.
      let allowed =
        [last.map { begun[$0].commit }]
        + begun[(last.map { $0 + 1 } ?? 0)...].map { Optional($0.commit) }
      let found = tags[name].map { Int($0.rawValue) }
      if !allowed.contains(found) { return "“\(name)” stands for \(String(describing: found))" }
    }
    return nil
  }

  /// The drafts are what they were after one of the moments, all of them after the same, which is none before what
  /// must be there: so nothing is missing, and nothing in between.
  private func faultOfDrafts(_ store: JournaledStore) throws -> String? {
    let offered = store.unsavedDrafts
    if let problem = offered.compactMap(\.problem).first {
      return "a draft has a problem: \(problem)"
    }
    let found = try drafts(of: store)
    for draft in offered {
      guard let content = found[draft.contextName], draft.objectIDs == content.changedObjects,
        draft.editCount == content.editCount
      else { return "the draft \(draft) is offered, and the drafts are \(found)" }
    }
    let head = Int(store.lastCommit.rawValue)
    if momentCount(found, head) != nil { return nil }
    let last = Dictionary(ledger.moments.map { ($0.context, $0.content) }) { $1 }
      .compactMapValues(\.self)
    return
      "the drafts are \(found) at commit \(head), as they never were after the first "
      + "\(leastMomentCount) of \(ledger.moments.count) moments; at last they were to be \(last)"
  }

  private func drafts(of store: JournaledStore) throws -> [String: DraftContent] {
    var found: [String: DraftContent] = [:]
    for draft in store.unsavedDrafts {
      found[draft.contextName] = try DraftContent(
        try store.resume(draft).content, of: store, among: known)
    }
    return found
  }

  /// After the end of the process all moments must be there that returned; after a loss of power, all that came before
  /// something that returned and had synced.
  private var leastMomentCount: Int {
    crash == .powerLoss ? ledger.durableMomentCount : ledger.returnedMomentCount
  }

  /// After how many moments the drafts are these; nil where they never are.
  private func momentCount(_ found: [String: DraftContent], _ head: Int) -> Int? {
    let least = leastMomentCount
    var (held, commitCount): ([String: DraftContent], Int) = ([:], 0)
    if least == 0, head == 0, found.isEmpty { return 0 }
    for (index, moment) in ledger.moments.enumerated() {
      held[moment.context] = moment.content
      if moment.isCommit { commitCount += 1 }
      if index + 1 >= least, commitCount == head, held == found { return index + 1 }
    }
    return nil
  }

  /// A backup that was acknowledged is there, whole; one that was begun is there, whole, or not at all.
  private func faultOfBackups(on disk: SimulatedDisk) throws -> String? {
    for backup in ledger.backups {
      guard disk.contents(of: "\(backup.path)/MANIFEST") != nil else {
        if backup.isAcknowledged { return "\(backup.path) is not there" }
        continue
      }
      let store = try StoreWork.open(on: disk, at: backup.path)
      let head = Int(store.lastCommit.rawValue)
      guard head == backup.commit, try store.head.plain() == ledger.states[head] else {
        return "\(backup.path) is at commit \(head)"
      }
    }
    return nil
  }

  /// What comes after a crash is as durable as what came before.
  private func faultOfGoingOn(_ store: JournaledStore, _ disk: SimulatedDisk) throws -> String? {
    var state = try store.head.plain()
    let context = try store.beginContext(name: "after", on: store.head.number)
    let key = try store.key(named: "title")
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    if ledger.states.contains(where: { $0[object] != nil }), state[object] != nil {
      return "\(object) is given a second time"
    }
    try store.record(.inserted(object), by: context)
    try store.record(.set(object, key, "after"), by: context)
    let row = Row([key: "after"])
    _ = try store.commit(CommitRequest([.init(object, base: .none, nil, to: row)]), by: context)
    state[object] = row
    let again = try StoreWork.open(on: disk.imageAfterPowerLossOfEverythingUnsynced())
    guard try again.head.plain() == state else { return "the new commit is not there" }
    try again.close()
    try store.compact(keeping: .latest)
    guard try store.head.plain() == state else { return "compaction changed the state" }
    try store.close()
    let third = try StoreWork.open(on: disk)
    guard try third.head.plain() == state else { return "the state is not there any more" }
    if let finding = try third.verify(deep: true).first { return "verification: \(finding)" }
    try third.close()
    return nil
  }
}
