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
  /// Rows in the order of their objects.
  mutating func samples(_ count: Int) -> [Sample] {
    var raw = object(UInt64(pick(3)), entity: UInt16(pick(2)), origin: 0).rawValue
    let deletes = pick(2) == 0
    return (0..<count).map { _ in
      switch pick(40) {
      case 0: raw += UInt64(pick(3) + 1) << 36
      case 1: raw += UInt64(pick(1000))
      case 2: raw += UInt64(pick(4)) << 32
      default: break
      }
      raw += 1
      let object = ObjectID(rawValue: raw, store: runStore.tag)
      return Sample(object, deletes && pick(5) == 0 ? nil : row())
    }
  }

  private mutating func row() -> Row {
    var row = Row()
    func set(_ number: UInt32) { row[key(number)] = value(depth: 3, of: runStore.tag) }
    for number in UInt32(0)..<5 where pick(4) > 0 { set(number) }
    if pick(4) == 0 { set(100 + UInt32(pick(200))) }
    if pick(20) == 0 { set(.max - UInt32(pick(2))) }
    return row
  }
}
