import ByteCoding
import EventCoding
import ObjectModel
import TestSupport

/// A commit, and the batch whose edits some of its values are named by.
struct CommitSample {
  var content: CommitContent
  var fields: [CommitField] = []
  /// The edits of the batch.
  var edits: [Event] = []
  /// Where the batch has an edit for an object's key.
  var positions: [ObjectID: [KeyNumber: Int]] = [:]

  func encoded() throws(EventCodingError) -> [UInt8] {
    var writer = ByteWriter()
    try commitEncoder.append(content, fields: fields, to: &writer) { object, key, value in
      positions[object]?[key]
    }
    return writer.array
  }

  func decoded(_ bytes: [UInt8]) throws -> DecodedCommit {
    let edits = try edits.map { try EventCodingTests.bytes($0) }
    return try bytes.withUnsafeBytes { bytes in
      try decode(bytes, edits)
    }
  }
}

/// Reads a commit whose batch has these edits.
func decode(
  _ bytes: UnsafeRawBufferPointer, _ edits: [[UInt8]], asked: (Int) -> Void = { _ in }
) throws(EventCodingError) -> DecodedCommit {
  let memory = ByteArena(edits)
  return try decoder.commit(bytes) { position in
    asked(position)
    return memory[position]
  }
}

/// Keeps arrays of bytes where they are.
final class ByteArena {
  private let parts: [UnsafeRawBufferPointer]

  init(_ arrays: [[UInt8]]) {
    parts = arrays.map { array in
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(1, array.count), alignment: 1)
      memory.copyBytes(from: array)
      return UnsafeRawBufferPointer(rebasing: memory[..<array.count])
    }
  }

  deinit { for part in parts { part.deallocate() } }

  subscript(position: Int) -> UnsafeRawBufferPointer? {
    parts.indices.contains(position) ? parts[position] : nil
  }
}

extension Dice {
  /// A commit whose changes are in the order of their objects, with some values named.
  mutating func commit() -> CommitSample {
    let number = commitNumber()
    let objects = Set(list(upTo: 6) { $0.object() }).sorted()
    var sample = CommitSample(
      content: CommitContent(
        number: number, time: RecordedTime(rawValue: Int64(bitPattern: next())),
        context: context(), contextName: maybe { $0.text() }, precedingEditCount: pick(300),
        author: maybe { $0.text() },
        message: maybe { $0.text() },
        userInfo: chance(4) ? dictionary(depth: 1) : [:],
        changes: objects.map { change(of: $0, in: number) }))
    if chance(4) {
      for kind: UInt8 in [1, 2, 90, 127] where chance(2) {
        let bytes = [UInt8](randomByteCount: pick(8), from: &self)
        sample.fields.append(CommitField(kind: kind, bytes: bytes))
      }
    }
    nameValues(in: &sample)
    return sample
  }

  /// Puts some of the new values into edits, in some order and among others.
  private mutating func nameValues(in sample: inout CommitSample) {
    for change in sample.content.changes {
      for entry in change.entries {
        guard case .replaced(_, let new?) = entry.change, chance(2) else { continue }
        sample.positions[change.object, default: [:]][entry.key] = sample.edits.count
        sample.edits.append(.edited(context(), .set(change.object, entry.key, new)))
        if chance(3) { sample.edits.append(event()) }
      }
    }
  }

  private mutating func change(of object: ObjectID, in commit: CommitNumber) -> ObjectChange {
    let kind = ObjectChange.Kind.allCases[pick(3)]
    let keys = Set(list(upTo: 4) { $0.key() }).sorted()
    let distance = UInt64(pick(300)) + 1
    let previous = CommitNumber(
      rawValue: commit.rawValue > distance && chance(2) ? commit.rawValue - distance : 0)
    return ObjectChange(
      object, kind, keys.map { ObjectChange.Entry($0, valueChange(in: kind)) }, after: previous)
  }

  private mutating func valueChange(in kind: ObjectChange.Kind) -> ValueChange {
    switch kind {
    case .inserted: .replaced(old: nil, new: value())
    case .deleted: .replaced(old: value(), new: nil)
    case .updated: updatedValue()
    }
  }

  mutating func splice() -> Splice {
    Splice(
      prefixCount: Int(number() >> 1), suffixCount: pick(300), old: .string(text()),
      new: .string(text() + "!"),
      further: chance(3)
        ? list(upTo: 3) { dice in
          Splice.Part(
            keptCount: 1 + dice.pick(300), old: .string(dice.text()), new: .string(dice.text()))
        } : [])
  }

  private mutating func updatedValue() -> ValueChange {
    switch pick(4) {
    case 0:
      let (old, new) = (value(depth: 1), maybe { $0.value(depth: 1) })
      return .replaced(old: old, new: old == new ? nil : new)
    case 1:
      return .spliced(splice())
    case 2:
      let amount = integer()
      return .counted(amount == 0 || amount == .min ? 1 : amount)
    default:
      let inserted = members(depth: 1)
      let removed = members(depth: 1).subtracting(inserted)
      return inserted.isEmpty && removed.isEmpty
        ? .counted(-1) : .regrouped(inserted: inserted, removed: removed)
    }
  }
}
