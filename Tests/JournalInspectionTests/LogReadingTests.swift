// How much of a journal is read for the commits that are told, and that they are told the same on every way.

import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Synchronization
import TestSupport
import Testing
import ToolSupport

@Suite struct LogReadingTests {
  @Test(
    arguments: [
      // The last segment, and nothing of the others.
      ("log -n 3", [.none, .none, .none, .whole]),
      ("log -p -n 2 --entity Blog", [.none, .none, .none, .whole]),
      ("log --stat --since head~1 --reverse", [.none, .none, .none, .whole]),
      // An object whose first and last commits are far from each other.
      ("log --id Blog/1 -p", [.whole, .beginning, .beginning, .whole]),
      ("log --id Blog/1 --reverse", [.whole, .beginning, .beginning, .whole]),
      ("history Blog/1 name", [.whole, .beginning, .beginning, .whole]),
      // Commits that lie far back.
      ("log --until 3 -n 1", [.whole, .beginning, .beginning, .beginning]),
      ("show 2", [.whole, .beginning, .beginning, .beginning]),
      // A time is looked for from the last commit back.
      ("log --until 2026-11-20T10:19:30Z -n 1", [.none, .none, .none, .whole]),
    ] as [(String, [Reading])])
  func `of a long journal no more is read than is told`(line: String, most: [Reading]) throws {
    let disk = try WideJournal.made.get()
    let counts = Counts()
    let watched = ReadingDisk(disk) { path, bytes in
      counts.add(bytes.count, of: path)
      return nil
    }
    let run = Run(line, on: watched)
    #expect(run.status == .fine && !run.output.isEmpty, "\(run)")
    for (place, most) in most.enumerated() {
      let path = "\(Journals.path)/journal/000000000\(place + 1).xj"
      let whole = try #require(disk.contents(of: path)).count
      #expect(whole > 2 << 20)
      let count = counts[path]
      #expect(count <= most.byteCount(of: whole), "\(path): \(count) of \(whole) bytes")
      if most == .whole { #expect(count > 0, "\(path)") }
    }
  }

  /// How much of a segment may be read.
  enum Reading {
    case none, beginning, whole

    func byteCount(of whole: Int) -> Int {
      switch self {
      case .none: 0
      case .beginning: 5 << 18
      // Two walks over it, one of which is that of opening, looks at both ends, and some frames once more.
      case .whole: 2 * whole + 4 << 20
      }
    }
  }

  @Test(arguments: [
    "", "--reverse", "--author ann", "--author ann --reverse", "-n 3", "-n 3 --reverse", "--grep e",
    "--until head~2", "--since 2 --until head~1 --reverse", "--entity Post",
    "--entity Part --reverse",
  ])
  func `a commit is told the same, whichever are told beside it`(options: String) throws {
    for disk in [try Journals.sound(), try VariedJournal.make(), try SplicedJournal.make()] {
      let whole = Run("log -p --json \(options)", on: disk)
      guard whole.status == .fine else {
        #expect(options.contains("--entity"), "\(whole)")
        continue
      }
      for line in whole.output.split(separator: "\n") {
        let number = try #require(line.firstMatch(of: /"number":(\d+)/)?.output.1)
        let alone = Run("show \(number) --json", on: disk)
        #expect(alone.output == line + "\n", "commit \(number)")
      }
    }
  }

  @Test func `the commits of an object are those that changed it`() throws {
    for disk in [try Journals.sound(), try VariedJournal.make(), try SplicedJournal.make()] {
      let all = Run("log -p", on: disk).output.components(separatedBy: "\n\n")
      let names = Set(
        all.flatMap { $0.matches(of: /(?m)^  [-+~] (\S+\/\d+)/).map { String($0.output.1) } })
      #expect(names.count > 1)
      for name in names {
        let pattern = try Regex("(?m)^  [-+~] \(name)$")
        let wanted = all.filter { $0.contains(pattern) }
        let told = Run("log -p --id \(name)", on: disk)
        #expect(
          told.output.split(separator: "\n")
            == wanted.joined(separator: "\n").split(separator: "\n"))
        let reversed = Run("log -p --reverse --id \(name)", on: disk).output
        #expect(
          reversed.components(separatedBy: "\n\n").reversed().joined(separator: "\n")
            .split(separator: "\n") == told.output.split(separator: "\n"))
      }
    }
  }
}

/// How many bytes were read of each file.
private final class Counts: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  subscript(path: String) -> Int { counts.withLock { $0[path] ?? 0 } }

  func add(_ count: Int, of path: String) {
    counts.withLock { $0[path, default: 0] += count }
  }
}

/// A journal whose segments are larger than what is read of one to find out what it begins with.
private enum WideJournal {
  /// Made once: it takes a while.
  static let made = Result { try make() }

  private static func make() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 12)
    let start: Int64 = 1_795_168_800_000_000_000
    disk.setWallClock(start)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog",
        attributes: [AttributeDescription("name", .string), AttributeDescription("picture", .data)])
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    var dice = Dice(seed: 12)
    // Nothing of it can be compressed.
    let picture = Data((0..<60_000).flatMap { _ in bytes(of: dice.next()) })
    let first = context.insert("Blog")
    for number in 1...20 {
      disk.setWallClock(start + Int64(number) * 60_000_000_000)
      let blog = number == 1 ? first : context.insert("Blog")
      blog["name"] = .string("blog \(number)")
      blog["picture"] = .data(Data(bytes(of: UInt64(number))) + picture)
      if number == 20 { first["name"] = "the first" }
      try context.save()
      if number % 5 == 0, number < 20 { try store.beginSegment() }
    }
    try store.close()
    return disk
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }
}

/// A journal in which long texts change in small places, which commits say in short.
private enum SplicedJournal {
  static func make() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 13)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Post",
        attributes: [
          AttributeDescription("text", .string),
          AttributeDescription("likes", .counter, isOptional: false),
        ])
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    let posts = (0..<3).map { _ in context.insert("Post") }
    let line = String(repeating: "words that stay ", count: 40)
    for number in 1...12 {
      let post = posts[number % 3]
      post["text"] = .string("\(line)\(number) \(line)")
      post["likes"] = .counter(number)
      try context.save(author: number.isMultiple(of: 2) ? "ann" : "bob", message: "text \(number)")
    }
    context.delete(posts[1])
    try context.save(author: "ann")
    context.undo()
    try context.save(author: "ann")
    try store.close()
    return disk
  }
}
