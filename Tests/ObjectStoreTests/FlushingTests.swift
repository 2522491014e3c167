// Checkpoints that are due, what is counted meanwhile, and what happens where they fail.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct FlushingTests {
  private static let path = StoreLife.path
  private let disk = SimulatedDisk(seed: 8)

  private func open(
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> JournaledStore {
    var options = StoreOptions.small
    change(&options)
    return try JournaledStore(
      on: disk, at: Self.path, model: try StoreLife.model(), options: options)
  }

  /// Runs and checkpoints cannot be written.
  private static let full: [SimulatedFault] = (1...400).flatMap { number in
    let digits = String(number)
    let name = String(repeating: "0", count: 10 - digits.count) + digits
    return [".xr", ".xc"].map {
      SimulatedFault(
        .failure(.noSpace), calls: [.write, .append, .allocate], name: name + $0, isLasting: true)
    }
  }

  @Test func `what failing checkpoints have left in memory stays counted, and they are put off`()
    throws
  {
    let store = try open()
    let bound = StoreOptions.small.unflushedByteCount
    var program = try NoteProgram(store)
    disk.faults = Self.full
    disk.isTracing = true
    for number in 1...100 {
      try program.save()
      #expect(store.unflushedByteCount >= number * 280)
    }
    #expect(store.checkpointFailure?.code == .disk)
    let attempts = Set(
      disk.trace.filter { $0.contains(".xr") }.compactMap {
        $0.split(separator: " ").first {
          $0.contains(".xr")
        }
      }
    ).count
    // 100 saves of 300 bytes are some four times the bound.
    #expect((2...12).contains(attempts), "\(attempts) attempts")
    let left = disk.paths.filter { $0.hasSuffix(".xr") || $0.hasSuffix(".xc") }
    #expect(left.count < 4, "\(left)")
    disk.faults = []
    var saves = 0
    while store.checkpointFailure != nil, saves < 60 {
      try program.save()
      saves += 1
    }
    #expect(store.checkpointFailure == nil)
    #expect(store.unflushedByteCount < bound)
    #expect(try store.head.plain() == program.state)
    try store.close()
    let again = try open()
    #expect(try again.head.plain() == program.state)
    try again.close()
  }

  @Test func `what opening has folded into memory is counted`() throws {
    let store = try open { $0.unflushedByteCount = 1 << 30 }
    var program = try NoteProgram(store)
    for _ in 1...40 { try program.save() }
    let image = disk.imageAfterProcessDeath()
    try store.close()
    let again = try JournaledStore(
      on: image, at: Self.path, model: try StoreLife.model(), options: .small)
    #expect(again.unflushedByteCount >= 40 * 280)
    var other = try NoteProgram(again)
    try other.save()
    #expect(again.unflushedByteCount < StoreOptions.small.unflushedByteCount)
    try again.close()
  }
}
