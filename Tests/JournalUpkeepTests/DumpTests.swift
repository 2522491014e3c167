import DiskAccess
import DiskSimulation
import JournalInspection
import Journaling
import ObjectPatching
import Testing
import ToolSupport

/// What `dump` takes apart, it takes apart to the last byte.
@Suite struct DumpTests {
  @Test func `every byte of every event and commit is in a field, and in one only`() throws {
    var names: Set<String> = []
    for disk in [
      try Journals.sound(), try Journals.killed(), try VariedJournal.make(),
      try LongJournal.make(.none),
    ] {
      let run = Upkeep.run("dump --hex --json", on: disk)
      #expect(run.status == .fine)
      for line in run.output.split(separator: "\n") {
        let document = try #require(try JSONValue(parsing: Array(line.utf8)).object)
        for entry in document["content"]?.array ?? [] {
          let entry = try #require(entry.object)
          var next: Int?
          var byteCount = 0
          for field in entry["fields"]?.array ?? [] {
            let field = try #require(field.object)
            let name = try #require(field["name"]?.string)
            names.insert(name)
            #expect(name != "rest", "\(line)")
            let offset = try #require(Self.integer(field["offset"]))
            if let next { #expect(offset == next, "\(name): \(entry)") }
            let count = try #require(field["bytes"]?.string).split(separator: " ").count
            byteCount += count
            next = offset + count
          }
          #expect(byteCount == Self.integer(entry["bytes"]), "\(entry)")
        }
      }
    }
    #expect(names.isSuperset(of: ["kind", "distance", "delete rule", "member"]))
  }

  private static func integer(_ value: JSONValue?) -> Int? {
    if case .integer(let integer) = value { integer } else { nil }
  }

  @Test func `every file of a journal is taken apart, and of a damaged one what is sound`() throws {
    let disk = try LongJournal.make(.late)
    let snapshots = disk.paths.filter { $0.contains("/snapshots/") }
    let names = snapshots.map { $0.split(separator: "/").last.map(String.init) ?? "" }
    #expect(Set(names.compactMap { $0.split(separator: ".").last }) == ["xc", "xi", "xr"])
    for name in names + ["MANIFEST", "edits"] {
      for options in ["", " --hex", " --json"] {
        let run = Upkeep.run("dump --file \(name)\(options)", on: disk)
        #expect(run.status == .fine && run.errors.isEmpty, "\(name)\(options): \(run.errors)")
        #expect(run.output.contains("check"), "\(name): \(run.output)")
      }
    }
    for path in snapshots + ["\(Journals.path)/MANIFEST", "\(Journals.path)/edits"] {
      let bytes = try #require(disk.contents(of: path))
      try disk.setContents(path, Array(bytes.prefix(20)))
      let name = path.split(separator: "/").last ?? ""
      let run = Upkeep.run("dump --file \(name) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage && run.errors.contains("\(name)"), "\(run)")
      #expect(run.output.contains("|XJ-") || run.output.contains("00000000"), "\(run.output)")
    }
  }
}

extension DumpTests {
  @Test func `of a file in which a bit is flipped it is told that it is not what it was`() throws {
    let disk = try LongJournal.make(.late)
    let snapshots = disk.paths.filter { $0.contains("/snapshots/") }
    for path in snapshots + ["\(Journals.path)/MANIFEST"] {
      let sound = try #require(disk.contents(of: path))
      let name = path.split(separator: "/").last ?? ""
      for place in stride(from: 0, to: sound.count, by: max(1, sound.count / 40)) {
        var bytes = sound
        bytes[place] ^= 1 << UInt8(place % 8)
        try disk.setContents(path, bytes)
        let run = Upkeep.run("dump --file \(name) -s Notes.xjournal", on: disk)
        #expect(run.status == .damage && run.errors.contains(name), "\(place): \(run.errors)")
      }
      try disk.setContents(path, sound)
    }
    let path = "\(Journals.path)/edits"
    let sound = try #require(disk.contents(of: path))
    for place in [40, 60, EditBufferLayout.firstHalfOffset + 9] {
      var bytes = sound
      bytes[place] ^= 4
      try disk.setContents(path, bytes)
      let run = Upkeep.run("dump --file edits -s Notes.xjournal", on: disk)
      #expect(run.status == .damage && run.errors.contains("edits"), "\(place): \(run.errors)")
    }
  }

  @Test func `a header of edits that is being stored is read once it is`() throws {
    let disk = try LongJournal.make(.none)
    let path = "\(Journals.path)/edits"
    let sound = try #require(disk.contents(of: path))
    let told = Upkeep.run("dump --file edits", on: disk).output
    let half = UInt64(EditBufferLayout.firstHalfOffset)
    var torn = sound
    torn[Int(half) + 9] ^= 4
    try disk.setContents(path, torn)
    nonisolated(unsafe) var reads = 0
    let read = ReadingDisk(disk) { read, bytes in
      guard read == path, bytes.lowerBound == half else { return nil }
      reads += 1
      if reads == 2 { #expect(throws: Never.self) { try disk.setContents(path, sound) } }
      return nil
    }
    let run = Run("dump --file edits", on: read, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && run.errors.isEmpty && run.output == told, "\(run.errors)")
    #expect(reads == 2)
  }

  @Test func `of large entries the beginning is told, and of many each`() throws {
    let disk = try LongJournal.make(.none)
    try Bomb.manyArrays.add(100_000, to: disk)
    let text = Upkeep.run("dump", on: disk)
    let lines = text.output.split(separator: "\n")
    #expect(
      text.status == .fine && lines.contains { $0.contains("count of members 50000, member") })
    #expect(lines.allSatisfy { $0.utf8.count < 600 })
    try Bomb.manySets.add(5000, to: disk)
    var entries = 0
    for line in Upkeep.run("dump --json", on: disk).output.split(separator: "\n") {
      let document = try #require(try JSONValue(parsing: Array(line.utf8)).object)
      let content = document["content"]?.array ?? []
      // Few are held at once.
      #expect(content.count < 4200)
      entries += content.count
    }
    #expect(entries > 5000)
  }

  @Test func `of frames without entries the beginning is shown, unless they are asked for`() throws
  {
    let disk = try LongJournal.make(.none)
    try Bomb.longArray.add(6_000_000, to: disk)
    let text = Upkeep.run("dump --hex", on: disk)
    let lines = text.output.split(separator: "\n")
    let rests = lines.filter { $0.contains(" more: --frame ") }
    #expect(text.status == .fine && !rests.isEmpty && text.output.utf8.count < 4_000_000)
    let number = try #require(rests.first?.split(separator: " ").last)
    let whole = Upkeep.run("dump --hex --frame \(number)", on: disk).output
    #expect(!whole.contains(" more: ") && whole.split(separator: "\n").count > 4200)
  }
}
