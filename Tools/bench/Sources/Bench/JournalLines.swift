import ByteCoding
import CLZ4
import CXXHash
import DiskAccess
import Journaling

/// The lines that measure the journal alone.
struct JournalLines {
  let workplace: Workplace
  let rounds: Int
  private var disk: PosixDisk { workplace.disk }

  private let preallocatedByteCount = 16 << 20

  private func journal(
    _ name: String, _ change: (inout JournalOptions) -> Void = { _ in }
  ) throws -> Journal {
    var options = JournalOptions()
    change(&options)
    return try Journal.open(on: disk, at: workplace.place(name), options: options).journal
  }

  /// Synced appends by one thread.
  func oneThread(saves: Int) throws -> Comparison {
    var comparison = Comparison(
      line: "J1", what: "synced appends, 1 thread", goals: [.floor(0.95)])
    var events = Chance(seed: 1)
    let bytes = events.eventBytes(100)
    for round in 0..<rounds {
      let file = try workplace.preallocatedFile("floor", preallocatedByteCount)
      let frame = [UInt8](repeating: 7, count: 170)
      func floor() throws -> Double {
        try perSecond(saves, disk) {
          for save in 0..<saves {
            try frame.withUnsafeBytes { try file.write($0, at: UInt64(save * frame.count)) }
            try file.syncData()
          }
        }
      }
      let journal = try journal("one-\(round)")
      func ours() throws -> Double {
        try perSecond(saves, disk) {
          for _ in 0..<saves { _ = try bytes.withUnsafeBytes { try journal.commit($0) } }
        }
      }
      try comparison.round(round, ours: ours, floor: floor)
      try journal.close()
      comparison.noteDisk(try workplace.byteCount(of: "one-\(round)"))
      try workplace.remove("floor")
    }
    return comparison
  }

  /// Synced appends by many threads.
  func manyThreads(_ threadCount: Int, savesPerThread: Int) throws -> Comparison {
    var comparison = Comparison(
      line: "J2", what: "synced appends, \(threadCount) threads", goals: [.floor(0.90)])
    var events = Chance(seed: 2)
    let bytes = events.eventBytes(100)
    for round in 0..<rounds {
      let file = try workplace.preallocatedFile("floor", preallocatedByteCount)
      let plain = PlainGroupCommit(file)
      let frame = [UInt8](repeating: 7, count: 110)
      let journal = try journal("many-\(round)")
      func rate(_ save: @escaping @Sendable () throws -> Void) throws -> Double {
        try perSecond(threads: threadCount, each: savesPerThread, disk) { _ in save }
      }
      try comparison.round(
        round,
        ours: { try rate { _ = try bytes.withUnsafeBytes { try journal.commit($0) } } },
        floor: { try rate { try plain.append(frame) } })
      try journal.close()
      comparison.noteDisk(try workplace.byteCount(of: "many-\(round)"))
      try workplace.remove("floor")
    }
    return comparison
  }

  /// What an edit of 40 bytes is measured against.
  enum EditFloor {
    /// A mapped append that keeps what an edit's promise needs: a lock, since any thread may edit; a length
    /// and a check, so that a half-written entry is recognised.
    case checked
    /// A copy into mapped memory by the only thread there is, that nobody could read back safely.
    case copied
  }

  /// Edits of 40 bytes stored into the buffer.
  func edits(_ count: Int, against floor: EditFloor, sealing: Bool = false) throws -> Comparison {
    let (line, what) =
      switch (floor, sealing) {
      case (.checked, false): ("J3", "mapped edits of 40 bytes; floor locks and checks")
      case (.checked, true): ("J3s", "the same, sealed into frames meanwhile")
      case (.copied, _): ("J3c", "the same; floor is a bare copy")
      }
    var comparison = Comparison(
      line: line, what: what, goals: line == "J3" ? [.floor(0.67)] : [])
    var events = Chance(seed: 3)
    let bytes = events.eventBytes(40)
    for round in 0..<rounds {
      let file = try workplace.preallocatedFile("floor", count * Self.editRoom)
      let memory = try file.map(count * Self.editRoom)
      let name = "edits-\(line)-\(round)"
      let journal = try journal(name) {
        guard !sealing else { return }
        // Halves that hold all of it: what is measured is the edit, not the sealing.
        $0.halfByteCount = count * Self.editRoom + 4096
        $0.windowByteCount = 4 * $0.halfByteCount
        $0.hasUpkeepThread = false
      }
      try comparison.round(
        round,
        ours: {
          try bytes.withUnsafeBytes { bytes in
            try perSecond(count, disk) {
              for _ in 0..<count { try journal.appendEdit(bytes) }
            }
          }
        },
        floor: {
          bytes.withUnsafeBytes { bytes in
            perSecond(count, disk) { append(bytes, count, to: memory, floor) }
          }
        })
      try journal.close()
      comparison.noteDisk(try workplace.byteCount(of: name))
      try workplace.remove("floor")
    }
    return comparison
  }

