// What calls have returned in a life in which some fail, and what must be there by that.

import DiskSimulation
import Journaling
import TestSupport

/// What a journal has acknowledged and refused. Edits and commits are known by numbers of their own.
struct FaultyLedger {
  /// The number of the newest edit or commit.
  private var number = 0
  /// What was begun and has returned, and what must not be there; of what is in neither nobody knows.
  private var made = Content()
  private var durable = Content()
  private var refusedCommits: Set<Int> = []
  private var refusedReplacements: Set<Int> = []
  private var begunReplacements = 0
  /// How many bytes stand behind the text of an edit or commit.
  private var paddings: [Int] = []

  /// What is in a journal, in its order.
  struct Content {
    var commits: [Int] = []
    var edits: [Int] = []
    /// Which replacement has made the attachments.
    var replacement = 0
  }

  /// - Parameter padding: nil for one of a few short ones.
  mutating func begin(padding: Int? = nil) {
    number += 1
    paddings.append(padding ?? number % 3 * 40)
  }

  var edit: [UInt8] { bytes("edit", number) }
  var commit: [UInt8] { bytes("commit", number) }

  mutating func editReturned() { made.edits.append(number) }

  mutating func commitReturned(_ durability: Durability) {
    made.commits.append(number)
    if durability == .synced { syncReturned() }
  }

  mutating func commitRefused() { refusedCommits.insert(number) }

  /// A sync of all commits, and of the edits too where those still in the buffer were part of it.
  mutating func syncReturned(ofEdits hasEdits: Bool = true) {
    durable.commits = made.commits
    if hasEdits { durable.edits = made.edits }
  }

  mutating func beginReplacement() -> [Manifest.Attachment] {
    begunReplacements += 1
    return Manifest.attachments(begunReplacements)
  }

  mutating func replacementReturned() { made.replacement = begunReplacements }
  mutating func replacementRefused() { refusedReplacements.insert(begunReplacements) }

  /// Takes what a recovery has handed out for what must be there, with the power too, and all else for what must not.
  mutating func adopt(_ content: Content) {
    refusedCommits.formUnion(Set(0...number).subtracting(content.commits))
    refusedReplacements.formUnion(Set(0...begunReplacements).subtracting([content.replacement]))
    (made, durable) = (content, content)
  }

  /// What is wrong with what is there.
  ///
  /// - Parameter mayLose: whether what was never synced may be gone.
  func fault(in found: Content, mayLose: Bool) -> String? {
    let (commits, edits) = mayLose ? (durable.commits, durable.edits) : (made.commits, made.edits)
    if found.commits.filter(commits.contains) != commits {
      return "\(commits) were made, \(found.commits) are there"
    }
    if !refusedCommits.isDisjoint(with: found.commits) {
      return "of \(found.commits), \(refusedCommits) had been refused"
    }
    if found.edits.filter(edits.contains) != edits {
      return "edits \(edits) returned, \(found.edits) are there"
    }
    for numbers in [found.commits, found.edits] where numbers != numbers.sorted() {
      return "\(numbers) are out of order"
    }
    // Whatever the crash, what has been attached is durable.
    if found.replacement < made.replacement || found.replacement > begunReplacements
      || refusedReplacements.contains(found.replacement)
    {
      return "of \(begunReplacements) replacements, \(made.replacement) returned and "
        + "\(refusedReplacements) are refused, \(found.replacement) is there"
    }
    return nil
  }

  /// What the frames of a disk hold; a fault where something is not what anybody made.
  func content(of disk: SimulatedDisk) throws(JournalError) -> (Content, fault: String?) {
    let listing = try Listing(on: disk)
    let attached = try JournalReader(at: "store", on: disk).manifest
    let commits = listing.commits.map { number(of: $0, "commit") }
    let edits = listing.edits.map { number(of: $0, "edit") }
    let content = Content(
      commits: commits, edits: edits, replacement: attached.replacement ?? -1)
    if let fault = listing.fault { return (content, fault) }
    let isKnown = !(commits + edits).contains(-1)
    return (content, isKnown ? nil : "one of \(content) is not what it was")
  }

  private func bytes(_ name: String, _ number: Int) -> [UInt8] {
    Array("\(name) \(number) ".utf8)
      + Array(repeating: UInt8(truncatingIfNeeded: number), count: paddings[number - 1])
  }

  private func number(of bytes: [UInt8], _ name: String) -> Int {
    let words = bytes.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, let number = Int(String(decoding: words[1], as: UTF8.self)),
      paddings.indices.contains(number - 1), self.bytes(name, number) == bytes
    else { return -1 }
    return number
  }
}
