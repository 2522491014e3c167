internal import Glibc

/// Makes a call until it is not interrupted.
@inlinable
package func uninterrupted<Answer>(
  _ call: () -> Result<Answer, SystemErrorCodeFailure>
) -> Result<Answer, SystemErrorCodeFailure> {
  while true {
    let answer = call()
    if case .failure(let failure) = answer, failure.code == .interrupted { continue }
    return answer
  }
}

/// Calls the system until it is not interrupted.
///
/// - Returns: what the call returned, or its error number.
package func uninterrupted<Answer: SignedInteger>(
  _ call: () -> Answer
) -> Result<Answer, SystemErrorCodeFailure> {
  uninterrupted { answer(of: call()) }
}

/// An error number as a failure of `Result`.
@usableFromInline
package struct SystemErrorCodeFailure: Error {
  @usableFromInline
  package let code: SystemErrorCode

  @inlinable
  package init(code: SystemErrorCode) { self.code = code }
}

/// What the system has returned; `errno` is still that call's.
private func answer<Answer: SignedInteger>(
  of returned: Answer
) -> Result<Answer, SystemErrorCodeFailure> {
  if returned >= 0 { return .success(returned) }
  return .failure(SystemErrorCodeFailure(code: SystemErrorCode(rawValue: errno)))
}

/// Repeats a call of the system that may move fewer bytes than asked, as the other `transfer` does.
package func transfer(
  _ byteCount: Int, _ call: (_ offset: Int) -> Int
) -> (byteCount: Int, failure: SystemErrorCode?) {
  transfer(byteCount) { offset in answer(of: call(offset)) }
}

/// Repeats a call that may move fewer bytes than asked, until all are moved, it moves none, or fails.
///
/// - Returns: how many bytes were moved, and what ended it early if not the end of the file.
package func transfer(
  _ byteCount: Int, _ call: (_ offset: Int) -> Result<Int, SystemErrorCodeFailure>
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
