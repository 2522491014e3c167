// Every state of a store, folded forward from nothing over the events of its journal, by none of the store's means.

package import DiskAccess
internal import EventCoding
internal import FoundationEssentials
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// What a journal adds up to that goes back to its beginning: by its commits alone, and by its edits alone.
package struct JournalReplay {
  /// The state after each commit, as the changes of the commits make it; the first is that before any.
  package private(set) var states: [PlainState] = [[:]]
  /// The same, as the edits make it that the saving contexts had made.
  package private(set) var statesByEdits: [PlainState] = [[:]]
  /// What contexts have done since they last saved.
  private var unsaved: [ContextNumber: [Edit]] = [:]

  /// What the journal says cannot be.
  package struct Contradiction: Error {
    package let sentence: String
  }

  package init(on disk: any ReadableDisk, at path: String) throws {
    let reader = try JournalReader(at: path, on: disk)
    let decoder = EventDecoder(store: reader.manifest.store.tag)
    var failure: (any Error)?
    let ending = try reader.forEachFrame(from: FrameNumber(1)) { frame in
      guard frame.kind == .batch else { return true }
      do {
        try take(try Content(frame, reader), decoder)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    if let finding = ending.finding { throw Contradiction(sentence: "\(finding)") }
  }

  /// The edits and commits of a frame, as bytes.
  private struct Content {
    private var bytes: [UInt8] = []
    private var edits: [Range<Int>] = []
    private var commits: [Range<Int>] = []

    init(_ frame: JournalReader.Frame, _ reader: JournalReader) throws {
      guard let batch = Batch(frame.payload) else {
        throw Contradiction(sentence: "frame \(frame.number.rawValue) is no batch")
      }
      try batch.forEachEdit { _, entry throws(JournalError) in edits.append(try add(entry, reader))
      }
      try batch.forEachCommit { entry throws(JournalError) in
        commits.append(try add(entry, reader))
      }
    }

    private mutating func add(
      _ entry: Batch.Entry, _ reader: JournalReader
    ) throws(JournalError) -> Range<Int> {
      let first = bytes.count
      switch entry {
      case .whole(let entry): bytes += entry
      case .spanning(let span): bytes += try reader.bytes(of: span)
      }
      return first..<bytes.count
    }

    func decoded(_ decoder: EventDecoder) throws -> (events: [Event], commits: [CommitContent]) {
      try bytes.withUnsafeBytes { bytes in
        let edits = edits.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        return (
          try edits.map(decoder.event),
          try commits.map { commit in
            try decoder.commit(UnsafeRawBufferPointer(rebasing: bytes[commit])) {
              $0 < edits.count ? edits[$0] : nil
            }.content
          }
        )
      }
    }
  }

  /// Each commit stands behind the edits that came before it.
  private mutating func take(_ content: Content, _ decoder: EventDecoder) throws {
    let (events, commits) = try content.decoded(decoder)
    var next = 0
    for commit in commits {
      for event in events[next..<commit.precedingEditCount] { take(event) }
      next = commit.precedingEditCount
      try take(commit)
    }
    for event in events[next...] { take(event) }
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .edited(let context, .rolledBack), .edited(let context, .wasReset),
      .contextEnded(let context), .draftDiscarded(let context):
      unsaved[context] = nil
    case .edited(let context, let edit): unsaved[context, default: []].append(edit)
    default: break
    }
  }

  private mutating func take(_ commit: CommitContent) throws {
    guard commit.number.rawValue == UInt64(states.count) else {
      throw Contradiction(sentence: "commit \(commit.number) comes behind \(states.count - 1)")
    }
    var state = states[states.count - 1]
    for change in commit.changes {
      state[change.object] = try Self.row(after: change, state[change.object])
    }
    states.append(state)
    state = statesByEdits[statesByEdits.count - 1]
    for edit in unsaved.removeValue(forKey: commit.context) ?? [] {
      try Self.make(edit, in: &state)
    }
    statesByEdits.append(state)
  }

  private static func make(_ edit: Edit, in state: inout PlainState) throws {
    switch edit {
    case .inserted(let object): state[object] = Row()
    case .set(let object, let key, let value): state[object]?[key] = value
    case .deleted(let object): state[object] = nil
    case .merged: break
    default: throw Contradiction(sentence: "nobody is known to have made \(edit)")
    }
  }

  private static func row(after change: ObjectChange, _ before: Row?) throws -> Row? {
    guard (before == nil) == (change.kind == .inserted) else {
      throw Contradiction(sentence: "\(change.object) is \(change.kind), and was \(before as Any)")
    }
    var row = before ?? Row()
    for entry in change.entries {
      row[entry.key] = try value(after: entry.change, row[entry.key])
    }
    guard change.kind == .deleted else { return row }
    guard row.entries.isEmpty else {
      throw Contradiction(sentence: "of \(change.object), which is deleted, \(row) is left")
    }
    return nil
  }

  private static func value(after change: ValueChange, _ before: Value?) throws -> Value? {
    switch (change, before) {
    case (.replaced(before, let new), _): return new
    case (.counted(let amount), .counter(let count)?): return .counter(count + amount)
    case (.regrouped(let inserted, let removed), .set(let members)?)
    where removed.isSubset(of: members) && inserted.isDisjoint(with: members):
      return .set(members.subtracting(removed).union(inserted))
    case (.spliced(let splice), let whole?):
      if let value = value(after: splice, whole) { return value }
    default: break
    }
    throw Contradiction(sentence: "\(change) is made of \(before as Any)")
  }

  private static func value(after splice: Splice, _ whole: Value) -> Value? {
    switch (whole, splice.old, splice.new) {
    case (.string(let whole), .string(let old), .string(let new)):
      elements(after: splice, Array(whole.utf8), Array(old.utf8), Array(new.utf8))
        .map { .string(String(decoding: $0, as: UTF8.self)) }
    case (.data(let whole), .data(let old), .data(let new)):
      elements(after: splice, Array(whole), Array(old), Array(new)).map { .data(Data($0)) }
    case (.array(let whole), .array(let old), .array(let new)):
      elements(after: splice, whole, old, new).map { .array($0) }
    default: Value?.none
    }
  }

  /// What there is with another middle; nil where it has not the old one.
  private static func elements<Element: Equatable>(
    after splice: Splice, _ whole: [Element], _ old: [Element], _ new: [Element]
  ) -> [Element]? {
    let (prefix, suffix) = (whole.prefix(splice.prefixCount), whole.suffix(splice.suffixCount))
    guard whole == Array(prefix + old + suffix) else { return nil }
    return Array(prefix + new + suffix)
  }
}
