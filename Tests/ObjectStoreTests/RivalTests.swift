// Objects that two have changed are merged against what is there, and nobody waits for the merging.

import DiskSimulation
import EventFold
import Foundation
import ObjectModel
import ObjectStore
import Synchronization
import TestSupport
import Testing

@Suite struct RivalTests {
  /// A store with one note at the first commit.
  private struct Workplace {
    let store: JournaledStore
    let context: LiveContext
    let note: ObjectID
    let title: KeyNumber
    let before: Row

    init() throws {
      store = try JournaledStore(
        on: SimulatedDisk(seed: 63), at: StoreLife.path, model: try StoreLife.model(),
        options: .small)
      context = try store.beginContext(name: "first", on: .none)
      note = try store.newObject(of: EntityNumber(rawValue: 0))
      title = try store.key(named: "title")
      before = Row([title: "a"])
      _ = try store.commit(
        CommitRequest([.init(note, base: .none, nil, to: before)]), by: context)
    }

    /// Adds to the title what others have not seen.
    func addRival(_ text: String) throws {
      let row = try store.head.row(of: note)
      let longer = Row([title: .string((row?[title]?.string ?? "") + text)])
      _ = try store.commit(
        CommitRequest([.init(note, base: store.lastCommit, row, to: longer)]), by: context)
    }

    /// A request made at the first commit, which wants another title.
    func lateRequest(_ policy: ConflictPolicy) -> CommitRequest {
      var request = CommitRequest([.init(note, base: 1, before, to: Row([title: "mine"]))])
      request.policy = policy
      return request
    }
  }

  @Test func `S63: a merge may use the store itself, and meets every rival that comes meanwhile`()
    throws
  {
    let place = try Workplace()
    try place.addRival("b")
    let seen = Mutex<[String]>([])
    let request = place.lateRequest(
      .custom { sides in
        let theirs = sides.theirs?[place.title]?.string ?? ""
        let count = seen.withLock { seen in
          seen.append(theirs)
          return seen.count
        }
        do {
          if count == 1 { try place.addRival("c") }
        } catch {
          Issue.record("\(error)")
        }
        return .merged(Row([place.title: .string(theirs + " and mine")]))
      })
    let commit = try place.store.commit(request, by: place.context)
    #expect(seen.withLock { $0 } == ["ab", "abc"])
    #expect(commit?.number == 4)
    #expect(try place.store.head.row(of: place.note) == Row([place.title: "abc and mine"]))
    try place.store.close()
  }

  @Test func `S63: what a rival has changed there and back is told, and no other policy minds it`()
    throws
  {
    let place = try Workplace()
    for title in ["b", "a"] as [Value] {
      let row = try place.store.head.row(of: place.note)
      _ = try place.store.commit(
        CommitRequest([
          .init(place.note, base: place.store.lastCommit, row, to: Row([place.title: title]))
        ]), by: place.context)
    }
    #expect(try place.store.head.row(of: place.note) == place.before)
    let conflict = ObjectConflict(
      place.note, base: place.before, ours: Row([place.title: "mine"]), theirs: place.before)
    let told = #expect(throws: CommitError.self) {
      try place.store.commit(place.lateRequest(.tell), by: place.context)
    }
    guard case .conflicts(let conflicts)? = told else {
      Issue.record("no conflict: \(String(describing: told))")
      return
    }
    #expect(conflicts.objects == [conflict])
    #expect(place.store.lastCommit == 3)
    _ = try place.store.commit(place.lateRequest(.rollBack), by: place.context)
    #expect(try place.store.head.row(of: place.note) == Row([place.title: "mine"]))
    #expect(try place.store.verify(deep: true) == [])
    try place.store.close()
  }

  @Test func `S63: a deletion that compaction has forgotten is a rival all the same`() throws {
    let place = try Workplace()
    _ = try place.store.commit(
      CommitRequest([.init(place.note, base: 1, place.before, to: nil)]), by: place.context)
    try place.store.endContext(place.context)
    try place.store.compact(keeping: .latest)
    #expect(try place.store.head.stored(place.note) == nil)
    let late = try place.store.beginContext(name: "late", on: place.store.lastCommit)
    let told = #expect(throws: CommitError.self) {
      try place.store.commit(place.lateRequest(.tell), by: late)
    }
    guard case .conflicts(let conflicts)? = told else {
      Issue.record("no conflict: \(String(describing: told))")
      return
    }
    #expect(conflicts.objects.map(\.base) == [place.before])
    #expect(conflicts.objects.map(\.theirs) == [nil])
    #expect(try place.store.commit(place.lateRequest(.storeWins), by: late) == nil)
    #expect(try place.store.head.row(of: place.note) == nil)
    _ = try place.store.commit(place.lateRequest(.overwrite), by: late)
    #expect(try place.store.head.row(of: place.note) == Row([place.title: "mine"]))
    #expect(try place.store.verify(deep: true) == [])
    try place.store.close()
  }

  @Test func `S35: a merge function of an attribute may use the store itself`() throws {
    let place = try Workplace()
    try place.addRival("b")
    var request = place.lateRequest(.tell)
    request.mergeKind = { _, _ in
      .custom { base, ours, theirs in
        // Only a value, and still the rival's change is looked at anew.
        let texts = [base, ours, theirs].map { $0?.string ?? "" }
        do {
          if place.store.lastCommit == 2 { try place.addRival("c") }
        } catch {
          Issue.record("\(error)")
        }
        return MergeKind.Merged(.string(texts.joined(separator: ",")))
      }
    }
    _ = try place.store.commit(request, by: place.context)
    #expect(try place.store.head.row(of: place.note) == Row([place.title: "a,mine,abc"]))
    try place.store.close()
  }

  @Test func `S63: a policy of one's own may say that it is a conflict, and nothing changes`()
    throws
  {
    let place = try Workplace()
    try place.addRival("b")
    #expect(throws: CommitError.self) {
      try place.store.commit(place.lateRequest(.custom { .conflict($0) }), by: place.context)
    }
    #expect(place.store.lastCommit == 2)
    #expect(try place.store.head.row(of: place.note) == Row([place.title: "ab"]))
    try place.store.close()
  }
}
