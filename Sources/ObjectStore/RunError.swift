package import DiskAccess
package import ObjectModel
package import PropertyListCoding

/// Why a run cannot be written or read.
package enum RunError: Error, Hashable, Sendable {
  /// The disk refused; `isOutOfSpace` of the cause tells whether it may work later.
  case disk(DiskError)
  /// The run is damaged: it does not say what its rows are.
  case damaged(RunFinding)
  /// The run was written by newer code.
  case newerFormat(RunFinding)
  /// A value that no property list can hold.
  case unwritable(ObjectID, KeyNumber, PropertyListError.Code)
  /// A row larger than a block may be.
  case rowTooLarge(ObjectID, byteCount: Int, limit: Int)
  /// More blocks than an index can list.
  case tooManyBlocks(limit: Int)
}

extension RunError {
  /// The file that is damaged; nil where the error is another.
  var file: String? {
    if case .damaged(let finding) = self { finding.file } else { nil }
  }
}

/// Something that is not as it should be in a run.
package struct RunFinding: Hashable, Sendable {
  /// What is not as it should be.
  package enum Kind: Hashable, Sendable {
    case headerDamaged
    case newer(format: UInt16, requiredFeatures: UInt32)
    /// The run of another store.
    case foreign
    case footerDamaged
    /// The file ends before it should.
    case cutShort
    case indexDamaged
    /// An index whose checks fit and whose contents do not.
    case indexMalformed
    case blockDamaged
    case blockNewer(format: UInt8, flags: UInt8)
    /// A block whose checks fit and whose parts do not fill it.
    case blockMalformed
    case directoryDamaged
    case directoryNewer(format: UInt8)
    /// A directory whose check fits and whose contents do not, or not with the index.
    case directoryMalformed
    /// A column whose check does not fit: that of a key, or that of the commits.
    case columnDamaged(KeyNumber?)
    /// A column whose check fits and whose values cannot be read, or cannot be.
    case columnMalformed(KeyNumber?)
  }

  package let kind: Kind
  /// The file's name.
  package let file: String
  /// Where in the file.
  package let offset: UInt64

  package init(_ kind: Kind, _ file: String, at offset: UInt64 = 0) {
    self.kind = kind
    self.file = file
    self.offset = offset
  }
}

extension RunError: CustomStringConvertible {
  /// One sentence: what happened, where, and what to do.
  package var description: String {
    switch self {
    case .disk(let cause):
      cause.description
    case .damaged(let finding):
      "a run is damaged in \(finding); where nothing of the journal was dropped, a compaction makes it anew, and "
        + "otherwise \(StoreError.bringBack)"
    case .newerFormat(let finding):
      "\(finding); open the store with the newer version of the program."
    case .unwritable(let object, let key, let code):
      "the value of key \(key.rawValue) of \(object) cannot be written "
        + "(\(PropertyListError(code, at: 0))); set another one."
    case .rowTooLarge(let object, let byteCount, let limit):
      "\(object) has \(byteCount) bytes, more than the \(limit) that a row of a run may have; "
        + "split its values, or keep them in files of their own."
    case .tooManyBlocks(let limit):
      "a run has at most \(limit) blocks; begin another one."
    }
  }

  /// Whether the same call may succeed once there is room on the disk.
  package var isOutOfSpace: Bool {
    if case .disk(let cause) = self { cause.isOutOfSpace } else { false }
  }
}

extension RunFinding: CustomStringConvertible {
  package var description: String {
    offset == 0 ? "\(file): \(kind)" : "\(file), byte \(offset): \(kind)"
  }
}

extension RunFinding.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .headerDamaged: "a damaged header"
    case .newer(let format, let features):
      "a run of format \(format), features \(features), which newer code has written"
    case .foreign: "a run of another store"
    case .footerDamaged: "a damaged footer, or none"
    case .cutShort: "the file is shorter than it was"
    case .indexDamaged: "an index whose check does not fit"
    case .indexMalformed: "an index that contradicts itself or its file"
    case .blockDamaged: "a block whose check does not fit, or that stands in another's place"
    case .blockNewer(let format, let flags):
      "a block of format \(format), flags \(flags), which newer code has written"
    case .blockMalformed: "a block that contradicts itself"
    case .directoryDamaged: "a directory whose check does not fit"
    case .directoryNewer(let format):
      "a directory of format \(format), which newer code has written"
    case .directoryMalformed: "a directory that contradicts itself or the index"
    case .columnDamaged(let key): "\(Self.column(key)), whose check does not fit"
    case .columnMalformed(let key): "\(Self.column(key)), which cannot be read"
    }
  }

  private static func column(_ key: KeyNumber?) -> String {
    key.map { "the column of key \($0.rawValue)" } ?? "the column of commits"
  }
}

/// Runs calls to the disk, whose failures are the run's.
func onDisk<Answer>(_ body: () throws(DiskError) -> Answer) throws(RunError) -> Answer {
  do throws(DiskError) {
    return try body()
  } catch {
    throw .disk(error)
  }
}
