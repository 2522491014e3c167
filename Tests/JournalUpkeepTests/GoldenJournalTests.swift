import DiskSimulation
import Foundation
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// Journals of every released format stay readable.
@Suite struct GoldenJournalTests {
  private static let path = "Kept.xjournal"

  /// What is kept of the present format. Of one that is changed, others are added under its number, and these stay.
  static let present:
    [(name: String, journal: String, make: @Sendable () throws -> SimulatedDisk)] = [
      ("1 sound", Journals.path, { try Journals.sound(of: .light) }),
      ("1 killed", Journals.path, { try Journals.killed(of: .light) }),
      ("1 varied", Journals.path, { try VariedJournal.make(of: .light) }),
      ("1 with a late checkpoint", Journals.path, { try LongJournal.make(.late, .light) }),
      ("1 compacted", Journals.path, { try LongJournal.make(.late, compacted: true, .light) }),
      ("1 of two contexts", StoreWork.path, { try StoreWork.made(seed: 1, stepCount: 60) }),
    ]

  /// With `XJ_KEEP_GOLDEN` set, one that is missing is made.
  @Test func `of the present format there are journals of every shape`() throws {
    for (name, journal, make) in Self.present where !GoldenJournal(name).isKept {
      Issue.record("there is no golden journal “\(name)”")
      if ProcessInfo.processInfo.environment["XJ_KEEP_GOLDEN"] != nil {
        try GoldenJournal(name).keep(journal, of: try make(), SecondReader.said)
      }
    }
    #expect(try GoldenJournal.all().count >= Self.present.count)
  }

  @Test func `the second reader reads in each what it read when it was new`() throws {
    for journal in try GoldenJournal.all() {
      #expect(try SecondReader.said(of: journal.path) == journal.kept(), "\(journal.name)")
    }
  }

  @Test func `the store reads in each what the second reader does`() throws {
    for journal in try GoldenJournal.all() {
      let reader = try StoreReader(on: try journal.disk(at: Self.path), at: Self.path)
      let problems = try SecondReader.problems(with: reader, as: journal.kept())
      #expect(problems == [], "\(journal.name)")
      let all = try SecondReader.saidWithEvents(of: journal.path)
      #expect(
        try SecondReader.problems(with: reader, as: all, tellsEvents: true) == [],
        "\(journal.name)")
    }
  }

  @Test func `each can be worked with, and keeps what it had`() throws {
    for journal in try GoldenJournal.all() {
      let disk = try journal.disk(at: Self.path)
      let kept = try StoreReader(on: disk, at: Self.path)
      let states = try Self.states(of: kept)
      var store = try JournaledStore(on: disk, at: Self.path, model: nil)
      #expect(try store.verify(deep: true).isEmpty, "\(journal.name)")
      let drafts = store.unsavedDrafts
      #expect(!drafts.isEmpty || !journal.name.hasSuffix("killed"), "\(journal.name)")
      try store.checkpoint()
      try store.tag("looked at")
      try store.compact(keeping: .commits(since: kept.firstKeptCommit))
      try store.close()
      store = try JournaledStore(on: disk, at: Self.path, model: nil)
      #expect(try store.verify(deep: true).isEmpty, "\(journal.name)")
      #expect(store.unsavedDrafts == drafts, "\(journal.name)")
      #expect(store.tags["looked at"] == kept.lastCommit, "\(journal.name)")
      #expect(try Self.states(of: store) == states, "\(journal.name)")
      try store.close()
    }
  }

  /// The states at all commits that are kept.
  private static func states(of store: some ReadableStore) throws -> [PlainState] {
    try (store.firstKeptCommit.rawValue - 1...store.lastCommit.rawValue).map {
      try store.snapshot(at: CommitNumber(rawValue: $0)).plain()
    }
  }
}
