// The child that works with a whole store until it is killed, and says on its output what has returned.

import DiskAccess
import EventFold
import Foundation
import Journaling
import ObjectModel
import ObjectStore

/// Two contexts, each on a thread of its own, edit and save a pair of objects, over and over.
///
/// Of save k, both objects of the pair have the text "life L one k", and the first has the rank k. Between
/// saves the pair is edited, some steps of it are taken back and made again, and then all of it is given up.
struct StoreWriter {
  let path: String
  /// Stands in everything it writes, so that it is told from what earlier writers wrote.
  let life: String

  func run() throws {
    let store = try JournaledStore(
      on: PosixDisk(), at: path, model: try Self.model(), options: Self.options)
    say("open")
    let threads = try ["one", "two"].map { name in
      try BackgroundThread {
        do {
          try Pair(store, "life \(life) \(name)").work { say($0) }
        } catch {
          FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
          exit(1)
        }
      }
    }
    for thread in threads { thread.join() }
  }

  /// So small that segments and halves turn, and checkpoints are due, within a few saves.
  static var options: StoreOptions {
    var options = StoreOptions()
    options.journal.segmentByteCount = 32 << 10
    options.journal.halfByteCount = 4 << 10
    options.journal.windowByteCount = 64 << 10
    options.journal.preallocatedByteCount = 16 << 10
    options.unflushedByteCount = 16 << 10
    options.rollingByteCount = 8 << 10
    options.cacheByteCount = 64 << 10
    return options
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [AttributeDescription("text", .string), AttributeDescription("rank", .integer)])
    ])
  }

  /// One write a line, so that the lines of two threads are whole.
  private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// A context and its pair of objects.
private struct Pair {
  let store: JournaledStore
  let name: String
  let context: LiveContext
  let objects: [ObjectID]
  let text: KeyNumber
  let rank: KeyNumber

  init(_ store: JournaledStore, _ name: String) throws {
    self.store = store
    self.name = name
    context = try store.beginContext(name: name, on: store.lastCommit)
    objects = [
      try store.newObject(of: EntityNumber(rawValue: 0)),
      try store.newObject(of: EntityNumber(rawValue: 0)),
    ]
    (text, rank) = (try store.key(named: "text"), try store.key(named: "rank"))
  }

  func work(_ say: (String) -> Void) throws {
    var rows: [Row?] = [nil, nil]
    var base = CommitNumber.none
    for save in 1... {
      var steps = PairSteps(rows)
      try store.record(.rolledBack, by: context)
      steps.step(to: try edit(toward: save, rows))
      try store.record(.stepEnded(name: nil), by: context)
      let request = CommitRequest(
        zip(objects, zip(rows, steps.now)).map { .init($0, base: base, $1.0, to: $1.1) })
      base = try store.commit(request, by: context)?.number ?? base
      rows = steps.now
      say("s \(name) \(save)")
      for edit in 1...(save % 4 + 1) {
        if edit == 1 { try store.record(.based(objects[0], on: base), by: context) }
        try play(edit, after: save, &steps)
        try store.record(.stepEnded(name: nil), by: context)
        say("e \(name) \(save) \(edit)")
      }
      try keepHouse(after: save)
    }
  }

  /// Makes the pair what it is to be after a save.
  private func edit(toward save: Int, _ rows: [Row?]) throws -> [Row] {
    let value = Value.string("\(name) \(save)")
    var next: [Row] = []
    for (object, row) in zip(objects, rows) {
      if row == nil { try store.record(.inserted(object), by: context) }
      try store.record(.set(object, text, value), by: context)
      var row = row ?? Row()
      row[text] = value
      next.append(row)
    }
    try store.record(.set(objects[0], rank, .integer(save)), by: context)
    next[0][rank] = .integer(save)
    return next
  }

  /// Does one thing of several, which the numbers decide: whoever looks for what is left must know it too.
  private func play(_ edit: Int, after save: Int, _ steps: inout PairSteps) throws {
    switch (save + edit) % 6 {
    case 1:
      if let restored = steps.takeBack(objects) { try store.record(.undone(restored), by: context) }
    case 2:
      if let restored = steps.makeAgain(objects) {
        try store.record(.redone(restored), by: context)
      }
    case 3:
      guard steps.now[1] != nil else { return }
      try store.record(.deleted(objects[1]), by: context)
      steps.step(to: [steps.now[0], nil])
    case 4:
      try store.record(.merged(store.lastCommit), by: context)
    default:
      guard var row = steps.now[0] else { return }
      row[text] = .string("\(name) \(save) edit \(edit)")
      row[rank] = nil
      try store.record(.set(objects[0], text, row[text]), by: context)
      try store.record(.set(objects[0], rank, nil), by: context)
      steps.step(to: [row, steps.now[1]])
    }
  }

  /// One of the two compacts and rolls now and then; checkpoints come by themselves.
  private func keepHouse(after save: Int) throws {
    guard name.hasSuffix("one") else { return }
    switch save % 12 {
    case 4: try store.compact(keeping: .everything)
    case 8:
      let last = store.lastCommit.rawValue
      try store.compact(keeping: .commits(since: CommitNumber(rawValue: last > 10 ? last - 10 : 1)))
    case 11: try store.checkpoint()
    default: break
    }
  }
}
