// Runs in memory, and the rows of a seed: dense and scattered numbers, several entities, every kind of value.

import ByteCoding
import DiskAccess
import DiskSimulation
import Foundation
import Journaling
import ObjectModel
import ObjectStore
import TestSupport

let runStore = StoreIdentity(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)
let runSalt: UInt64 = 0x0123_4567_89AB_CDEF

func object(_ number: UInt64, entity: UInt16 = 3, origin: UInt16 = 0) -> ObjectID {
  ObjectID(
    origin: origin, entity: EntityNumber(rawValue: entity), number: number, store: runStore.tag)
}

func key(_ number: UInt32) -> KeyNumber { KeyNumber(rawValue: number) }

/// An object and its row, nil where it is deleted.
struct Sample: Equatable {
  let object: ObjectID
  let row: Row?
  let changed: CommitNumber

  /// By default the commit has something of the object's number.
  init(_ object: ObjectID, _ row: Row?, changed: CommitNumber? = nil) {
    self.object = object
    self.row = row
    self.changed = changed ?? CommitNumber(rawValue: object.number % 1000)
  }

  var stored: StoredRow { StoredRow(row, changed: changed) }

  init(_ object: ObjectID, _ values: [UInt32: Value]) {
    self.init(object, Row(Dictionary(uniqueKeysWithValues: values.map { (key($0), $1) })))
  }
}

/// A run that has been written, as bytes.
struct WrittenRun {
  let bytes: [UInt8]
  let summary: RunSummary

  init(
    _ samples: [Sample], store: StoreIdentity = runStore, salt: UInt64 = runSalt,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws {
    var options = RunOptions()
    change(&options)
    let folder = try SimulatedDisk(seed: 1).folder(at: "")
    var writer = try RunWriter(
      making: "run", in: folder, store: store, salt: salt, options: options)
    for sample in samples { try writer.append(sample.object, sample.stored) }
    summary = try writer.finish()
    let file = try folder.fileForReading("run")
    bytes = try file.bytes(Int(file.information().byteCount))
  }
}

/// Opens a run of some bytes.
func run(_ bytes: [UInt8], _ cache: BlockCache? = nil) throws(RunError) -> Run {
  try run(MemoryFile(bytes, name: "run"), cache)
}

func run(_ file: MemoryFile, _ cache: BlockCache? = nil) throws(RunError) -> Run {
  try Run(
    "run", in: MemoryFolder(["run": file]), store: runStore,
    cache: cache ?? BlockCache(largestByteCount: 1 << 24))
}

extension Run {
  /// All rows, as `forEach` hands them out.
  func samples(from first: ObjectID? = nil, through last: ObjectID? = nil) throws -> [Sample] {
    var samples: [Sample] = []
    try forEach(from: first, through: last) { object, stored in
      samples.append(Sample(object, stored.row, changed: stored.changed))
      return true
    }
    return samples
  }
}

extension Dice {
  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

  mutating func value(depth: Int = 0) -> Value {
    switch below(depth > 2 ? 12 : 15) {
    case 0: .boolean(below(2) == 0)
    case 1: .integer(Int(truncatingIfNeeded: next()) >> below(64))
    case 2: .real(Double(bitPattern: next()))
    case 3: .decimal(Decimal(below(1_000_000)) / 100)
    case 4: .string(text())
    case 5: .data(Data([UInt8](randomByteCount: below(60), from: &self)))
    case 6: .date(Date(timeIntervalSinceReferenceDate: Double(below(1_000_000_000))))
    case 7: .uuid(uuid())
    case 8: URL(string: "https://example.com/\(below(100))").map { .url($0) } ?? .boolean(true)
    case 9: .counter(below(1000))
    case 10: .reference(object(UInt64(below(1000)), entity: 7))
    case 11: .integer(below(300))
    case 12: .array((0..<below(4)).map { _ in value(depth: depth + 1) } + [.null])
    case 13: .set(Set((0..<below(4)).map { _ in value(depth: depth + 1) }))
    default: .dictionary([text(): value(depth: depth + 1), "null": .null])
    }
  }

  private mutating func text() -> String {
    let words = ["", "a", "red", "blue", "Zoë", "漢字 😀", "a longer text that repeats itself"]
    return words[below(words.count)] + (below(2) == 0 ? "\(below(50))" : "")
  }

  private mutating func uuid() -> UUID {
    var bytes = UUID().uuid
    withUnsafeMutableBytes(of: &bytes) {
      $0.storeBytes(of: next(), as: UInt64.self)
      $0.storeBytes(of: next(), toByteOffset: 8, as: UInt64.self)
    }
    return UUID(uuid: bytes)
  }

  /// Rows in the order of their objects.
  mutating func samples(_ count: Int) -> [Sample] {
    var raw = object(UInt64(below(3)), entity: UInt16(below(2)), origin: 0).rawValue
    let deletes = below(2) == 0
    return (0..<count).map { _ in
      switch below(40) {
      case 0: raw += UInt64(below(3) + 1) << 36
      case 1: raw += UInt64(below(1000))
      case 2: raw += UInt64(below(4)) << 32
      default: break
      }
      raw += 1
      let object = ObjectID(rawValue: raw, store: runStore.tag)
      return Sample(object, deletes && below(5) == 0 ? nil : row())
    }
  }

  private mutating func row() -> Row {
    var row = Row()
    for number in UInt32(0)..<5 where below(4) > 0 { row[key(number)] = value() }
    if below(4) == 0 { row[key(100 + UInt32(below(200)))] = value() }
    if below(20) == 0 { row[key(.max - UInt32(below(2)))] = value() }
    return row
  }
}
