// A journal on a simulated disk, driven by small steps, with a ledger of what was promised.

internal import ByteCoding
internal import DiskAccess
package import DiskSimulation
package import Journaling

/// What was begun and what was acknowledged, from which an oracle tells what must be there.
package struct Ledger: Hashable, Sendable {
  package var begunCommits = 0
  package var writtenCommits = 0
  package var syncedCommits = 0
  package var begunEdits = 0
  package var returnedEdits = 0
  /// The edits that were there when the last synced save returned, or the last upkeep.
  package var syncedEdits = 0
  /// How often the attachments of the manifest were to be replaced, and how often they were.
  package var begunReplacements = 0
  package var returnedReplacements = 0
  /// The commits and edits that are long enough to need pieces.
  package var largeCommits: Set<Int> = []
  package var largeEdits: Set<Int> = []

  package init() {}

  /// The bytes of the commit or edit of a number.
  package func commit(_ number: Int) -> [UInt8] {
    Content.commit(number) + (largeCommits.contains(number) ? Content.padding(5_000, number) : [])
  }

  package func edit(_ number: Int) -> [UInt8] {
    Content.edit(number) + (largeEdits.contains(number) ? Content.padding(700, number) : [])
  }
}

/// A step of a workload.
package enum Step: String, Sendable {
  /// An edit, and a commit that is only written.
  case append
  /// An edit, and a commit that is synced.
  case save
  /// An edit that only the edit buffer holds.
  case edit
  /// The same, of an edit that needs pieces.
  case largeEdit
  case roll
  case reopen
  case idle
  case manifest
  /// An edit and a commit that both need pieces, synced.
  case large
  /// So many edits that both halves turn, and a commit that is only written.
  case burst

  /// The steps of which all short rows are explored.
  package static let basic: [Step] = [.append, .save, .roll, .reopen, .idle, .manifest]
}

/// Small sizes, so that every border is met within a few steps.
extension JournalOptions {
  package static var small: JournalOptions {
    var options = JournalOptions()
    options.segmentByteCount = 8 << 10
    options.halfByteCount = 512
    options.windowByteCount = 16 << 10
    options.preallocatedByteCount = 1 << 10
    options.hasUpkeepThread = false
    return options
  }
}

/// The bytes of the commit or edit of a number: told apart from all others, and as long as the number says.
package enum Content {
  package static func commit(_ number: Int) -> [UInt8] { bytes("commit", number, padding: 13) }
  package static func edit(_ number: Int) -> [UInt8] { bytes("edit", number, padding: 7) }

  private static func bytes(_ name: String, _ number: Int, padding count: Int) -> [UInt8] {
    Array("\(name) \(number) ".utf8) + padding((number % 5) * count, number)
  }

  package static func padding(_ count: Int, _ number: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7 &+ ($0 &* $0) >> 5) }
  }
}

/// A journal that lives on a simulated disk.
package final class JournalLife {
  package let disk: SimulatedDisk
  package let path = "store"
  package var ledger = Ledger()
  package private(set) var journal: Journal?
  private let options: JournalOptions

  package init(_ disk: SimulatedDisk, _ options: JournalOptions = .small) {
    self.disk = disk
    self.options = options
  }

  package func open() throws(JournalError) {
    journal = try Journal.open(on: disk, at: path, options: options).journal
  }

  /// Goes on with a journal opened elsewhere.
  package func adopt(_ journal: Journal) { self.journal = journal }

  package func perform(_ step: Step) throws(JournalError) {
    guard let journal else { preconditionFailure("a life begins with opening") }
    switch step {
    case .append:
      try edit(journal)
      try commit(journal, .written)
    case .save:
      try edit(journal)
      try commit(journal, .synced)
    case .edit:
      try edit(journal)
    case .largeEdit:
      ledger.largeEdits.insert(ledger.begunEdits + 1)
      try edit(journal)
    case .large:
      ledger.largeEdits.insert(ledger.begunEdits + 1)
      ledger.largeCommits.insert(ledger.begunCommits + 1)
      try edit(journal)
      try commit(journal, .synced)
    case .burst:
      for _ in 0..<30 { try edit(journal) }
      try commit(journal, .written)
    case .roll:
      try journal.beginSegment()
      ledger.syncedCommits = ledger.writtenCommits
    case .reopen:
      try close()
      try open()
    case .idle:
      for _ in 0..<3 {
        disk.advanceClock(by: 1_000_000_000)
        try journal.performUpkeep()
      }
      ledger.syncedCommits = ledger.writtenCommits
      ledger.syncedEdits = ledger.returnedEdits
    case .manifest:
      try replaceAttachments(journal)
    }
  }

  package func close() throws(JournalError) {
    try journal?.close()
    journal = nil
    ledger.syncedCommits = ledger.writtenCommits
    ledger.syncedEdits = ledger.returnedEdits
  }

  /// Lets go of the journal as a dead process does.
  package func abandon() { journal = nil }

  package func edit(_ journal: Journal) throws(JournalError) {
    ledger.begunEdits += 1
    try journal.appendEdit(ledger.edit(ledger.begunEdits))
    ledger.returnedEdits += 1
  }

  package func replaceAttachments(_ journal: Journal) throws(JournalError) {
    ledger.begunReplacements += 1
    try journal.replaceAttachments(Manifest.attachments(ledger.begunReplacements))
    ledger.returnedReplacements = ledger.begunReplacements
  }

  package func commit(_ journal: Journal, _ durability: Durability) throws(JournalError) {
    ledger.begunCommits += 1
    let edits = ledger.returnedEdits
    try journal.commit(ledger.commit(ledger.begunCommits), durability)
    ledger.writtenCommits = ledger.begunCommits
    if durability == .synced {
      ledger.syncedCommits = ledger.begunCommits
      ledger.syncedEdits = edits
    }
  }
}

extension Manifest {
  /// What is attached by the replacement of a number; nothing is before the first.
  package static func attachments(_ number: Int) -> [Attachment] {
    let content = [UInt8(truncatingIfNeeded: number)]
    return number == 0 ? [] : [Attachment(kind: 1, fileName: "run-\(number)", content: content)]
  }

  /// The number of the replacement that made the attachments; nil where none has made them so.
  package var replacement: Int? {
    let digits = attachments.first?.fileName.dropFirst("run-".count)
    guard let number = digits.map({ Int($0) }) ?? 0 else { return nil }
    return attachments == Self.attachments(number) ? number : Int?.none
  }
}

extension Journal {
  /// Stores an edit of some bytes.
  @discardableResult
  package func appendEdit(_ bytes: [UInt8]) throws(JournalError) -> EditNumber {
    try appendEdit(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Makes a commit of some bytes.
  @discardableResult
  package func commit(
    _ bytes: [UInt8], _ durability: Durability = .synced
  ) throws(JournalError) -> FrameNumber {
    let ticket = try enqueueCommit(epoch: commitEpoch) { _, writer in writer.write(bytes) }
    return try wait(for: ticket, until: durability).number
  }
}
