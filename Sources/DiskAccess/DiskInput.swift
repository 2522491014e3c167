internal import Glibc

// What is handed to a program to be read once, and is no part of a store: a file, or a pipe.

extension ReadableDisk {
  /// Reads what a path names from its beginning to its end: a file in its folder.
  ///
  /// - Throws: also where it is longer than it may be (`.fileTooLarge`).
  public func input(at path: String, atMost byteCount: Int) throws(DiskError) -> [UInt8] {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let file = try folderForReading(at: folder).fileForReading(name)
    let length = try file.information().byteCount
    guard length <= UInt64(byteCount) else { throw DiskError(.read, path, .fileTooLarge) }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    let count: Result<Int, DiskError> = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(DiskError) in try file.read(into: buffer, at: 0) }
    }
    return Array(bytes.prefix(try count.get()))
  }
}

extension PosixDisk {
  /// How long a pipe may have nobody who writes to it before it is given up, in milliseconds.
  private static let longestWait = 3000

  /// Reads what a path names from its beginning to its end. Links are followed, and of a pipe is read what is written to
  /// it until its writers have closed it.
  ///
  /// - Throws: where it is neither a file nor a pipe (`.invalid`), or longer than it may be (`.fileTooLarge`), or a pipe to
  ///   which nobody writes (`.wouldBlock`).
  public func input(at path: String, atMost byteCount: Int) throws(DiskError) -> [UInt8] {
    let opened = Descriptor.taking {
      openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode_t(0))
    }
    switch opened {
    case .failure(let failure): throw DiskError(.openFile, path, failure.code)
    case .success(let descriptor):
      defer { _ = descriptor.close() }
      return try Self.content(of: descriptor, path, atMost: byteCount)
    }
  }

  private static func content(
    of descriptor: Descriptor, _ path: String, atMost byteCount: Int
  ) throws(DiskError) -> [UInt8] {
    var status = stat()
    if case .failure(let failure) = uninterrupted({ fstat(descriptor.number, &status) }) {
      throw DiskError(.inspect, path, failure.code)
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFIFO else {
      throw DiskError(.openFile, path, kind == S_IFDIR ? .isFolder : .invalid)
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var waited = 0
    while true {
      let count = uninterrupted { read(descriptor.number, &piece, piece.count) }
      switch count {
      case .success(0):
        guard kind == S_IFIFO, bytes.isEmpty, isYetToBeWritten(descriptor) else { return bytes }
        // Whoever is to write may come yet.
        guard waited < longestWait else { throw DiskError(.read, path, .wouldBlock) }
        usleep(20_000)
        waited += 20
      case .success(let count):
        guard bytes.count + count <= byteCount else {
          throw DiskError(.read, path, .fileTooLarge)
        }
        bytes += piece[..<count]
      case .failure(let failure) where failure.code == .wouldBlock:
        // Somebody is there, and has nothing to write at the moment.
        var waiting = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, -1)
      case .failure(let failure): throw DiskError(.read, path, failure.code)
      }
    }
  }

  /// Whether nobody has written to a pipe so far, so that its end says nothing.
  private static func isYetToBeWritten(_ descriptor: Descriptor) -> Bool {
    var waiting = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&waiting, 1, 0)
    return waiting.revents & Int16(POLLHUP) == 0
  }
}
