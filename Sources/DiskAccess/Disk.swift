// DiskAccess: the one seam for everything the store asks of the system: files, names, locks, mappings,
// clocks, randomness, threads. Knows no frames and no events.
//
// The seam has two halves. Whoever holds a `ReadableDisk` can look and cannot change anything; what it
// hands out is readable too. `Disk` adds what writes. Both come as `PosixDisk`, which calls the system,
// as `FailStopDisk`, which stops writing after a failed sync or when told, and as the simulated disk of the room
// `DiskSimulation`.

/// A file that can be looked at.
public protocol ReadableFile: AnyObject, Sendable {
  /// The name the file was opened by, for messages.
  var name: String { get }

  /// Reads at a position until the buffer is full or the file ends.
  ///
  /// - Returns: how many bytes were read; fewer than the buffer holds only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int

  /// What the system knows of the file.
  func information() throws(DiskError) -> FileInformation

  /// Tells the system how the bytes will be used.
  func advise(_ advice: FileAdvice) throws(DiskError)

  /// Gives the descriptor back. A file that is let go is closed as well.
  func close() throws(DiskError)
}

/// A file that can be changed.
public protocol DiskFile: ReadableFile {
  /// Writes all bytes at a position; the file grows where they reach past its end.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError)

  /// Writes all bytes at the end of the file. Only one writer may append to a file at a time.
  ///
  /// - Returns: where the bytes were put.
  @discardableResult
  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> UInt64

  /// Waits until the bytes and everything the system knows of the file are durable.
  func sync() throws(DiskError)

  /// Waits until the bytes and the length of the file are durable.
  func syncData() throws(DiskError)

  /// Cuts the file, or extends it with zeros.
  func resize(to byteCount: UInt64) throws(DiskError)

  /// Reserves room on the disk, and extends the file with zeros where the room reaches past its end.
  func allocate(_ byteCount: UInt64, at offset: UInt64) throws(DiskError)

  /// Maps the first bytes of the file into memory, shared with the file.
  ///
  /// A mapped file that somebody cuts short kills the process on access, so only files that the same
  /// process made and filled may be mapped.
  func map(_ byteCount: Int) throws(DiskError) -> MappedMemory

  /// Takes the file's lock, which ends with the process or the file at the latest.
  ///
  /// - Returns: false where somebody else holds it.
  func lock() throws(DiskError) -> Bool
}

/// A folder that can be looked at. Names are single components.
public protocol ReadableFolder: AnyObject, Sendable {
  /// The path or name the folder was opened by, for messages.
  var name: String { get }

  /// Opens a regular file for reading; never follows a link.
  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile

  /// Opens a folder in this one for reading; never follows a link.
  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder

  /// The names in the folder, sorted.
  func names() throws(DiskError) -> [String]

  /// What the system knows of a name, or nil where there is none.
  func information(of name: String) throws(DiskError) -> FileInformation?

  /// What kind of file system the folder is on.
  func fileSystem() throws(DiskError) -> FileSystemKind
}

/// A folder that can be changed.
public protocol DiskFolder: ReadableFolder {
  /// Opens a regular file for reading and writing; never follows a link, and refuses a file that has another name
  /// (`.tooManyLinks`) before anything is changed.
  func file(_ name: String, _ opening: FileOpening) throws(DiskError) -> any DiskFile

  /// Opens a folder in this one.
  func folder(_ name: String) throws(DiskError) -> any DiskFolder

  /// Makes a folder that only its owner can enter.
  func makeFolder(_ name: String) throws(DiskError)

  /// Gives a file of this folder another name, replacing the file that has it.
  func rename(_ name: String, to newName: String) throws(DiskError)

  /// Removes a file's name.
  func remove(_ name: String) throws(DiskError)

  /// Removes a folder of this one in which there is nothing.
  func removeFolder(_ name: String) throws(DiskError)

  /// What the system knows of the folder itself.
  func information() throws(DiskError) -> FileInformation

  /// Waits until the names in this folder are durable.
  func sync() throws(DiskError)

  /// Takes the folder's lock, which ends with the process or with this opening of the folder at the latest.
  ///
  /// - Returns: false where somebody else holds it.
  func lock() throws(DiskError) -> Bool

  /// Gives the folder's lock back, where this opening of the folder holds it.
  func unlock()
}

/// A disk that can be looked at, with the clocks that go with it.
public protocol ReadableDisk: AnyObject, Sendable {
  /// Opens a folder by its path for reading.
  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder

  /// The time of day, in nanoseconds since 1970. It may jump.
  func wallClock() -> Int64

  /// The time of day, which may be some milliseconds ago: for whoever asks for it with everything that is done.
  func roughWallClock() -> Int64

  /// Nanoseconds since some moment before. It never goes back.
  func steadyClock() -> UInt64

  /// The number of this process.
  func processNumber() -> Int32

  /// Reads what a path names from its beginning to its end: what is handed to a program, and is no part of a store.
  ///
  /// - Throws: also where it is longer than it may be (`.fileTooLarge`).
  func input(at path: String, atMost byteCount: Int) throws(DiskError) -> [UInt8]
}

extension ReadableDisk {
  /// The time of day as exactly as it is known.
  public func roughWallClock() -> Int64 { wallClock() }
}

/// A disk that can be changed.
public protocol Disk: ReadableDisk {
  /// Opens a folder by its path.
  func folder(at path: String) throws(DiskError) -> any DiskFolder

  /// Fills a buffer with random bytes from the system.
  func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(DiskError)

  /// Gives back a lock that the caller holds, waits until it is woken or a moment of the steady clock has come, and
  /// takes the lock again. It may wake for no reason.
  ///
  /// - Returns: whether that moment has come.
  func wait(on lock: Lock, until nanoseconds: UInt64) -> Bool
}

/// How a file is opened for writing.
public enum FileOpening: Hashable, Sendable {
  /// The file must be there.
  case existing
  /// The file must not be there; it is made, for its owner alone.
  case new
  /// The file is made where there is none.
  case existingOrNew
  /// The file is made, or emptied where it is there.
  case emptied
}

/// How the bytes of a file will be used.
public enum FileAdvice: Hashable, Sendable {
  /// The system may forget what it holds of the file, so that the next read asks the medium.
  case forget
  /// The file will be read from front to back.
  case sequential
}

extension Disk {
  /// A number that nobody can foresee.
  package func randomNumber() throws(DiskError) -> UInt64 {
    var number: UInt64 = 0
    var failure: DiskError?
    withUnsafeMutableBytes(of: &number) { bytes in
      do throws(DiskError) { try fillWithRandomBytes(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    return number
  }
}

extension String {
  /// Whether it can be a name within a folder, and leads nowhere else.
  package var isPlainName: Bool {
    !isEmpty && self != "." && self != ".."
      && !utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}
