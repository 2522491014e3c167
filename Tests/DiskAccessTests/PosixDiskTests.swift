import DiskAccess
import Foundation
import TestSupport
import Testing

@Suite("the disk of this machine")
struct PosixDiskTests {
  private let temporary: TemporaryFolder
  private let folder: any DiskFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = try PosixDisk().folder(at: temporary.path)
  }

  @Test func `a link is refused, whatever it leads to`() throws {
    try folder.file("file", .new).put([1])
    try folder.makeFolder("inner")
    for target in ["file", "inner", "none", "/dev/null"] {
      let path = temporary.path(of: "link")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      for opening in [FileOpening.existing, .existingOrNew, .emptied] {
        #expect(throws: DiskError(.openFile, "link", .isLink)) {
          try folder.file("link", opening)
        }
      }
      #expect(throws: DiskError(.openFile, "link", .exists)) { try folder.file("link", .new) }
      #expect(throws: DiskError(.openFile, "link", .isLink)) {
        try folder.fileForReading("link")
      }
      #expect(throws: DiskError.self) { try folder.folder("link") }
      #expect(throws: DiskError.self) { try folder.folderForReading("link") }
      #expect(try folder.information(of: "link")?.kind == .other)
      try folder.remove("link")
    }
    #expect(try folder.file("file", .existing).bytes(9) == [1])
  }

  @Test func `a pipe is refused and nobody waits for its other end`() throws {
    #expect(mkfifo(temporary.path(of: "pipe"), 0o600) == 0)
    #expect(throws: DiskError(.openFile, "pipe", .invalid)) { try folder.fileForReading("pipe") }
    for opening in [FileOpening.existing, .existingOrNew, .emptied] {
      #expect(throws: DiskError(.openFile, "pipe", .invalid)) { try folder.file("pipe", opening) }
    }
  }

  @Test func `what is handed to a program is read to its end, through links and pipes too`() throws
  {
    let (disk, bytes) = (PosixDisk(), [UInt8](repeating: 7, count: 200_000))
    try folder.file("file", .new).put(bytes)
    let link = temporary.path(of: "link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
    #expect(try disk.input(at: link, atMost: bytes.count) == bytes)
    let pipe = temporary.path(of: "pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let writer = Thread {
      guard let handle = FileHandle(forWritingAtPath: pipe) else { return }
      try? handle.write(contentsOf: Data(bytes))
      try? handle.close()
    }
    writer.start()
    #expect(try disk.input(at: pipe, atMost: bytes.count) == bytes)
    // Nobody writes to it any more.
    #expect(throws: DiskError(.read, pipe, .wouldBlock)) { try disk.input(at: pipe, atMost: 9) }
    #expect(throws: DiskError(.read, link, .fileTooLarge)) { try disk.input(at: link, atMost: 9) }
    #expect(throws: DiskError(.openFile, "/dev/zero", .invalid)) {
      try disk.input(at: "/dev/zero", atMost: 9)
    }
    #expect(throws: DiskError(.openFile, temporary.path, .isFolder)) {
      try disk.input(at: temporary.path, atMost: 9)
    }
  }

  @Test func `a device is refused`() throws {
    let devices = try PosixDisk().folder(at: "/dev")
    #expect(throws: DiskError(.openFile, "null", .invalid)) { try devices.fileForReading("null") }
    #expect(throws: DiskError(.openFile, "zero", .invalid)) {
      try devices.file("zero", .existing)
    }
  }

  @Test func `files and folders are for their owner alone`() throws {
    let before = umask(0)
    defer { umask(before) }
    _ = try folder.file("file", .new)
    _ = try folder.file("other", .existingOrNew)
    try folder.makeFolder("inner")
    func mode(_ name: String) throws -> Int? {
      let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path(of: name))
      return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try mode("file") == 0o600)
    #expect(try mode("other") == 0o600)
    #expect(try mode("inner") == 0o700)
  }

  @Test func `no descriptor is passed on to a program that is started`() throws {
    let file = try folder.file("file", .new)
    try folder.makeFolder("inner")
    let inner = try folder.folder("inner")
    let descriptors = descriptors(under: temporary.path)
    #expect(descriptors.count >= 3)
    for descriptor in descriptors {
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
    withExtendedLifetime((file, inner)) {}
  }

  @Test func `what is let go is closed`() throws {
    let before = descriptors(under: temporary.path).count
    for name in ["a", "b", "c"] {
      try folder.file(name, .new).put([1])
      #expect(throws: DiskError.self) { try folder.folder(name) }
      #expect(throws: DiskError.self) { try folder.file(name, .new) }
    }
    for _ in 0..<10 { #expect(try folder.names() == ["a", "b", "c"]) }
    _ = try PosixDisk().folder(at: temporary.path).fileForReading("a").bytes(1)
    #expect(mkfifo(temporary.path(of: "pipe"), 0o600) == 0)
    let pipe = #expect(throws: DiskError.self) { try folder.fileForReading("pipe") }
    #expect(
      pipe?.description
        == "opening “pipe” failed: Invalid argument; a pipe or a device stands where a file should, check the path."
    )
    #expect(descriptors(under: temporary.path).count == before)
  }

  @Test func `what was opened for reading cannot be written`() throws {
    try folder.file("a", .new).put([7])
    let file = try folder.fileForReading("a") as? any DiskFile
    #expect(throws: DiskError(.write, "a", .badDescriptor)) { try file?.put([1]) }
    #expect(throws: DiskError(.map, "a", .accessDenied)) { try file?.map(1) }
    #expect(try file?.bytes(9) == [7])
  }

  @Test func `a process without descriptors left is told so`() async {
    let path = temporary.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let disk = PosixDisk()
      let folder = try disk.folder(at: path)
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      func fails(_ call: DiskError.Call, _ body: () throws -> Void) -> Bool {
        do { try body() } catch let error as DiskError {
          return error.call == call && error.code == .tooManyOpenFiles
        } catch {}
        return false
      }
      guard fails(.openFolder, { _ = try disk.folder(at: path) }) else { exit(1) }
      guard fails(.openFile, { _ = try folder.file("a", .new) }) else { exit(2) }
      guard fails(.listNames, { _ = try folder.names() }) else { exit(3) }
      exit(try folder.information(of: "a") == nil ? 0 : 4)
    }
  }

  @Test func `a closed file does not reach whoever has its descriptor now`() throws {
    let file = try folder.file("a", .new)
    try file.close()
    let others = try (0..<8).map { try folder.file("other\($0)", .new) }
    #expect(throws: DiskError(.write, "a", .badDescriptor)) { try file.put([1, 2, 3]) }
    for other in others { #expect(try other.bytes(9) == []) }
  }

  @Test func `no file of a store gets a descriptor that print writes to`() async {
    let path = temporary.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      for descriptor in Int32(0)...2 { close(descriptor) }
      let folder = try PosixDisk().folder(at: path)
      let files = try (0..<4).map { try folder.file("file\($0)", .new) }
      try files[0].put([1, 2, 3])
      // Some other thread of the process may have taken the free numbers for files of its own.
      for descriptor in 0...2 {
        let link = "/proc/self/fd/\(descriptor)"
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        if target?.hasPrefix(path) ?? false { exit(1) }
      }
      exit(try files[0].bytes(9) == [1, 2, 3] ? 0 : 2)
    }
  }

  @Test func `another process is kept out by a lock until it is given back`() async throws {
    let path = temporary.path
    let file = try folder.file("LOCK", .new)
    #expect(try file.lock())
    await #expect(processExitsWith: .success) { [path = path as String] in
      let other = try PosixDisk().folder(at: path).file("LOCK", .existing)
      exit(try other.lock() ? 1 : 0)
    }
    try file.close()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let other = try PosixDisk().folder(at: path).file("LOCK", .existing)
      exit(try other.lock() ? 0 : 1)
    }
  }

  @Test func `the process number is the system's`() {
    #expect(PosixDisk().processNumber() == getpid())
  }

  /// The descriptors of this process that are open on something under a path.
  private func descriptors(under path: String) -> [Int32] {
    (Int32(0)..<1024).filter { descriptor in
      let link = "/proc/self/fd/\(descriptor)"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      return target?.hasPrefix(path) ?? false
    }
  }
}
