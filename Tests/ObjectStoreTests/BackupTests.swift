// A copy is whole or not at all, wherever making it ended, and can be made again at the same place.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct BackupTests {
  private static let copy = "Copy.xjournal"

  /// A store with segments, runs and a tail.
  private static func life() throws -> StoreLife {
    var life = try StoreLife(seed: 1)
    for step in 1...8 {
      try life.save()
      if step == 4 { try life.roll() }
      if step == 6 { try life.store.checkpoint() }
    }
    return life
  }

  private static func open(
    _ disk: SimulatedDisk, at path: String = StoreLife.path
  ) throws -> JournaledStore {
    try JournaledStore(on: disk, at: path, model: try StoreLife.model(), options: .small)
  }

  /// What a disk is like at each call that changes it.
  private final class Images {
    var all: [SimulatedDisk] = []
  }

  private static func images(
    of disk: SimulatedDisk, while body: () throws -> Void
  ) rethrows -> [SimulatedDisk] {
    let images = Images()
    disk.onCall = { [unowned disk] _ in
      images.all.append(disk.imageAfterProcessDeath())
      images.all.append(disk.imageAfterPowerLossOfEverythingUnsynced())
    }
    defer { disk.onCall = nil }
    try body()
    return images.all
  }

  @Test(arguments: [false, true])
  func `a backup whose process or power ended at any moment is made anew at the same place`(
    isSecondAttempt: Bool
  ) throws {
    let life = try Self.life()
    var images = try Self.images(of: life.disk) { try life.store.backup(to: Self.copy) }
    if isSecondAttempt {
      // What is broken off is the attempt that takes away what the first one has left.
      let first = images[images.count - 5]
      let store = try Self.open(first)
      images = try Self.images(of: first) { try store.backup(to: Self.copy) }
      try store.close()
    }
    var (madeAnew, wasWhole) = (0, 0)
    for (index, image) in images.enumerated() {
      let store = try Self.open(image)
      do {
        try store.backup(to: Self.copy)
        madeAnew += 1
      } catch {
        // The mark was taken away: it was whole.
        #expect(error.code == .storeExists, "image \(index)")
        wasWhole += 1
      }
      let copied = try Self.open(image, at: Self.copy)
      #expect(try copied.head.plain() == life.state, "image \(index)")
      #expect(try copied.verify(deep: true) == [], "image \(index)")
      #expect(!image.paths.contains(Self.copy + "/UNFINISHED-COPY"))
      try copied.close()
      try store.close()
    }
    #expect(madeAnew > 50 && wasWhole < 5, "\(madeAnew) anew, \(wasWhole) whole")
    try life.store.close()
  }

  @Test func `a backup that failed at any call is taken away, and works when it is tried again`()
    throws
  {
    let whole = try Self.life()
    let before = whole.disk.callCount
    try whole.store.backup(to: Self.copy)
    let callCount = whole.disk.callCount - before
    try whole.store.close()
    var (failed, stopped) = (0, 0)
    for call in 1...callCount {
      let life = try Self.life()
      life.disk.faults = [SimulatedFault(.failure(.noSpace), number: call)]
      do {
        // It does so where the call is of no consequence.
        try life.store.backup(to: Self.copy)
        try life.store.close()
      } catch {
        life.disk.faults = []
        if error.code == .stopped {
          // It was a sync of the store's own.
          stopped += 1
          continue
        }
        failed += 1
        let left = life.disk.paths.filter { $0.hasPrefix(Self.copy + "/") }
        let allowed = ["/LOCK", "/UNFINISHED-COPY"].map { Self.copy + $0 }
        #expect(Set(left).isSubset(of: allowed), "call \(call): \(left)")
        try life.store.backup(to: Self.copy)
        let copied = try Self.open(life.disk, at: Self.copy)
        #expect(try copied.head.plain() == life.state, "call \(call)")
        try copied.close()
        try life.store.close()
      }
    }
    #expect(failed > 40 && stopped < 10, "\(failed) calls failed, \(stopped) stopped the store")
  }

  @Test func `an unfinished copy with anything else beside it is left alone`() throws {
    let life = try Self.life()
    let images = try Self.images(of: life.disk) { try life.store.backup(to: Self.copy) }
    for name in ["notes.txt", "journal/notes.txt", "snapshots/.hidden"] {
      var triedCount = 0
      for image in images.suffix(images.count / 2) {
        let path = Self.copy + "/" + name
        guard image.paths.contains(Self.copy + "/UNFINISHED-COPY"),
          (try? image.folder(at: path.split(separator: "/").dropLast().joined(separator: "/")))
            != nil
        else { continue }
        try image.setContents(path, [1])
        let store = try Self.open(image)
        let before = image.paths.filter { $0.hasPrefix(Self.copy) }.map { image.contents(of: $0) }
        let error = #expect(throws: StoreError.self) { try store.backup(to: Self.copy) }
        #expect(error?.code == .notAStore)
        let after = image.paths.filter { $0.hasPrefix(Self.copy) }.map { image.contents(of: $0) }
        #expect(before == after)
        try store.close()
        triedCount += 1
      }
      #expect(triedCount > 0, "\(name) was never beside one")
    }
    try life.store.close()
  }

  @Test func `a backup is not made within the store, nor at no place`() throws {
    let life = try Self.life()
    let before = life.disk.paths
    let own = StoreLife.path
    for path in [
      own, own + "/", own + "/Copy", "./" + own + "/journal/x", "a/../" + own + "/b", "",
    ] {
      let error = #expect(throws: StoreError.self) { try life.store.backup(to: path) }
      #expect(error?.code == .notAStore && life.disk.paths == before)
    }
    // What leads out of the folder may be anywhere; here nothing is.
    let outside = #expect(throws: StoreError.self) {
      try life.store.backup(to: "../\(own)/nowhere/Copy")
    }
    #expect(outside?.code == .disk)
    try life.store.backup(to: Self.copy)
    try life.store.close()
    try Self.open(life.disk, at: Self.copy).close()
  }

  @Test func `a store is not opened at no place`() throws {
    let disk = SimulatedDisk(seed: 54)
    for open in [
      { _ = try JournaledStore(on: disk, at: "", model: nil) },
      { _ = try StoreReader(on: disk, at: "") },
    ] {
      let error = #expect(throws: StoreError.self) { try open() }
      #expect(error?.description.contains("the path is empty") == true)
    }
  }

  @Test func `a copy that was opened has a life of its own, whether it was called whole or not`()
    throws
  {
    let life = try Self.life()
    let images = try Self.images(of: life.disk) { try life.store.backup(to: Self.copy) }
    let marked = images.filter {
      $0.contents(of: Self.copy + "/UNFINISHED-COPY") != nil
        && $0.contents(of: Self.copy + "/MANIFEST") != nil
    }
    #expect(!marked.isEmpty)
    for image in marked {
      let copied = try Self.open(image, at: Self.copy)
      try copied.tag("its own")
      try copied.close()
      let store = try Self.open(image)
      let error = #expect(throws: StoreError.self) { try store.backup(to: Self.copy) }
      #expect(error?.code == .storeExists)
      #expect(try Self.open(image, at: Self.copy).tags["its own"] != nil)
      try store.close()
    }
    try life.store.close()
  }

  /// A store of which a file of a kind is damaged in the middle.
  private static func damaged(
    _ kind: String, hasAllHistory: Bool
  ) throws -> (SimulatedDisk, JournaledStore, NoteProgram) {
    let disk = SimulatedDisk(seed: 14)
    let store = try open(disk)
    var program = try NoteProgram(store)
    for _ in 1...10 { try program.save() }
    try store.compact(keeping: hasAllHistory ? .everything : .latest)
    let damaged = try #require(disk.paths.first { $0.hasSuffix(kind) })
    var bytes = try #require(disk.contents(of: damaged))
    bytes[bytes.count / 2] ^= 0x10
    try disk.setContents(damaged, bytes)
    return (disk, store, program)
  }

  @Test(arguments: [".xr", ".xc"], [true, false])
  func `a backup is read before it is called whole, and made without what is damaged`(
    kind: String, hasAllHistory: Bool
  ) throws {
    let (disk, store, program) = try Self.damaged(kind, hasAllHistory: hasAllHistory)
    if hasAllHistory {
      try store.backup(to: Self.copy)
      let copied = try Self.open(disk, at: Self.copy)
      #expect(try copied.head.plain() == program.state)
      #expect(try copied.verify(deep: true) == [])
      try copied.close()
    } else {
      let error = #expect(throws: StoreError.self) { try store.backup(to: Self.copy) }
      #expect(error?.code == .damaged)
      #expect(!disk.paths.contains(Self.copy + "/MANIFEST"))
    }
    try store.close()
  }

  @Test(arguments: [true, false])
  func `a backup is made without an index run that is damaged, which is made anew of the rows`(
    hasAllHistory: Bool
  ) throws {
    let (disk, store, program) = try Self.damaged(".xi", hasAllHistory: hasAllHistory)
    try store.backup(to: Self.copy)
    #expect(!disk.paths.contains { $0.hasPrefix(Self.copy) && $0.hasSuffix(".xi") })
    let copied = try Self.open(disk, at: Self.copy)
    #expect(copied.findings.count == 1)
    #expect(try copied.head.plain() == program.state)
    #expect(try copied.verify(deep: true) == [])
    try copied.close()
    try store.close()
    #expect(store.findings.count == 1, "closing has made it anew")
    let again = try Self.open(disk)
    #expect(again.findings == [])
    #expect(try again.verify(deep: true) == [])
    try again.close()
  }
}
