import DiskAccess
import DiskSimulation
import Foundation
import Journaling
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import ToolSupport

/// A journal of several segments, in which each commit makes a blog and changes the one before it.
enum LongJournal {
  static let commitCount = 24

  /// Where the state is kept, besides in the journal.
  enum Checkpoint: CaseIterable {
    case none, early, late
  }

  /// - Parameter noise: how many bytes of each commit cannot be compressed.
  static func make(
    _ checkpoint: Checkpoint, compacted: Bool = false, noise: Int = 0,
    _ options: StoreOptions = StoreOptions()
  ) throws -> SimulatedDisk {
    try MadeOnce.disk("\(checkpoint) \(compacted) \(noise) \(options.journal.halfByteCount)") {
      try live(checkpoint, compacted: compacted, noise: noise, options)
    }
  }

  private static func live(
    _ checkpoint: Checkpoint, compacted: Bool, noise: Int, _ options: StoreOptions
  ) throws -> SimulatedDisk {
    var dice = Dice(seed: 11)
    let disk = SimulatedDisk(seed: 11)
    let start: Int64 = 1_795_168_800_000_000_000
    disk.setWallClock(start)
    let store = try JournaledStore(on: disk, at: Journals.path, model: model(), options: options)
    var context = ManagedObjectContext(store)
    context.name = "writer"
    var last: ManagedObject?
    for number in 1...commitCount {
      disk.setWallClock(start + Int64(number) * 60_000_000_000)
      let blog = context.insert("Blog")
      blog["name"] = .string("blog \(number)")
      blog["text"] = .string(String(repeating: "\(number) and more. ", count: 40))
      if noise > 0 { blog["noise"] = .data(Data((0..<noise).map { _ in UInt8(dice.pick(256)) })) }
      last?["name"] = .string("blog \(number - 1), changed")
      if let last { blog["previous"] = .reference(last.objectID) }
      blog["mood\(number % 5)"] = .integer(number)
      last = blog
      try context.save(author: "author \(number)", message: "commit \(number)")
      if number == 3, compacted {
        // What a context has done is kept as long as it is there.
        context.close()
        try store.compact(keeping: .latest)
        context = ManagedObjectContext(store)
        context.name = "writer"
        last = try context.existingObject(with: blog.objectID)
      }
      if number % 6 == 0 { try store.beginSegment() }
      if number == 5, checkpoint == .early { try store.checkpoint() }
      if number == 20, checkpoint == .late { try store.checkpoint() }
    }
    try store.tag("end")
    try store.tag("middle", CommitNumber(rawValue: 12))
    // As after a program that was killed: nothing is written at closing.
    context.insert("Blog")["name"] = "unsaved"
    context.processPendingChanges()
    return disk.imageAfterProcessDeath()
  }

  /// A journal of three commits, each in a segment of its own, and in pieces of several frames.
  ///
  /// - Parameter isKept: whether the state is kept too, and another context has unsaved edits in each segment.
  static func inPieces(isKept: Bool = false) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 3)
    var options = StoreOptions()
    options.journal = .small
    options.journal.segmentByteCount = 64 << 20
    let store = try JournaledStore(on: disk, at: Journals.path, model: model(), options: options)
    let (context, other) = (ManagedObjectContext(store), ManagedObjectContext(store))
    var dice = Dice(seed: 3)
    for number in 1...3 {
      if isKept {
        other.insert("Blog")["name"] = .string("sketch \(number)")
        other.processPendingChanges()
      }
      let blog = context.insert("Blog")
      blog["name"] = .string("blog \(number)")
      blog["noise"] = .data(Data((0..<20_000).map { _ in UInt8(dice.pick(256)) }))
      try context.save()
      try store.beginSegment()
    }
    if isKept { try store.checkpoint() }
    return disk.imageAfterProcessDeath()
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog", allowsAnyKey: true,
        attributes: [
          AttributeDescription("name", .string, isIndexed: true),
          AttributeDescription("text", .string),
        ],
        relationships: [
          RelationshipDescription("previous", to: "Blog", inverse: "next"),
          RelationshipDescription("next", to: "Blog", inverse: "previous"),
        ])
    ])
  }
}

/// What a journal says of itself, to be compared with what is made of it.
struct JournalTruth {
  /// What a commit says of itself.
  struct Commit: Hashable {
    let author: String?
    let message: String?
    let contextName: String?
    let date: Date
  }

  private(set) var commits: [Commit] = []
  /// The names of all blogs after each commit, by the objects' numbers.
  private(set) var states: [[UInt64: Value]] = []

  init(of path: String = Journals.path, on disk: SimulatedDisk) throws {
    let store = try StoreReader(on: disk, at: path)
    for commit in try store.commits(since: store.firstKeptCommit.previous) {
      commits.append(
        Commit(
          author: commit.author, message: commit.message, contextName: commit.contextName,
          date: commit.date))
      let past = try store.asOf(.commit(commit.number))
      states.append(try Self.names(in: past))
    }
  }

  private static func names(in context: ManagedObjectContext) throws -> [UInt64: Value] {
    var names: [UInt64: Value] = [:]
    for blog in try context.fetch(FetchRequest("Blog")) {
      names[blog.objectID.number] = blog["name"] ?? .null
    }
    return names
  }
}
