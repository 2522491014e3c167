import DiskAccess
import ManagedObjects
import ObjectModel
import ObjectStore

/// A long session of editing one text: E1.
struct SessionLines {
  let bench: Bench
  private var disk: PosixDisk { bench.workplace.disk }

  /// What the public traces of editing have: single characters put in and taken out at a place that wanders, now and
  /// then elsewhere, some of it undone; each edit is a step of undo, and every fiftieth is followed by a save.
  ///
  /// The text has some 100 KB from the first edit to the last, as what is stored for an edit is to be small then.
  func text() throws -> [Comparison] {
    let editCount = max(1_000, bench.objectCount / 4)
    var lines = [
      Comparison(
        line: "E1", what: "edits of one character in a text of 100 KB, each a step, saves of 50"),
      Comparison(
        line: "E1b", what: "bytes of the journal for each of them", unit: .bytes,
        goals: [.most(64)]),
      Comparison(
        line: "E1f", what: "bytes of the whole folder for each of them", unit: .bytes),
      Comparison(line: "E1m", what: "opening such a store, closed in order", unit: .seconds),
      Comparison(
        line: "E1k", what: "opening what kill -9 leaves of it at any of eight points",
        unit: .seconds),
      Comparison(
        line: "E1p", what: "reading the text as it was at any of its commits", unit: .seconds),
    ]
    for round in 0..<bench.largeRounds {
      let path = try bench.workplace.emptyFolder("session")
      var session = try Session(NoteStore(path), seed: UInt64(round))
      let before = session.notes.store.journaledByteCount
      var stopwatch = Stopwatch(disk)
      var killed: [Double] = []
      for number in 1...editCount {
        try stopwatch.time { try session.edit(number) }
        if number % (editCount / 8) == editCount / 16 { killed.append(try secondsToRecover()) }
      }
      let byteCount = session.notes.store.journaledByteCount - before
      try session.notes.store.close()
      let folderByteCount = try bench.workplace.byteCount(of: "session")
      var notes: NoteStore?
      let opening = try seconds(disk) { notes = try NoteStore(path) }
      guard let notes else { throw BenchError.wrongResult("E1 is not opened") }
      let measured = [
        Double(editCount) / stopwatch.seconds, Double(byteCount) / Double(editCount),
        Double(folderByteCount) / Double(editCount), opening, median(killed),
        try session.secondsToRead(of: notes, disk),
      ]
      for index in lines.indices {
        lines[index].ours.append(measured[index])
        lines[index].noteDisk(folderByteCount)
      }
      try notes.store.close()
      try bench.workplace.remove("session")
    }
    return lines
  }

  /// How long it takes to open a copy of the store as it is now.
  private func secondsToRecover() throws -> Double {
    try bench.workplace.copy("session", to: "killed")
    var notes: NoteStore?
    let time = try seconds(disk) { notes = try NoteStore(bench.workplace.place("killed")) }
    try notes?.store.close()
    try bench.workplace.remove("killed")
    return time
  }
}

/// Somebody who edits a text.
private struct Session {
  let notes: NoteStore
  private let context: ManagedObjectContext
  private let note: StoredNote
  private var text: [UInt8]
  private var cursor: Int
  private var chance: Chance
  /// What the text was after some of the saves, by their commits.
  private var known: [(commit: CommitNumber, text: [UInt8])] = []

  init(_ notes: NoteStore, seed: UInt64) throws {
    self.notes = notes
    context = ManagedObjectContext(notes.store)
    // Each step keeps the whole value before it.
    context.levelsOfUndo = 100
    chance = Chance(seed: seed)
    text = []
    for _ in 0..<100_000 { text.append(Self.letter(&chance)) }
    cursor = text.count / 2
    note = context.insert(StoredNote.self)
    note.text = String(decoding: text, as: UTF8.self)
    try context.save()
  }

  private static func letter(_ chance: inout Chance) -> UInt8 {
    let number = chance.number(below: 32)
    return number < 26 ? UInt8(97 + number) : 32
  }

  mutating func edit(_ number: Int) throws {
    if number % 40 == 0 {
      context.undo()
      text = Array((note.text ?? "").utf8)
      cursor = min(cursor, text.count)
    } else {
      if chance.number(below: 50) == 0 { cursor = chance.number(below: text.count) }
      if cursor > 0, chance.number(below: 100) < 45 {
        cursor -= 1
        text.remove(at: cursor)
      } else {
        text.insert(Self.letter(&chance), at: cursor)
        cursor += 1
      }
      note.text = String(decoding: text, as: UTF8.self)
      context.processPendingChanges()
    }
    guard number % 50 == 0 else { return }
    try context.save()
    if chance.number(below: 50) == 0 { known.append((notes.store.head.number, text)) }
  }

  /// How long it takes to read the text at a commit, of those that are known.
  func secondsToRead(of notes: NoteStore, _ disk: PosixDisk) throws -> Double {
    guard let key = notes.store.existingKey(named: "text"), !known.isEmpty else {
      throw BenchError.wrongResult("E1 knows no commits")
    }
    let times = try known.map { commit, text in
      var found: Value?
      let time = try seconds(disk) {
        found = try notes.store.snapshot(at: .commit(commit)).row(of: note.objectID)?[key]
      }
      guard found == .string(String(decoding: text, as: UTF8.self)) else {
        throw BenchError.wrongResult("E1 at \(commit)")
      }
      return time
    }
    return median(times)
  }
}
