/// A call to the disk that failed.
public struct DiskError: Error, Hashable, Sendable {
  /// What was asked of the disk.
  public enum Call: String, Hashable, Sendable, CaseIterable {
    case openFolder, makeFolder, openFile, listNames, inspect, read, write, append, sync, syncData
    case resize, allocate, map, lock, advise, rename, remove, removeFolder, syncFolder, close,
      random, thread
  }

  /// What was asked.
  public let call: Call
  /// The file or folder it was asked of.
  public let name: String
  /// What the system answered.
  public let code: SystemErrorCode
  /// Whether the call was not made at all, because the disk had stopped at an earlier failure;
  /// `code` is then that failure's.
  public let isRefusal: Bool

  /// Describes a failed call; for implementations of a disk.
  public init(_ call: Call, _ name: String, _ code: SystemErrorCode, isRefusal: Bool = false) {
    self.call = call
    self.name = name
    self.code = code
    self.isRefusal = isRefusal
  }

  /// Whether the disk, or the user's share of it, is full: a call that may succeed later.
  public var isOutOfSpace: Bool { code == .noSpace || code == .quotaExceeded }

  /// Whether something stands there that is no file: a folder, a link, a pipe or a device.
  package var meetsNoFile: Bool {
    call == .openFile && [.isFolder, .isLink, .invalid].contains(code)
  }

  /// Whether something stands there that is no folder.
  package var meetsNoFolder: Bool {
    call == .openFolder && [.notFolder, .isLink].contains(code)
  }
}

extension DiskError: CustomStringConvertible {
  /// One sentence: what happened, where, and what to do.
  public var description: String {
    if isRefusal {
      return "\(deed) was refused, because an earlier call failed (\(code.message)); "
        + "close the store, check the disk, and open it again."
    }
    return "\(deed) failed: \(code.message)\(advice)."
  }

  private var deed: String {
    let quoted = "“\(name)”"
    switch call {
    case .openFolder: return "opening the folder \(quoted)"
    case .makeFolder: return "making the folder \(quoted)"
    case .openFile: return "opening \(quoted)"
    case .listNames: return "listing the folder \(quoted)"
    case .inspect: return "inspecting \(quoted)"
    case .read: return "reading \(quoted)"
    case .write, .append: return "writing to \(quoted)"
    case .sync, .syncData: return "syncing \(quoted)"
    case .resize: return "changing the length of \(quoted)"
    case .allocate: return "reserving room for \(quoted)"
    case .map: return "mapping \(quoted) into memory"
    case .lock: return "locking \(quoted)"
    case .advise: return "advising the system about \(quoted)"
    case .rename: return "renaming \(quoted)"
    case .remove: return "removing \(quoted)"
    case .removeFolder: return "removing the folder \(quoted)"
    case .syncFolder: return "syncing the folder \(quoted)"
    case .close: return "closing \(quoted)"
    case .random: return "getting random bytes"
    case .thread: return "starting a thread"
    }
  }

  private var advice: String {
    switch code {
    case .invalid where meetsNoFile:
      return "; a pipe or a device stands where a file should, check the path"
    case .noSpace: return "; make room on the disk and try again"
    case .quotaExceeded: return "; make room within the quota and try again"
    case .accessDenied: return "; check who may read and write it"
    case .readOnlyFileSystem: return "; open the store for reading only, or mount it for writing"
    case .tooManyOpenFiles: return "; close some files, or raise the limit on open files"
    case .isLink: return "; links are not followed, name the file itself"
    case .inputOutput: return "; check the disk, and have a backup at hand"
    case .tooManyLinks: return "; it has other names as well, use a copy that shares no files"
    case .fileTooLarge: return "; raise the limit on the length of files"
    case .notFolder: return "; a file stands where a folder should, check the path"
    case .isFolder: return "; a folder stands where a file should, check the path"
    case .notFound: return "; check the path, and whether something has removed it"
    default: return "; check the disk and its file system, and try again"
    }
  }
}
