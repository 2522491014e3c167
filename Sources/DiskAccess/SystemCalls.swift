internal import Glibc

/// Calls the system until it is not interrupted.
///
/// - Returns: what the call returned, or its error number.
package func uninterrupted<Answer: SignedInteger>(
  _ call: () -> Answer
) -> Result<Answer, SystemErrorCodeFailure> {
  while true {
    let answer = call()
    if answer >= 0 { return .success(answer) }
    let code = SystemErrorCode(rawValue: errno)
    if code != .interrupted { return .failure(SystemErrorCodeFailure(code: code)) }
  }
}

/// An error number as a failure of `Result`.
package struct SystemErrorCodeFailure: Error { package let code: SystemErrorCode }

/// Repeats a call that may move fewer bytes than asked, until all are moved, it moves none, or fails.
///
/// - Returns: how many bytes were moved, and what ended it early if not the end of the file.
package func transfer(
  _ byteCount: Int, _ call: (_ offset: Int) -> Int
) -> (byteCount: Int, failure: SystemErrorCode?) {
  var done = 0
  while done < byteCount {
    switch uninterrupted({ call(done) }) {
    case .success(0): return (done, nil)
    case .success(let moved): done += moved
    case .failure(let failure): return (done, failure.code)
    }
  }
  return (done, nil)
}

/// A descriptor that this process owns.
struct Descriptor {
  let number: Int32

  /// Opens a name relative to a folder, with what every file of a store is opened with.
  static func open(
    _ name: String, in folder: Int32, _ flags: Int32
  ) -> Result<Descriptor, SystemErrorCodeFailure> {
    taking { openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode_t(0o600)) }
  }

  /// Takes over what a call opens.
  ///
  /// A descriptor from 0 to 2 is moved up, so that no stray `print` can ever write into a store.
  static func taking(_ call: () -> Int32) -> Result<Descriptor, SystemErrorCodeFailure> {
    let opened = uninterrupted(call)
    guard case .success(let number) = opened, number <= 2 else { return opened.map(Self.init) }
    let moved = uninterrupted { fcntl(number, F_DUPFD_CLOEXEC, 3) }
    Glibc.close(number)
    return moved.map(Self.init)
  }

  /// Closes the descriptor. It is never tried again: on Linux the number is free even when
  /// the call is interrupted, and may be somebody else's by now.
  func close() -> SystemErrorCode? {
    guard Glibc.close(number) != 0, errno != EINTR else { return nil }
    return SystemErrorCode(rawValue: errno)
  }

  func information() -> Result<FileInformation, SystemErrorCodeFailure> {
    var status = stat()
    return uninterrupted { fstat(number, &status) }.map { _ in FileInformation(status) }
  }
}

extension FileInformation {
  init(_ status: stat) {
    let kind: Kind
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    default: kind = .other
    }
    self.init(
      kind: kind, device: UInt64(status.st_dev), node: UInt64(status.st_ino),
      byteCount: UInt64(max(0, status.st_size)),
      allocatedByteCount: UInt64(max(0, status.st_blocks)) * 512,
      linkCount: UInt64(status.st_nlink))
  }
}
