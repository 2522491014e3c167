// What is damaged is made anew where the journal still has it, and otherwise refused; no state is ever wrong.

import DiskAccess
import DiskSimulation
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct StoreDamageTests {
  private static let path = StoreLife.path

  private static func contents(_ disk: SimulatedDisk) -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    // The text of LOCK is for people, and says who came last.
    for path in disk.paths where !path.hasSuffix("/LOCK") {
      contents[path] = disk.contents(of: path)
    }
    return contents
  }

  // MARK: The journal

  @Test func `what recovery cut is told once, also where the store does not open after that`()
    throws
  {
    let disk = try DamagedStore.life(5, saves: 3).disk
    let segment = try #require(disk.paths.last { $0.hasPrefix(Self.path + "/journal/") })
    let bytes = try #require(disk.contents(of: segment))
    let end = bytes.lastIndex { $0 != 0 }.map { $0 + 8 } ?? 0
    try disk.setContents(
      segment, bytes[..<min(end, bytes.count)] + [UInt8](repeating: 0xEE, count: 99))
    disk.onCall = { [unowned disk] call in
      // The journal's last step; what the store reads then fails.
      guard call.kind == .rename, call.path.hasSuffix("edits.new") else { return }
      disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.read], isLasting: true)]
    }
    #expect(throws: StoreError.self) { try DamagedStore.open(disk) }
    (disk.onCall, disk.faults) = (nil, [])
    let store = try DamagedStore.open(disk)
    #expect(store.recovery.tornTail == nil && store.recovery.savedEarlier.count == 1)
    #expect(store.findings.contains { "\($0)".contains("recovered/") })
    try store.close()
    let again = try DamagedStore.open(disk)
    #expect(again.recovery.savedFiles == [])
    try again.close()
  }

  @Test
  func
    `damage in a sealed segment that opening reads is told with its place, and nothing changes`()
    throws
  {
    var life = try StoreLife(seed: 1)
    for _ in 1...6 { try life.save() }
    // The checkpoint stands before the first segment's end, so that opening reads what comes after it.
    try life.store.checkpoint()
    for _ in 1...4 { try life.save() }
    try life.roll()
    try life.save()
    let disk = life.disk.imageAfterProcessDeath()
    let segment = Self.path + "/journal/0000000001.xj"
    let sound = try #require(disk.contents(of: segment))
    var spoilt = sound
    spoilt[sound.count - 200] ^= 4
    try disk.setContents(segment, spoilt)
    let before = Self.contents(disk)
    let error = #expect(throws: StoreError.self) { try DamagedStore.open(disk) }
    #expect(error?.code == .damaged)
    let words = error?.description ?? ""
    #expect(words.contains("journal/0000000001.xj, byte "), "\(words)")
    #expect(words.contains("where frame "), "\(words)")
    #expect(words.contains("nothing was changed"), "\(words)")
    #expect(Self.contents(disk) == before)
    try disk.setContents(segment, sound)
    let store = try DamagedStore.open(disk)
    #expect(try DamagedStore.fault(in: store, life.states) == nil)
    try store.close()
  }

  @Test
  func
    `damage before the checkpoint keeps no store from opening, and is told when it is read`()
    throws
  {
    let life = try DamagedStore.life(2)
    let segment = Self.path + "/journal/0000000001.xj"
    var bytes = try #require(life.disk.contents(of: segment))
    bytes[bytes.count / 2] ^= 1
    try life.disk.setContents(segment, bytes)
    let store = try DamagedStore.open(life.disk)
    #expect(try store.head.plain() == life.state)
    #expect(throws: StoreError.self) { try DamagedStore.fault(in: store, life.states) }
    #expect(try store.verify().contains { $0.description.contains("0000000001.xj") })
    let before = try store.head.plain()
    let error = #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    #expect(error?.code == .damaged)
    #expect(try store.head.plain() == before)
    try store.close()
  }

  /// Which commits can be read, and how the others are refused.
  private static func readable(
    _ store: ReadableStore, through last: UInt64
  ) -> (sound: [UInt64], codes: Set<StoreError.Code>) {
    var (sound, codes): ([UInt64], Set<StoreError.Code>) = ([], [])
    for number in (1...last).reversed() {
      do throws(StoreError) {
        _ = try store.content(of: CommitNumber(rawValue: number))
        sound.insert(number, at: 0)
      } catch {
        codes.insert(error.code)
      }
    }
    return (sound, codes)
  }

  @Test
  func `commits before damage, and in segments after it, are read, and the others are damaged`()
    throws
  {
    var life = try StoreLife(seed: 2)
    var starts: [Int: UInt64] = [:]
    for step in 1...24 {
      try life.save()
      if step % 8 == 0 {
        starts[step] = life.store.lastCommit.rawValue
        try life.roll()
      }
    }
    try life.store.checkpoint()
    try life.endContexts()
    try life.store.close()
    let last = life.store.lastCommit.rawValue
    let segments = life.disk.paths.filter { $0.hasPrefix(Self.path + "/journal/") }
    #expect(segments.count == 4)
    let (first, second) = (try #require(starts[8]), try #require(starts[16]))
    for path in segments[..<2] {
      var bytes = try #require(life.disk.contents(of: path))
      bytes[bytes.count / 2] ^= 1
      try life.disk.setContents(path, bytes)
    }
    let store = try DamagedStore.open(life.disk)
    let (sound, codes) = Self.readable(store, through: last)
    #expect(codes == [.damaged])
    #expect(sound.contains(1) && sound.contains(first + 1), "\(sound)")
    #expect(sound.suffix(Int(last - second)) == Array(second + 1...last)[...])
    #expect(!sound.contains(first) && !sound.contains(second))
    // As many as before, in whichever order they are asked for.
    let again = try StoreReader(on: life.disk, at: Self.path)
    #expect(try again.content(of: 1).number == 1)
    let read = Self.readable(again, through: last)
    #expect(read.sound == sound && read.codes == codes)
    try store.close()
  }

  // MARK: Runs and checkpoints

  @Test(arguments: [".xc", ".xr", ".xi"])
  func
    `a checkpoint or run that is missing or damaged is made anew, and that is said`(
      fileExtension: String
    ) throws
  {
    for isMissing in [true, false] {
      let life = try DamagedStore.life(3)
      let file = try #require(DamagedStore.files(life.disk, fileExtension).last)
      if isMissing {
        let folder = try life.disk.folder(at: Self.path + "/snapshots")
        try folder.remove(String(file.dropFirst(Self.path.count + "/snapshots/".count)))
      } else {
        var bytes = try #require(life.disk.contents(of: file))
        bytes[bytes.count - 20] ^= 1
        try life.disk.setContents(file, bytes)
      }
      let store = try DamagedStore.open(life.disk)
      #expect(try DamagedStore.fault(in: store, life.states) == nil)
      let name = try #require(file.split(separator: "/").last)
      #expect(store.findings.count == 1)
      let words = store.findings.first?.description ?? ""
      #expect(words.contains(name) && words.contains("made anew"), "\(words)")
      #expect(try store.verify(deep: true) == [])
      #expect(!life.disk.paths.contains(file), "the damaged one is gone")
      try store.close()
      let again = try DamagedStore.open(life.disk)
      #expect(again.findings == [])
      #expect(try DamagedStore.fault(in: again, life.states) == nil)
      try again.close()
    }
  }

  @Test(arguments: [".xc", ".xr"])
  func
    `where the journal does not go back so far, damage is told and nothing changes`(
      fileExtension: String
    ) throws
  {
    var life = try StoreLife(seed: 4)
    for _ in 1...9 { try life.save() }
    try life.roll()
    try life.endContexts()
    try life.store.compact(keeping: .latest)
    try life.save()
    try life.store.close()
    let file = try #require(DamagedStore.files(life.disk, fileExtension).last)
    let sound = try #require(life.disk.contents(of: file))
    try life.disk.setContents(file, Array(sound.dropLast(3)))
    let before = Self.contents(life.disk)
    let error = #expect(throws: StoreError.self) { try DamagedStore.open(life.disk) }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("compaction has dropped") == true)
    #expect(Self.contents(life.disk) == before)
    try life.disk.setContents(file, sound)
    let store = try DamagedStore.open(life.disk)
    #expect(try DamagedStore.fault(in: store, life.states) == nil)
    try store.close()
  }

  @Test
  func `what cannot be written anew for want of room is there all the same, and is tried again`()
    throws
  {
    let life = try DamagedStore.life(5)
    let file = try #require(DamagedStore.files(life.disk, ".xc").last)
    try life.disk.setContents(file, [1, 2, 3])
    life.disk.faults = [
      SimulatedFault(.failure(.noSpace), calls: [.write], name: "0000000010.xr", isLasting: true)
    ]
    let fault = life.disk.faults[0]
    for number in 5...40 {
      let digits = String(number)
      var other = fault
      other.name = String(repeating: "0", count: 10 - digits.count) + digits + ".xr"
      life.disk.faults.append(other)
    }
    let store = try DamagedStore.open(life.disk)
    #expect(store.findings.count == 1)
    #expect(store.checkpointFailure?.code == .disk)
    #expect(try DamagedStore.fault(in: store, life.states) == nil)
    life.disk.faults = []
    try store.checkpoint()
    try store.close()
    let again = try DamagedStore.open(life.disk)
    #expect(again.findings == [])
    #expect(try DamagedStore.fault(in: again, life.states) == nil)
    try again.close()
  }

  @Test func `who only reads is answered from the rows where an index run is damaged`() throws {
    let life = try DamagedStore.life(3)
    let file = try #require(DamagedStore.files(life.disk, ".xi").last)
    try life.disk.setContents(file, [1, 2, 3])
    let before = Self.contents(life.disk)
    let reader = try StoreReader(on: life.disk, at: Self.path)
    var dice = Dice(seed: 1)
    #expect(try IndexOracle(reader.head, reader.existingKey).fault(&dice) == nil)
    #expect(Self.contents(life.disk) == before)
  }
}
