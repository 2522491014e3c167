import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("random work on the simulated disk")
struct RandomWorkTests {
  /// What the disk should hold, kept in the plainest way.
  private struct Model {
    var files: [String: [UInt8]] = [:]

    mutating func write(_ name: String, _ bytes: [UInt8], at offset: Int) {
      var file = files[name] ?? []
      file += filled(0, max(0, offset + bytes.count - file.count))
      file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      files[name] = file
    }

    mutating func resize(_ name: String, to count: Int) {
      let file = files[name] ?? []
      files[name] = Array(file.prefix(count)) + filled(0, max(0, count - file.count))
    }
  }

  private func number(_ bound: Int, _ random: inout Dice) -> Int {
    Int.random(in: 0..<bound, using: &random)
  }

  private func step(
    _ disk: SimulatedDisk, _ model: inout Model, _ random: inout Dice
  ) throws {
    let folder = try disk.folder(at: "")
    let name = ["a", "b", "c"][number(3, &random)]
    let file = try folder.file(name, .existingOrNew)
    if model.files[name] == nil { model.files[name] = [] }
    switch number(10, &random) {
    case 0...3:
      let bytes = filled(UInt8(number(256, &random)), 1 + number(1200, &random))
      let offset = number(3000, &random)
      try file.put(bytes, at: UInt64(offset))
      model.write(name, bytes, at: offset)
    case 4:
      let count = number(3000, &random)
      try file.resize(to: UInt64(count))
      model.resize(name, to: count)
    case 5: try file.syncData()
    case 6: try folder.sync()
    case 7:
      try folder.remove(name)
      model.files[name] = nil
    case 8:
      let newName = ["a", "b", "c"][number(3, &random)]
      try folder.rename(name, to: newName)
      let content = model.files.removeValue(forKey: name)
      model.files[newName] = content
    default: try storeToMapping(file, name, &model, &random)
    }
  }

  private func storeToMapping(
    _ file: any DiskFile, _ name: String, _ model: inout Model, _ random: inout Dice
  ) throws {
    guard let count = model.files[name]?.count, count > 0 else { return }
    let memory = try file.map(count)
    for _ in 0..<3 {
      let (place, byte) = (number(count, &random), UInt8(number(256, &random)))
      memory.base.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
      model.write(name, [byte], at: place)
    }
  }

  @Test(arguments: 0..<20)
  func `reads show what was done, and a loss of power keeps a part of it`(_ seed: UInt64) throws {
    var random = Dice(seed: seed)
    let disk = SimulatedDisk(seed: seed)
    var model = Model()
    for _ in 0..<40 {
      try step(disk, &model, &random)
      #expect(disk.everything == model.files)
      let states = disk.powerLossStates(limit: 12, seed: seed)
      #expect(disk.image(after: states.everythingKept).everything == model.files)
      let bare = disk.image(after: states.nothingKept)
      #expect(
        bare.everything
          == bare.paths.reduce(into: [:]) {
            $0[$1] = disk.durableContents(of: $1)
          })
      for image in states.map({ disk.image(after: $0) }) {
        #expect(image.powerLossStates(limit: 2, seed: 1).count == 1)
      }
      let survivor = disk.imageAfterProcessDeath()
      #expect(survivor.everything == model.files)
      #expect(
        survivor.powerLossStates(limit: 12, seed: seed).map(\.description)
          == states.map(\.description))
    }
    try disk.syncEverything(disk.folder(at: ""))
    let states = disk.powerLossStates(limit: 2, seed: 1)
    #expect(states.count == 1)
    #expect(disk.image(after: states[0]).everything == model.files)
    #expect(disk.openCount == 0)
  }

  @Test func `calls from several threads keep the disk whole`() throws {
    let disk = SimulatedDisk(seed: 1)
    let threads = try (0..<4).map { number in
      try BackgroundThread {
        guard let folder = try? disk.folder(at: ""),
          let file = try? folder.file("file\(number)", .new)
        else { return }
        for _ in 0..<200 {
          _ = try? file.putAtEnd(filled(UInt8(number), 7))
          try? file.syncData()
          _ = disk.imageAfterProcessDeath()
          _ = disk.powerLossStates(limit: 3, seed: 1).map { disk.image(after: $0) }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(disk.paths.count == 4)
    for number in 0..<4 {
      #expect(disk.contents(of: "file\(number)") == filled(UInt8(number), 1400))
    }
    #expect(disk.openCount == 0)
  }
}
