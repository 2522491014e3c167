/// A disk that changes nothing more after a failed sync, or once it is told to stop.
///
/// After a sync has failed, the system may have thrown the unsynced bytes away and call the next sync a
/// success. So the first failure is kept, every later call that would change something is refused with
/// it, and reading goes on. Another failed call stops nothing, as it may succeed later; who cannot go on after one
/// stops the disk.
public final class FailStopDisk: Disk {
  private let disk: any Disk
  private let latch = FailureLatch()

  /// Wraps a disk.
  public init(_ disk: any Disk) { self.disk = disk }

  /// The failure at which the disk stopped, if it has.
  public var failure: DiskError? { latch.failure }

  /// Changes nothing more from now on, after a failure of whatever call.
  public func stop(at failure: DiskError) { latch.stop(at: failure) }

  /// Opens a folder by its path.
  public func folder(at path: String) throws(DiskError) -> any DiskFolder {
    FailStopFolder(try disk.folder(at: path), latch)
  }

  /// Opens a folder by its path for reading.
  public func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    try disk.folderForReading(at: path)
  }

  /// Reads what a path names from its beginning to its end.
  public func input(at path: String, atMost byteCount: Int) throws(DiskError) -> [UInt8] {
    try disk.input(at: path, atMost: byteCount)
  }

  /// The time of day, in nanoseconds since 1970.
  public func wallClock() -> Int64 { disk.wallClock() }

  /// The time of day, which may be some milliseconds ago.
  public func roughWallClock() -> Int64 { disk.roughWallClock() }

  /// Nanoseconds since some moment before.
  public func steadyClock() -> UInt64 { disk.steadyClock() }

  /// Waits on a lock until it is woken, or until a moment of the steady clock.
  public func wait(on lock: Lock, until nanoseconds: UInt64) -> Bool {
    disk.wait(on: lock, until: nanoseconds)
  }

  /// The number of this process.
  public func processNumber() -> Int32 { disk.processNumber() }

  /// Fills a buffer with random bytes from the system.
  public func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(DiskError) {
    try disk.fillWithRandomBytes(buffer)
  }
}

/// The first failure that stops the disk, shared by everything a fail-stop disk has opened.
private final class FailureLatch: @unchecked Sendable {
  private let lock = Lock()
  private var first: DiskError?

  var failure: DiskError? { lock.withLock { first } }

  func stop(at failure: DiskError) { lock.withLock { first = first ?? failure } }

  /// Makes a call that changes something, unless the disk has stopped.
  func pass<Answer>(
    _ call: DiskError.Call, _ name: String, _ body: () throws(DiskError) -> Answer
  ) throws(DiskError) -> Answer {
    if let failure { throw DiskError(call, name, failure.code, isRefusal: true) }
    return try body()
  }

  /// Makes a sync, and stops the disk where it fails. It makes one at a time of what it is about: the system
  /// reports a failure to one caller only, and another thread's sync at the same moment would be called a success.
  ///
  /// - Parameter syncing: the lock of the file or folder.
  func passSync(
    _ call: DiskError.Call, _ name: String, _ syncing: Lock, _ body: () throws(DiskError) -> Void
  ) throws(DiskError) {
    try syncing.withLock { () throws(DiskError) in
      try pass(call, name) { () throws(DiskError) in
        do throws(DiskError) {
          try body()
        } catch {
          stop(at: error)
          throw error
        }
      }
    }
  }
}

private final class FailStopFolder: DiskFolder {
  private let folder: any DiskFolder
  private let latch: FailureLatch
  private let syncing = Lock()

  init(_ folder: any DiskFolder, _ latch: FailureLatch) {
    self.folder = folder
    self.latch = latch
  }

  var name: String { folder.name }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    try folder.fileForReading(name)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    try folder.folderForReading(name)
  }

  func names() throws(DiskError) -> [String] { try folder.names() }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    try folder.information(of: name)
  }

  func information() throws(DiskError) -> FileInformation { try folder.information() }

  func fileSystem() throws(DiskError) -> FileSystemKind { try folder.fileSystem() }

  func file(_ name: String, _ opening: FileOpening) throws(DiskError) -> any DiskFile {
    if opening == .existing { return FailStopFile(try folder.file(name, opening), latch) }
    return try latch.pass(.openFile, name) { () throws(DiskError) in
      FailStopFile(try folder.file(name, opening), latch)
    }
  }

  func folder(_ name: String) throws(DiskError) -> any DiskFolder {
    FailStopFolder(try folder.folder(name), latch)
  }

  func makeFolder(_ name: String) throws(DiskError) {
    try latch.pass(.makeFolder, name) { () throws(DiskError) in try folder.makeFolder(name) }
  }

  func rename(_ name: String, to newName: String) throws(DiskError) {
    try latch.pass(.rename, name) { () throws(DiskError) in
      try folder.rename(name, to: newName)
    }
  }

  func remove(_ name: String) throws(DiskError) {
    try latch.pass(.remove, name) { () throws(DiskError) in try folder.remove(name) }
  }

  func removeFolder(_ name: String) throws(DiskError) {
    try latch.pass(.removeFolder, name) { () throws(DiskError) in try folder.removeFolder(name) }
  }

  func sync() throws(DiskError) {
    try latch.passSync(.syncFolder, name, syncing) { () throws(DiskError) in try folder.sync() }
  }

  func lock() throws(DiskError) -> Bool { try folder.lock() }

  func unlock() { folder.unlock() }
}

private final class FailStopFile: DiskFile {
  private let file: any DiskFile
  private let latch: FailureLatch
  private let syncing = Lock()

  init(_ file: any DiskFile, _ latch: FailureLatch) {
    self.file = file
    self.latch = latch
  }

  var name: String { file.name }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    try file.read(into: buffer, at: offset)
  }

  func information() throws(DiskError) -> FileInformation { try file.information() }

  func advise(_ advice: FileAdvice) throws(DiskError) { try file.advise(advice) }

  func close() throws(DiskError) { try file.close() }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) {
    try latch.pass(.write, name) { () throws(DiskError) in try file.write(bytes, at: offset) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> UInt64 {
    try latch.pass(.append, name) { () throws(DiskError) in try file.append(bytes) }
  }

  func sync() throws(DiskError) {
    try latch.passSync(.sync, name, syncing) { () throws(DiskError) in try file.sync() }
  }

  func syncData() throws(DiskError) {
    try latch.passSync(.syncData, name, syncing) { () throws(DiskError) in try file.syncData() }
  }

  func resize(to byteCount: UInt64) throws(DiskError) {
    try latch.pass(.resize, name) { () throws(DiskError) in try file.resize(to: byteCount) }
  }

  func allocate(_ byteCount: UInt64, at offset: UInt64) throws(DiskError) {
    try latch.pass(.allocate, name) { () throws(DiskError) in
      try file.allocate(byteCount, at: offset)
    }
  }

  func map(_ byteCount: Int) throws(DiskError) -> MappedMemory {
    try latch.pass(.map, name) { () throws(DiskError) in try file.map(byteCount) }
  }

  func lock() throws(DiskError) -> Bool { try file.lock() }
}
