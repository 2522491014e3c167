import ByteCoding
import DiskSimulation
import EventCoding
import Journaling
import ObjectModel
import ObjectStore
import ToolSupport

/// Journals in which few bytes stand for much, all of it as the format has it.
enum Bomb: String, CaseIterable {
  case longArray, manyArrays, deepArrays, manyInserts, manySets, longData

  /// Adds to a journal what a process has left that was killed.
  ///
  /// - Parameter size: how many values, edits or bytes there are.
  func add(_ size: Int, to disk: SimulatedDisk) throws {
    let store = try StoreReader(on: disk, at: Journals.path)
    guard let context = try store.unsavedWork().first?.context,
      let key = store.existingKey(named: "mood1")
    else { throw Journals.Missing(name: "unsaved work") }
    var options = JournalOptions()
    options.hasUpkeepThread = false
    let (journal, _) = try Journal.open(on: disk, at: Journals.path, options: options)
    func append(_ kind: EventKind, _ body: (inout ByteWriter) -> Void) throws {
      var writer = ByteWriter()
      writer.write(kind.rawValue)
      writer.writeVarint(UInt64(context.rawValue))
      body(&writer)
      _ = try writer.withBytes { try journal.appendEdit($0) }
    }
    func object(_ number: Int, _ writer: inout ByteWriter) {
      writer.writeVarint(0)
      writer.writeVarint(UInt64(number))
    }
    func set(_ value: (inout ByteWriter) -> Void) throws {
      try append(.set) {
        object(1, &$0)
        $0.writeVarint(UInt64(key.rawValue))
        value(&$0)
      }
    }
    switch self {
    case .longArray:
      try set {
        $0.write(UInt8(13))
        $0.writeVarint(UInt64(size))
        $0.write(count: size, of: 0x91)
      }
    case .manyArrays:
      for _ in 0..<size / 50_000 {
        try set {
          $0.write(UInt8(13))
          $0.writeVarint(50_000)
          $0.write(count: 50_000, of: 0x91)
        }
      }
    case .deepArrays:
      try set {
        $0.write(UInt8(13))
        $0.writeVarint(UInt64(size / 60))
        for _ in 0..<size / 60 {
          for _ in 0..<29 {
            $0.write(UInt8(13))
            $0.write(UInt8(1))
          }
          $0.write(UInt8(13))
          $0.write(UInt8(0))
        }
      }
    case .longData:
      try set {
        $0.write(UInt8(9))
        $0.writeVarint(UInt64(size))
        $0.write(count: size, of: 0)
      }
    case .manyInserts:
      for number in 100..<100 + size { try append(.inserted) { object(number, &$0) } }
    case .manySets:
      for number in 0..<size {
        try set { $0.write(UInt8(0x80 + number % 100)) }
      }
    }
    try journal.close()
  }
}

extension ByteWriter {
  fileprivate mutating func write(count: Int, of byte: UInt8) {
    reserve(count).initializeMemory(as: UInt8.self, repeating: byte, count: count)
    advance(by: count)
  }
}

extension Bomb {
  /// How large one is that the tool must bear as it is handed out, and as it is built for debugging.
  func size(isOptimized: Bool) -> Int {
    switch self {
    case .longArray, .manyArrays, .deepArrays: isOptimized ? 24_000_000 : 12_000_000
    case .longData: isOptimized ? 300_000_000 : 210_000_000
    case .manyInserts, .manySets: isOptimized ? 600_000 : 120_000
    }
  }
}
