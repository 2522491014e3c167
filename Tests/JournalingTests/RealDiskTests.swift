// The journal on the machine's own disk: many threads, its own upkeep thread, and LZ4's own tool.

import DiskAccess
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct RealDiskTests {
  private let disk = PosixDisk()
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }

  init() throws { folder = try TemporaryFolder() }

  private func open(_ change: (inout JournalOptions) -> Void = { _ in }) throws -> Journal {
    var options = JournalOptions()
    change(&options)
    return try Journal.open(on: disk, at: path, options: options).journal
  }

  @Test func `saves from many threads share syncs, and each is durable when it returns`() throws {
    let journal = try open()
    let tally = Tally()
    let (threadCount, saveCount) = (8, 50)
    let threads = try (0..<threadCount).map { thread in
      try BackgroundThread {
        for save in 0..<saveCount {
          do throws(JournalError) {
            try journal.appendEdit([UInt8(thread), UInt8(save)])
            let frame = try journal.commit([UInt8(thread), UInt8(save)])
            if journal.durableFrame < frame { tally.violation("frame \(frame) is not durable") }
          } catch {
            tally.violation("\(error)")
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(tally.violations == "")
    #expect(journal.appends.syncCount < threadCount * saveCount)
    try journal.close()
    let content = try Listing(on: disk, at: path)
    #expect(content.commits.count == threadCount * saveCount)
    #expect(content.edits.count == threadCount * saveCount)
    for thread in 0..<threadCount {
      let own = content.commits.filter { $0[0] == UInt8(thread) }.map { Int($0[1]) }
      #expect(own == Array(0..<saveCount))
    }
  }

  @Test func `a file of the store with another name elsewhere is not written to`() throws {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    let letter = folder.path + "/letter"
    for name in ["LOCK", "edits.new", "journal/0000000001.xj"] {
      let file = path + "/" + name
      if !FileManager.default.fileExists(atPath: file) {
        try Data([1, 2]).write(to: .init(filePath: file))
      }
      try FileManager.default.linkItem(atPath: file, toPath: letter)
      let content = FileManager.default.contents(atPath: letter)
      #expect {
        try open().close()
      } throws: { error in
        guard case .disk(let cause) = error as? JournalError else { return false }
        return cause.code == .tooManyLinks
      }
      #expect(FileManager.default.contents(atPath: letter) == content)
      try FileManager.default.removeItem(atPath: letter)
    }
    try open().close()
  }

  @Test func `edits from many threads and the sealing of full halves do not disturb each other`()
    throws
  {
    let journal = try open { $0.halfByteCount = 4 << 10 }
    let tally = Tally()
    let threads = try (0..<4).map { thread in
      try BackgroundThread {
        for number in 0..<5_000 {
          do throws(JournalError) {
            try journal.appendEdit([UInt8(thread)] + Array("\(number)".utf8))
          } catch {
            tally.violation("\(error)")
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(tally.violations == "")
    try journal.close()
    let edits = try Listing(on: disk, at: path).edits
    #expect(edits.count == 20_000)
    for thread in 0..<4 {
      let own = edits.filter { $0[0] == UInt8(thread) }.map { $0.dropFirst() }
      #expect(
        own.elementsEqual((0..<5_000).map { Array("\($0)".utf8) }, by: { $0.elementsEqual($1) }))
    }
  }

  @Test(arguments: [1 << 12, 1 << 18])
  func `savers and editors at once never take a half from under each other`(half: Int) throws {
    let journal = try open {
      $0.halfByteCount = half
      $0.segmentByteCount = 1 << 20
    }
    let tally = Tally()
    let end = disk.steadyClock() + 1_500_000_000
    let threads = try (0..<6).map { thread in
      try BackgroundThread { [disk] in
        while disk.steadyClock() < end {
          do {
            try journal.appendEdit([UInt8](repeating: UInt8(thread), count: 300))
            tally.count("edits")
            if thread < 3 {
              try journal.commit([UInt8(thread)], .written)
              tally.count("commits")
            }
          } catch {
            tally.violation("\(error)")
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(tally.violations == "")
    try journal.close()
    let listing = try Listing(on: disk, at: path)
    #expect(listing.fault == nil)
    #expect(listing.edits.count == tally["edits"])
    #expect(listing.commits.count == tally["commits"])
  }

  @Test func `what is written is synced within its delay however busy the writers are`() throws {
    let journal = try open {
      $0.syncDelayNanoseconds = 100_000_000
      $0.idleDelayNanoseconds = 50_000_000
      $0.windowByteCount = 1 << 30
      $0.segmentByteCount = 1 << 30
    }
    let tally = Tally()
    let end = disk.steadyClock() + 3_000_000_000
    let threads = try (0..<4).map { thread in
      try BackgroundThread { [disk] in
        while disk.steadyClock() < end {
          do { try journal.commit([UInt8(thread)], .written) } catch { tally.violation("\(error)") }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(tally.violations == "")
    // A sync every tenth of a second at best; one a second would do.
    #expect(journal.appends.syncCount >= 3)
    try journal.close()
  }

  @Test func `the upkeep thread syncs what waits and marks the quiet by itself`() throws {
    let journal = try open {
      $0.syncDelayNanoseconds = 20_000_000
      $0.idleDelayNanoseconds = 10_000_000
    }
    try journal.appendEdit([1])
    let end = Date().addingTimeInterval(30)
    while journal.durableFrame < FrameNumber(2), Date() < end { usleep(1_000) }
    #expect(try Listing(on: disk, at: path).kinds == [.batch, .idleMarker])
    try journal.close()
  }

  @Test func `a journal may be let go while its upkeep thread works, on whichever thread`() throws {
    var options = JournalOptions()
    options.idleDelayNanoseconds = 100_000
    for number in 1...20 {
      let path = "\(folder.path)/store-\(number)"
      let journal = try Journal.open(on: disk, at: path, options: options).journal
      try journal.commit([UInt8(number)])
    }
    for number in 1...20 {
      let path = "\(folder.path)/store-\(number)"
      #expect(try Listing(on: disk, at: path).commits == [[UInt8(number)]])
    }
  }

  @Test func `a store closed while children are being started can be opened at once`() throws {
    let children = try BackgroundThread {
      for _ in 0..<60 {
        let child = Process()
        child.executableURL = URL(filePath: "/bin/true")
        if (try? child.run()) != nil { child.waitUntilExit() }
      }
    }
    for _ in 0..<60 { try open().close() }
    children.join()
  }

  @Test func `a sealed segment is a legal LZ4 file of exactly the payloads`() throws {
    let journal = try open()
    var dice = Dice(seed: 8)
    for number in 1...200 {
      try journal.appendEdit(Content.edit(number))
      let noise = (0..<number * 20).map { _ in UInt8.random(in: 0...255, using: &dice) }
      try journal.commit(number % 2 == 0 ? noise : [UInt8](repeating: 1, count: number * 90))
      if number % 50 == 0 { try journal.beginSegment() }
    }
    try journal.commit([UInt8](repeating: 7, count: 5 << 20))
    try journal.beginSegment()
    try journal.close()
    var payloads: [SegmentNumber: [UInt8]] = [:]
    let reader = try JournalReader(at: path, on: disk)
    _ = try reader.forEachFrame { frame in
      payloads[frame.segment, default: []] += frame.payload
      return true
    }
    let sealed = reader.manifest.segments.filter { $0.sealing != nil }
    #expect(sealed.count == 5)
    for segment in sealed {
      let file = "\(path)/journal/\(segment.number.fileName)"
      #expect(try lz4("-t", file).status == 0)
      #expect(try lz4("-dc", file).output == payloads[segment.number])
    }
  }

  private func lz4(_ option: String, _ file: String) throws -> (status: Int32, output: [UInt8]) {
    let lz4 = Process()
    lz4.executableURL = URL(filePath: "/usr/bin/env")
    lz4.arguments = ["lz4", option, "-q", file]
    let output = Pipe()
    lz4.standardOutput = output
    try lz4.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    lz4.waitUntilExit()
    return (lz4.terminationStatus, Array(bytes))
  }
}
