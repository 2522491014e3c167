import DiskAccess
import Testing

@Suite("every disk: clocks, randomness, process")
struct DiskContractTests {
  @Test(arguments: DiskKind.allCases)
  func `the steady clock never goes back`(_ kind: DiskKind) throws {
    let disk = try Ground(kind).disk
    var last: UInt64 = 0
    for _ in 0..<1000 {
      let now = disk.steadyClock()
      #expect(now >= last)
      last = now
    }
    #expect(last > 0)
  }

  @Test(arguments: DiskKind.allCases)
  func `the wall clock counts nanoseconds since 1970`(_ kind: DiskKind) throws {
    let disk = try Ground(kind).disk
    let year: Int64 = 31_557_600 * 1_000_000_000
    #expect((year * 50...year * 250).contains(disk.wallClock()))
    // The rough one may lag, and is not ahead.
    for _ in 0..<1000 {
      let rough = disk.roughWallClock()
      let exact = disk.wallClock()
      #expect(rough <= exact && exact - rough < 1_000_000_000)
    }
  }

  @Test(arguments: DiskKind.allCases)
  func `the process has a number`(_ kind: DiskKind) throws {
    let disk = try Ground(kind).disk
    #expect(disk.processNumber() > 0)
    #expect(disk.processNumber() == disk.processNumber())
  }

  @Test(arguments: DiskKind.allCases)
  func `random bytes fill the buffer and differ`(_ kind: DiskKind) throws {
    let disk = try Ground(kind).disk
    var one = [UInt8](repeating: 0, count: 1000)
    var other = one
    try one.withUnsafeMutableBytes { try disk.fillWithRandomBytes($0) }
    try other.withUnsafeMutableBytes { try disk.fillWithRandomBytes($0) }
    #expect(one != other)
    #expect(Set(one).count > 200)
    #expect(Set(one.suffix(500)).count > 150)
  }
}
