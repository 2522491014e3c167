internal import DiskAccess
internal import JournalInspection
internal import Synchronization

/// A disk to look at whose files can be read to their ends, also where the medium gives some of their bytes no more: in
/// their place stand others, which no check fits. So what could not be read is damaged, and nothing else.
///
/// Only what somebody makes a new journal of is read like that. Whoever shows what a journal says tells of the failure.
final class PatientDisk: OverlaidDisk {
  let disk: any ReadableDisk
  private let unreadable = Mutex<[String: [Range<UInt64>]]>([:])
  /// Where something stands that should be a folder and is none.
  private let others = Mutex<Set<String>>([])

  init(_ disk: any ReadableDisk) { self.disk = disk }

  /// What could not be read so far: which bytes of which files, by the path within the folder that was opened.
  var findings: [String] {
    others.withLock { $0.sorted().map { "\($0): no folder" } }
      + unreadable.withLock { unreadable in
        unreadable.sorted { $0.key < $1.key }.flatMap { path, ranges in
          Self.joined(ranges).map {
            "\(path): bytes \($0.lowerBound) to \($0.upperBound - 1) cannot be read"
          }
        }
      }
  }

  fileprivate func ranges(of path: String) -> [Range<UInt64>] {
    unreadable.withLock { $0[path] ?? [] }
  }

  fileprivate func note(_ range: Range<UInt64>, of path: String) {
    unreadable.withLock { $0[path] = Self.joined(($0[path] ?? []) + [range]) }
  }

  fileprivate func noteOther(_ path: String) { others.withLock { _ = $0.insert(path) } }

  private static func joined(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
    var joined: [Range<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    PatientFolder(try disk.folderForReading(at: path), "", self)
  }
}

private final class PatientFolder: OverlaidFolder {
  let folder: any ReadableFolder
  /// Empty, or ends with a slash.
  private let path: String
  private let disk: PatientDisk

  init(_ folder: any ReadableFolder, _ path: String, _ disk: PatientDisk) {
    (self.folder, self.path, self.disk) = (folder, path, disk)
  }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    PatientFile(try folder.fileForReading(name), path + name, disk)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    do throws(DiskError) {
      return PatientFolder(try folder.folderForReading(name), path + name + "/", disk)
    } catch {
      // What stands there instead is not looked into: the folder is missing.
      guard error.code == .notFolder || error.code == .isLink else { throw error }
      disk.noteOther(path + name)
      throw DiskError(error.call, error.name, .notFound)
    }
  }
}

private final class PatientFile: OverlaidFile {
  /// What media lose at once, mostly.
  private static let sectorByteCount: UInt64 = 4096
  /// Neither zeros, which stand where nothing was written yet, nor the beginning of anything.
  private static let filling: UInt8 = 0xDB

  let file: any ReadableFile
  private let path: String
  private let disk: PatientDisk

  init(_ file: any ReadableFile, _ path: String, _ disk: PatientDisk) {
    (self.file, self.path, self.disk) = (file, path, disk)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    // A medium takes seconds for each time that it fails: what has failed is not asked for again.
    let end = offset + UInt64(buffer.count)
    let known = disk.ranges(of: path).first { $0.lowerBound < end && offset < $0.upperBound }
    guard known == nil else { return try readInParts(into: buffer, at: offset, around: known) }
    do throws(DiskError) {
      return try file.read(into: buffer, at: offset)
    } catch {
      guard error.code == .inputOutput else { throw error }
      return try readInParts(into: buffer, at: offset, around: nil)
    }
  }

  /// Reads what is before and behind a stretch that cannot be read; where none is known, one half after the other, down
  /// to a single sector.
  private func readInParts(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, around known: Range<UInt64>?
  ) throws(DiskError) -> Int {
    // It may be longer than the file.
    let length = try file.information().byteCount
    let end = min(offset + UInt64(buffer.count), max(length, offset))
    guard end > offset else { return 0 }
    let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(end - offset)])
    if let known {
      guard known.lowerBound < end else {
        // The file has become shorter since.
        try readAgain(buffer, at: offset, offset..<end)
        return buffer.count
      }
      let bad = max(known.lowerBound, offset)..<min(known.upperBound, end)
      fill(buffer, at: offset, bad)
      try readAgain(buffer, at: offset, offset..<bad.lowerBound)
      try readAgain(buffer, at: offset, bad.upperBound..<end)
      return buffer.count
    }
    let sector = Self.sectorByteCount
    let middle = (offset + (end - offset) / 2) / sector * sector
    let cut = middle > offset ? middle : (offset / sector + 1) * sector
    guard cut < end else {
      disk.note(offset..<end, of: path)
      fill(buffer, at: offset, offset..<end)
      return buffer.count
    }
    try readAgain(buffer, at: offset, offset..<cut)
    try readAgain(buffer, at: offset, cut..<end)
    return buffer.count
  }

  /// Reads a part of what a buffer is for; what the file has no more by now is as unreadable.
  private func readAgain(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, _ part: Range<UInt64>
  ) throws(DiskError) {
    guard !part.isEmpty else { return }
    let target = UnsafeMutableRawBufferPointer(
      rebasing: buffer[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)])
    let count = try read(into: target, at: part.lowerBound)
    fill(buffer, at: offset, part.lowerBound + UInt64(count)..<part.upperBound)
  }

  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, _ part: Range<UInt64>
  ) {
    for place in part { buffer[Int(place - offset)] = Self.filling }
  }
}
