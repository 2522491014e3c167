import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// Whatever bit of a checkpoint, a run or its index is another, and wherever it ends: no state is ever wrong.
@Suite struct FlippedBitTests {
  // Where it is built for debugging, one bit of every fourth byte.
  #if DEBUG
    private static let (bitsAndEnd, stride) = (2, 4)
  #else
    private static let (bitsAndEnd, stride) = (9, 1)
  #endif

  /// Opens a store once for each flipped bit and each end of one of its files, on both cores.
  ///
  /// - Returns: how many times that was, and what was counted.
  private static func forEachDamage(
    of file: String, in life: StoreLife,
    _ body: @escaping @Sendable (JournaledStore, _ number: Int, Tally) throws -> Void
  ) throws -> (caseCount: Int, tally: Tally) {
    let sound = try #require(life.disk.contents(of: file))
    let image = life.disk.imageAfterProcessDeath()
    let tally = Tally()
    let count = sound.count / stride * bitsAndEnd
    try onBothCores(count) { number in
      let place = number / bitsAndEnd * stride
      let bit = stride == 1 ? number % 9 : number % 2 == 1 ? 8 : number / 2 % 8
      var bytes = sound
      if bit == 8 { bytes.removeSubrange(place...) } else { bytes[place] ^= 1 << UInt8(bit) }
      do {
        let disk = image.imageAfterProcessDeath()
        try disk.setContents(file, bytes)
        let store = try DamagedStore.open(disk)
        try body(store, number, tally)
        try store.close()
      } catch {
        tally.violation("case \(number): \(error)")
      }
    }
    print(tally.summary)
    return (count, tally)
  }

  @Test func `every flipped bit and every end of a checkpoint is noticed, and no state is wrong`()
    throws
  {
    let life = try DamagedStore.life(6, saves: 3)
    let file = try #require(DamagedStore.files(life.disk, ".xc").last)
    let states = life.states
    let (caseCount, tally) = try Self.forEachDamage(of: file, in: life) { store, number, tally in
      if store.findings.count != 1 { tally.violation("case \(number): it is not said") }
      if let fault = try DamagedStore.fault(in: store, states) {
        tally.violation("case \(number): \(fault)")
      }
      tally.count("made anew")
    }
    #expect(tally.violations == "")
    #expect(tally["made anew"] == caseCount)
  }

  @Test(arguments: [(".xr", 3), (".xi", 8)])
  func `every flipped bit and every end of a run is made anew or told, and no row is wrong`(
    fileExtension: String, saves: Int
  ) throws {
    let life = try DamagedStore.life(7, saves: saves)
    let file = try #require(DamagedStore.files(life.disk, fileExtension).first)
    let states = life.states
    let (_, tally) = try Self.forEachDamage(of: file, in: life) { store, number, tally in
      var isTold = !store.findings.isEmpty
      if isTold { tally.count("made anew at opening") }
      do throws(StoreError) {
        if let fault = try Self.anyFault(in: store, states) {
          tally.violation("case \(number): \(fault)")
        }
      } catch {
        isTold = true
        if error.code != .damaged { tally.violation("case \(number): \(error)") }
        tally.count("told when read")
      }
      if !isTold, try store.verify() == [] { tally.violation("case \(number): not noticed") }
      // Compaction reads every row, and has the journal to make a run anew.
      try store.compact(keeping: .everything)
      if isTold, store.findings.isEmpty { tally.violation("case \(number): it is not said") }
      if let fault = try DamagedStore.fault(in: store, states) {
        tally.violation("case \(number), compacted: \(fault)")
      }
      if try store.verify() != [] { tally.violation("case \(number): it is not sound") }
    }
    #expect(tally.violations == "")
    #expect(tally["told when read"] > 100 / Self.stride)
  }

  private static func anyFault(
    in store: JournaledStore, _ states: [PlainState]
  ) throws(StoreError) -> String? {
    do {
      return try DamagedStore.fault(in: store, states)
    } catch let error as StoreError {
      throw error
    } catch {
      return "\(error)"
    }
  }
}