  /// How many edits of 40 bytes a second are stored into mapped memory by whoever keeps their promise.
  func mappedFloor(_ count: Int) throws -> Double {
    var events = Chance(seed: 3)
    let bytes = events.eventBytes(40)
    let file = try workplace.preallocatedFile("floor", count * Self.editRoom)
    let memory = try file.map(count * Self.editRoom)
    let rate = bytes.withUnsafeBytes { bytes in
      perSecond(count, disk) { append(bytes, count, to: memory, .checked) }
    }
    try workplace.remove("floor")
    return rate
  }

  private static let editRoom = 48

  private func append(
    _ bytes: UnsafeRawBufferPointer, _ count: Int, to memory: MappedMemory, _ floor: EditFloor
  ) {
    let lock = Lock()
    var target = memory.base
    for number in 0..<count {
      switch floor {
      case .copied:
        target.storeBytes(of: bytes.count, as: Int.self)
        UnsafeMutableRawBufferPointer(start: target + 8, count: bytes.count).copyMemory(from: bytes)
      case .checked:
        lock.lock()
        UnsafeMutableRawBufferPointer(start: target + 8, count: bytes.count).copyMemory(from: bytes)
        let check = XXH3_64bits(target + 8, bytes.count) ^ UInt64(number)
        target.storeBytes(of: UInt32(truncatingIfNeeded: check), as: UInt32.self)
        target.storeBytes(of: UInt32(bytes.count), toByteOffset: 4, as: UInt32.self)
        lock.unlock()
      }
      target += Self.editRoom
    }
  }

  /// Frames of 64 KiB read and checked.
  func reading(frames: Int) throws -> Comparison {
    var comparison = Comparison(
      line: "J4", what: "64 KiB frames read and checked", goals: [.floor(0.80)])
    let journal = try journal("reading")
    var blocks: [[UInt8]] = []
    var payloads = 0
    for frame in 0..<frames {
      var events = Chance(seed: UInt64(frame))
      let bytes = events.eventBytes((64 << 10) - 16)
      payloads += bytes.count
      _ = try bytes.withUnsafeBytes { try journal.commit($0, .written) }
      blocks.append(compressed(bytes))
    }
    try journal.close()
    let reader = try JournalReader(at: workplace.place("reading"), on: disk)
    var target = [UInt8](repeating: 0, count: 64 << 10)
    for round in 0..<rounds {
      var sum: UInt64 = 0
      var seen = 0
      try comparison.round(
        round,
        ours: {
          try perSecond(frames, disk) {
            _ = try reader.forEachFrame { frame in
              seen += frame.payload.count
              return true
            }
          }
        },
        floor: {
          perSecond(frames, disk) {
            for block in blocks {
              block.withUnsafeBytes { block in
                target.withUnsafeMutableBytes { target in
                  sum &+= UInt64(XXH3_64bits(block.baseAddress, block.count))
                  let count = LZ4_decompress_safe(
                    block.assumingMemoryBound(to: CChar.self).baseAddress,
                    target.assumingMemoryBound(to: CChar.self).baseAddress, Int32(block.count),
                    Int32(target.count))
                  sum &+= UInt64(count)
                }
              }
            }
          }
        })
      guard seen >= payloads, sum > 0 else { throw BenchError.wrongResult("J4 read \(seen) bytes") }
    }
    comparison.noteDisk(try workplace.byteCount(of: "reading"))
    return comparison
  }

  private func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: bytes.count + 1024)
    let count = bytes.withUnsafeBytes { source in
      block.withUnsafeMutableBytes { target in
        LZ4_compress_default(
          source.assumingMemoryBound(to: CChar.self).baseAddress,
          target.assumingMemoryBound(to: CChar.self).baseAddress, Int32(source.count),
          Int32(target.count))
      }
    }
    return Array(block.prefix(Int(count)))
  }
}
