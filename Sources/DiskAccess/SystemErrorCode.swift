internal import Glibc

/// An error number of the system.
public struct SystemErrorCode: RawRepresentable, Hashable, Sendable {
  /// The number, as in `errno`.
  public let rawValue: Int32

  /// Wraps a number of `errno`.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The medium failed.
  public static let inputOutput = SystemErrorCode(rawValue: EIO)
  /// The disk is full.
  public static let noSpace = SystemErrorCode(rawValue: ENOSPC)
  /// The user's share of the disk is used up.
  public static let quotaExceeded = SystemErrorCode(rawValue: EDQUOT)
  /// A signal interrupted the call.
  public static let interrupted = SystemErrorCode(rawValue: EINTR)
  /// The process has too many open files.
  public static let tooManyOpenFiles = SystemErrorCode(rawValue: EMFILE)
  /// The file system cannot be written to.
  public static let readOnlyFileSystem = SystemErrorCode(rawValue: EROFS)
  /// There is no such name.
  public static let notFound = SystemErrorCode(rawValue: ENOENT)
  /// The name is taken.
  public static let exists = SystemErrorCode(rawValue: EEXIST)
  /// The process may not do that.
  public static let accessDenied = SystemErrorCode(rawValue: EACCES)
  /// Somebody else holds the lock.
  public static let wouldBlock = SystemErrorCode(rawValue: EWOULDBLOCK)
  /// The name stands for no folder.
  public static let notFolder = SystemErrorCode(rawValue: ENOTDIR)
  /// The name stands for a folder.
  public static let isFolder = SystemErrorCode(rawValue: EISDIR)
  /// The name stands for a link, which is not followed.
  public static let isLink = SystemErrorCode(rawValue: ELOOP)
  /// The file has other names, maybe outside of the store.
  public static let tooManyLinks = SystemErrorCode(rawValue: EMLINK)
  /// The file would become larger than it may be.
  public static let fileTooLarge = SystemErrorCode(rawValue: EFBIG)
  /// The name has more bytes than a name may have.
  public static let nameTooLong = SystemErrorCode(rawValue: ENAMETOOLONG)
  /// The request makes no sense for this file.
  public static let invalid = SystemErrorCode(rawValue: EINVAL)
  /// The folder still has names in it.
  public static let notEmpty = SystemErrorCode(rawValue: ENOTEMPTY)
  /// The file or descriptor is closed.
  public static let badDescriptor = SystemErrorCode(rawValue: EBADF)
  /// The system does not offer that here.
  public static let notSupported = SystemErrorCode(rawValue: EOPNOTSUPP)

  /// The system's own words for the number.
  public var message: String {
    // `strerror` hands out constant strings for the numbers a system knows.
    strerror(rawValue).map { String(cString: $0) } ?? "error \(rawValue)"
  }
}
