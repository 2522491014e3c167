import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import TestSupport
import Testing
import ToolSupport

/// The tool itself, as a process under 512 MiB and 10 s, on journals that somebody has made to do harm.
@Suite struct BoundsTests {
  /// How a journal does harm.
  enum Harm: String, CaseIterable {
    case truncated, flipped, zeros, pipe, folderPipe, journalPipe, link, device, endlessCheckpoint
    case endlessSegment, endlessEdits, endlessManifest, hugeLengths, tinyFrames
  }

  private static let byteCount = 512 << 20
  /// How long a command may compute: three times as long where it is built for debugging.
  private static let seconds = isOptimized ? 10 : 30

  @Test(arguments: Harm.allCases)
  func `whatever lies there, every command ends in time and within its memory`(harm: Harm) throws {
    let folder = try TemporaryFolder()
    let disk = try harm == .tinyFrames ? Self.tinyFrames() : LongJournal.make(.late)
    try Upkeep.addFiles(to: disk, from: try Journals.killed())
    try disk.write(to: folder.path)
    try Self.harm("\(folder.path)/Notes.xjournal", harm)
    let before = try Self.content(of: "\(folder.path)/Notes.xjournal")
    var largest = 0
    for line in Self.lines {
      let (status, memory, errors) = try Self.run(ToolSupport.Run.words(line), in: folder.path)
      // Examples are about another journal.
      let isUsage = Upkeep.run(line, on: try Self.sound.get()).status == .usage
      let words = "\(line) ends with \(status): \(errors)"
      #expect([0, 1, 65, 66, 69, 74].contains(status) || isUsage && status == 64, "\(words)")
      // What verify finds, and replay, is its answer.
      if status >= 64, !["verify", "replay"].contains(where: { line.hasPrefix($0) }) {
        #expect(!errors.isEmpty, "\(words)")
      }
      // That it is no file is nothing that passes.
      if [.pipe, .link, .device].contains(harm) { #expect(status != 74, "\(words)") }
      if harm == .folderPipe { #expect(status == 66, "\(line): \(status) \(errors)") }
      if harm == .journalPipe, line.hasPrefix("verify") {
        #expect(status == 65, "\(line): \(errors)")
      }
      #expect(memory <= Self.byteCount, "\(line): \(memory >> 20) MiB")
      largest = max(largest, memory)
      try? FileManager.default.removeItem(atPath: "\(folder.path)/New.xjournal")
    }
    let isSame = try Self.content(of: "\(folder.path)/Notes.xjournal") == before
    #expect(isSame, "the journal was changed")
    // A run that took nothing at all was none.
    #expect(largest > 1 << 20)
    print("\(harm.rawValue): \(Self.lines.count) commands, \(largest >> 20) MiB at most")
  }

  @Test(arguments: Harm.allCases)
  func `whatever lies there, every command that changes it ends in time, and so does bisect`(
    harm: Harm
  ) throws {
    let disk = try harm == .tinyFrames ? Self.tinyFrames() : LongJournal.make(.late)
    try Upkeep.addFiles(to: disk)
    for line in Self.changing {
      // Each of them a journal of its own, as what it leaves is another.
      let folder = try TemporaryFolder()
      try disk.write(to: folder.path)
      let journal = "\(folder.path)/Notes.xjournal"
      try Self.harm(journal, harm)
      let before = try Self.content(of: journal)
      let (status, memory, errors) = try Self.run(ToolSupport.Run.words(line), in: folder.path)
      let words = "\(line) ends with \(status): \(errors)"
      #expect([0, 1, 65, 66, 69, 74].contains(status), "\(words)")
      if status != 0 { #expect(!errors.isEmpty, "\(words)") }
      if line.hasPrefix("bisect") {
        #expect(try Self.content(of: journal) == before, "\(line) has changed the journal")
      }
      #expect(memory <= Self.byteCount, "\(line): \(memory >> 20) MiB")
    }
  }

  @Test(arguments: Bomb.allCases)
  func `of a journal in which few bytes stand for much, every command tells in time`(
    bomb: Bomb
  ) throws {
    let size = bomb.size(isOptimized: Self.isOptimized)
    // Who copies a journal holds what the program does, so that its memory is measured by what there is. Less of it
    // shows that as well.
    let copiedSize = size / 8
    let (folder, copied) = (try Self.folder(of: bomb, size), try Self.folder(of: bomb, copiedSize))
    var largest = (memory: 0, line: "")
    for line in Self.lines {
      let begin = ContinuousClock.now
      let isCopying = Upkeep.making.contains(line)
      let path = isCopying ? copied.path : folder.path
      let (status, memory, errors) = try Self.run(ToolSupport.Run.words(line), in: path)
      print(
        "\(bomb.rawValue) \(line): \(status) \(ContinuousClock.now - begin) \(memory >> 20) MiB")
      let isUsage = Upkeep.run(line, on: try Self.sound.get()).status == .usage
      // What is more than is shown at once is told, and that it is no damage.
      let isUnchecked = status == 65 && line.hasPrefix("verify")
      let isTooLarge =
        errors.contains("is too large to be shown") || errors.contains("that are held here at once")
      let isRefused = status == 74 && isTooLarge || isUnchecked
      #expect(
        [0, 1].contains(status) || isRefused && !isCopying || isUsage && status == 64,
        "\(bomb): \(line) ends with \(status): \(errors)")
      let most = Self.byteCount + (isCopying ? 100 * copiedSize : 0)
      #expect(memory <= most, "\(bomb): \(line): \(memory >> 20) MiB")
      if memory > largest.memory { largest = (memory, line) }
      try? FileManager.default.removeItem(atPath: "\(path)/New.xjournal")
    }
    print("\(bomb.rawValue): \(largest.memory >> 20) MiB at most, by \(largest.line)")
  }

  @Test func `a run that takes too long, and one that takes too much, are told`() throws {
    let slow = try Self.run(["60"], in: ".", of: "/bin/sleep", seconds: 1)
    #expect(slow.status == 124)
    let program = "import sys; data = bytearray(600 << 20); print(len(data))"
    let large = try Self.run(["python3", "-c", program], in: ".", of: "/usr/bin/env")
    #expect(large.memory > Self.byteCount)
  }

  @Test func `a file in which few bytes stand for much is refused before it takes memory`() throws {
    let folder = try TemporaryFolder()
    try Journals.sound().write(to: folder.path)
    func list(_ element: String, _ count: Int) -> String {
      "[" + String(repeating: element + ",", count: count - 1) + element + "]"
    }
    let keys = (0..<1_200_000).map { "\"a key that takes memory, \($0)\":0" }
    let documents = [
      ("values", list("0", 12_000_000)), ("values", list("[[]]", 5_000_000)),
      ("members", list("{\"a\":0}", 1_100_000)), ("members", "{\(keys.joined(separator: ","))}"),
    ]
    // Of what is built for debugging one is asked, which takes long enough.
    let count = Self.isOptimized ? documents.count : 1
    for (number, (word, document)) in documents.prefix(count).enumerated() {
      let files = [
        (["patch", "file.json", "--dry-run"], "{\"patch\":1,\"objects\":\(document)}"),
        (["import", "file.json", "-o", "A"], "{\"kind\":\"object\",\"values\":\(document)}"),
      ]
      for (words, text) in files {
        try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/file.json"))
        let (status, memory, errors) = try Self.run(
          words + ["-s", "Notes.xjournal"], in: folder.path)
        #expect(status == 64 && errors.contains("00000 \(word)"), "\(words) \(number): \(errors)")
        #expect(memory <= Self.byteCount, "\(words) \(number): \(memory >> 20) MiB")
      }
    }
  }

  // MARK: Running

  /// An example of every command that looks, every one where a tool is named, and a line for everything that makes a
  /// journal.
  private static let lines =
    CommandTable.looking.filter(\.readsJournal).flatMap { command in
      command.examples.map { String($0.line.dropFirst("xjournal ".count)) }
        .filter { !$0.contains("--follow") }.prefix(isNamed ? .max : 1)
    }
    + Upkeep.lines.filter { !$0.hasPrefix("bisect") && !Upkeep.isInPlace($0) }

  /// A line for every command that changes a journal, and one that runs a program over and over.
  private static let changing = [
    "tag release", "tag middle --remove", "drafts discard writer", "restore head~1",
    "restore head --only", "patch changes.json",
    "bisect 1 head -- sh -c 'test $XJOURNAL_COMMIT -lt 3'",
  ]

  /// The tool that is judged: that which was built with the tests, or the one that `XJ_TOOL` names.
  private static let tool = ProcessInfo.processInfo.environment["XJ_TOOL"] ?? BuiltTool.path
  private static let isNamed = ProcessInfo.processInfo.environment["XJ_TOOL"] != nil
  #if DEBUG
    private static let isOptimized = isNamed
  #else
    private static let isOptimized = true
  #endif

  /// What Python there is: the one that is found by name may be a script that looks for it.
  private static let python = Result {
    try ForeignProgram.run(["python3", "-c", "import sys; print(sys.executable)"]).said
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs the tool; returns how it ended, 124 where it did not in time, and how much memory it had at most.
  private static func run(
    _ words: [String], in folder: String, of program: String? = nil, seconds: Int = seconds
  ) throws -> (status: Int32, memory: Int, errors: String) {
    let errors = "\(folder == "." ? FileManager.default.temporaryDirectory.path : folder)/.errors"
    // Whoever starts a process knows what it took: a shell would, and its own memory is small.
    let script = """
      import os, resource, signal, sys, time
      errors = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
      null = os.open("/dev/null", os.O_RDWR)
      os.chdir(sys.argv[2])
      child = os.fork()
      if child == 0:
          # What it computes: how long it waits for others is not its own affair.
          resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]), int(sys.argv[3])))
          for number, target in ((null, 0), (null, 1), (errors, 2)):
              os.dup2(number, target)
          os.execv(sys.argv[4], sys.argv[4:])
      end = time.monotonic() + 6 * int(sys.argv[3])
      done, status, usage = os.wait4(child, os.WNOHANG)
      while not done and time.monotonic() < end:
          time.sleep(0.002)
          done, status, usage = os.wait4(child, os.WNOHANG)
      if not done:
          os.kill(child, signal.SIGKILL)
          _, _, usage = os.wait4(child, 0)
      ended = os.waitstatus_to_exitcode(status) if done else 124
      late = done and ended < 0 and usage.ru_utime + usage.ru_stime >= int(sys.argv[3])
      print(124 if late else ended, usage.ru_maxrss * 1024)
      """
    let process = Process()
    process.executableURL = URL(filePath: try python.get())
    process.environment = BuiltTool.environment
    // Of more than a thousand runs each is to begin with nothing that it does not need.
    process.arguments =
      ["-I", "-S", "-c", script, errors, folder, "\(seconds)", program ?? tool] + words
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(numbers.count == 2, "\(said)")
    return (
      Int32(numbers[0]), numbers[1],
      (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
    )
  }

  // MARK: Journals

  private static let sound = Result {
    let disk = try LongJournal.make(.late)
    try Upkeep.addFiles(to: disk, from: try Journals.killed())
    return disk
  }

  private static func folder(of bomb: Bomb, _ size: Int) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let disk = try LongJournal.make(.late)
    try Upkeep.addFiles(to: disk, from: try Journals.killed())
    try bomb.add(size, to: disk)
    try disk.write(to: folder.path)
    return folder
  }

  /// A journal of many frames that hold next to nothing.
  private static func tinyFrames() throws -> SimulatedDisk {
    let disk = try LongJournal.make(.none)
    try Journals.addEmptyFrames(isOptimized ? 50_000 : 10_000, to: "0000000005.xj", on: disk)
    return disk
  }

  private static func harm(_ journal: String, _ harm: Harm) throws {
    let segment = "\(journal)/journal/0000000002.xj"
    // There are none where no checkpoint was made.
    let snapshots =
      (try? FileManager.default.contentsOfDirectory(atPath: "\(journal)/snapshots")) ?? []
    func replace(_ path: String, _ bytes: (inout Data) -> Void) throws {
      var data = try Data(contentsOf: URL(filePath: path))
      bytes(&data)
      try data.write(to: URL(filePath: path))
    }
    func pipe(_ path: String) throws {
      try FileManager.default.removeItem(atPath: path)
      guard mkfifo(path, 0o600) == 0 else { throw Journals.Missing(name: path) }
    }
    func lengthen(_ path: String) throws {
      let handle = try FileHandle(forUpdating: URL(filePath: path))
      try handle.truncate(atOffset: 1 << 40)
      try handle.close()
    }
    switch harm {
    case .truncated: try replace(segment) { $0 = $0.prefix($0.count / 2) }
    case .flipped: try replace(segment) { $0[$0.count / 2] ^= 0x55 }
    case .zeros: try replace(segment) { $0 = Data(count: $0.count) }
    case .pipe: try pipe(segment)
    case .folderPipe: try pipe(journal)
    case .journalPipe: try pipe("\(journal)/journal")
    case .link, .device:
      try FileManager.default.removeItem(atPath: segment)
      try FileManager.default.createSymbolicLink(
        atPath: segment, withDestinationPath: harm == .link ? "0000000003.xj" : "/dev/zero")
    case .endlessCheckpoint:
      #expect(snapshots.contains { $0.hasSuffix(".xc") })
      for name in snapshots where name.hasSuffix(".xc") {
        try lengthen("\(journal)/snapshots/\(name)")
      }
    case .endlessSegment: try lengthen("\(journal)/journal/0000000004.xj")
    case .endlessEdits: try lengthen("\(journal)/edits")
    case .endlessManifest: try lengthen("\(journal)/MANIFEST")
    case .hugeLengths:
      try replace(segment) { $0.replaceSubrange(160..<168, with: Data(repeating: 0xFF, count: 8)) }
    case .tinyFrames: break
    }
  }

  /// What everything in a folder is like: kinds, lengths and times, and the bytes of files that are not endless.
  private static func content(of folder: String) throws -> [String: Data] {
    let files = FileManager.default
    let names = ["."] + ((try? files.subpathsOfDirectory(atPath: folder)) ?? [])
    var content: [String: Data] = [:]
    for name in names {
      let path = name == "." ? folder : "\(folder)/\(name)"
      let attributes = try files.attributesOfItem(atPath: path)
      let length = attributes[.size] as? UInt64 ?? 0
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      let words = [FileAttributeKey.type, .size, .modificationDate].map {
        "\(attributes[$0].map { "\($0)" } ?? "")"
      }
      content["\(name) \(words)"] =
        isFile && length < 64 << 20 ? try Data(contentsOf: URL(filePath: path)) : Data()
    }
    return content
  }
}
