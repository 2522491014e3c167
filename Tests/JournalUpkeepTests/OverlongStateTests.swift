import DiskAccess
import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// A file of the kept state that is no more what it was is told before anything of it is copied.
@Suite struct OverlongStateTests {
  @Test(arguments: [".xc", ".xr", ".xi"])
  func `a file that has grown is not copied`(ending: String) throws {
    let disk = try LongJournal.make(.late)
    let path = try #require(disk.paths.last { $0.hasSuffix(ending) })
    let bytes = try #require(disk.contents(of: path))
    try disk.setContents(path, bytes + [UInt8](repeating: 0, count: 32 << 20))
    nonisolated(unsafe) var byteCount: UInt64 = 0
    let read = ReadingDisk(disk) { read, range in
      if read == path { byteCount += UInt64(range.count) }
      return nil
    }
    let run = Run("backup -s Notes.xjournal -o New", on: read, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && run.errors.contains("damaged: "), "\(run)")
    #expect(run.errors.contains(ending) && byteCount < 1 << 20, "\(byteCount): \(run)")
    #expect(Upkeep.run("verify --deep --strict -s New", on: disk).status == .fine)
  }
}
