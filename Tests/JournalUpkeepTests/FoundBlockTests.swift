import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import TestSupport
import Testing
import ToolSupport

/// Of a run whose index or footer is damaged the rows are found by what their blocks say of themselves.
@Suite struct FoundBlockTests {
  /// Repairs a journal whose run is damaged in some places, counted from its end where they are negative.
  private static func repaired(_ places: [Int]) throws -> (
    disk: SimulatedDisk, run: ToolSupport.Run
  ) {
    // Each block has two or three notes.
    var notes = try SalvagedRowTests.Notes(noise: 100_000)
    try notes.save { $1["title"] = "B" }
    let disk = try notes.damaged()
    let path = try #require(disk.paths.first { $0.hasSuffix(".xr") })
    var bytes = try #require(disk.contents(of: path))
    for place in places { bytes[place < 0 ? bytes.count + place : place] ^= 0x10 }
    try disk.setContents(path, bytes)
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
    #expect(verified.status == .fine, "\(verified)")
    return (disk, run)
  }

  private static func count(_ filter: String, on disk: SimulatedDisk) -> String {
    Upkeep.run("query '\(filter)' --count -s New.xjournal", on: disk).output
  }

  @Test(arguments: [("footer", [-20]), ("index", [-80]), ("head of the index", [-150])])
  func `nothing is lost by an index or a footer`(damage: String, places: [Int]) throws {
    let (disk, run) = try Self.repaired(places)
    #expect(!run.errors.contains("before commit"), "\(damage): \(run)")
    #expect(Self.count("Note where noise != nil", on: disk) == "6\n", "\(damage): \(run)")
    #expect(Self.count("Folder where name = \"all\"", on: disk) == "1\n", "\(damage): \(run)")
  }

  @Test(arguments: [100, 150, 200_000])
  func `a block that is damaged too is told, and the others are there`(place: Int) throws {
    let (disk, run) = try Self.repaired([place, -80])
    #expect(run.errors.contains("what the file"), "\(run)")
    let count = Int(Self.count("Note where noise != nil", on: disk).dropLast()) ?? 0
    #expect((3...4).contains(count), "\(count): \(run)")
  }

  @Test func `where neither is known nothing of it is believed`() throws {
    let (disk, run) = try Self.repaired([-20, 150])
    #expect(run.errors.contains("what the file"), "\(run)")
    #expect(Self.count("Note where noise != nil", on: disk) == "0\n", "\(run)")
  }
}
