internal import ByteCoding
internal import DiskAccess

// What recovery takes out of a store it keeps beside it. As long as nobody has been told of a file, a marker stands
// beside that: an opening may fail, or be broken off, when the store looks whole already.
extension Recovery {
  /// Copies a torn tail aside before it is cut.
  ///
  /// - Returns: the file it was copied to.
  func saveTail(
    of file: any DiskFile, _ name: String, from offset: UInt64, _ byteCount: UInt64
  ) throws(JournalError) -> String {
    var window = try FileWindow(file)
    return try save(as: "\(name.dropLast(3))-\(offset)") { (saved) throws(JournalError) in
      var position = offset
      while position < offset + byteCount {
        let rest = offset + byteCount - position
        let bytes = try window.bytes(at: position, Int(min(rest, 1 << 20)))
        if bytes.isEmpty { break }
        _ = try onDisk { () throws(DiskError) in try saved.append(bytes) }
        position += UInt64(bytes.count)
      }
    }
  }

  /// Keeps what recovery takes out of the store, durably, in a file of its own, which has its name once it
  /// is whole. What an opening that failed has kept already is not kept twice.
  ///
  /// - Returns: the file it was copied to.
  func save(
    as name: String, _ write: (any DiskFile) throws(JournalError) -> Void
  ) throws(JournalError) -> String {
    let recovered = JournalFiles.recoveredFolder
    let (target, saved) = try onDisk { () throws(DiskError) in
      if try folder.information(of: recovered) == nil { try folder.makeFolder(recovered) }
      let target = try folder.folder(recovered)
      return (target, try target.file(JournalFiles.newSaved, .emptied))
    }
    do throws(JournalError) {
      try write(saved)
    } catch {
      if case .disk(let cause) = error {
        removeAttempt(JournalFiles.newSaved, in: target, after: cause)
      }
      throw error
    }
    var copy = 1
    var isThere = false
    while let other = try information(of: "\(name)-\(copy)", in: target) {
      if other.kind == .file {
        isThere = try hasSameBytes(saved, as: "\(name)-\(copy)", in: target)
        if isThere { break }
      }
      copy += 1
    }
    try onDisk { () throws(DiskError) in
      try target.file("\(name)-\(copy)" + JournalFiles.untold, .existingOrNew).close()
      if isThere {
        try target.remove(JournalFiles.newSaved)
      } else {
        try saved.sync()
        try target.rename(JournalFiles.newSaved, to: "\(name)-\(copy)")
      }
      try target.sync()
      try folder.sync()
    }
    return "\(recovered)/\(name)-\(copy)"
  }

  private func information(
    of name: String, in folder: any DiskFolder
  ) throws(JournalError) -> FileInformation? {
    try onDisk { () throws(DiskError) in try folder.information(of: name) }
  }

  private func hasSameBytes(
    _ file: any ReadableFile, as name: String, in folder: any DiskFolder
  ) throws(JournalError) -> Bool {
    var window = try FileWindow(file)
    var other = try FileWindow(
      try onDisk { () throws(DiskError) in try folder.fileForReading(name) })
    guard window.byteCount == other.byteCount else { return false }
    var position: UInt64 = 0
    while window.remaining(at: position) > 0 {
      let bytes = try window.bytes(at: position, 1 << 20)
      guard !bytes.isEmpty, try bytes.elementsEqual(other.bytes(at: position, 1 << 20)) else {
        return false
      }
      position += UInt64(bytes.count)
    }
    return true
  }

  /// Looks for what openings before this one have kept and nobody was told of.
  mutating func findUntold() throws(JournalError) {
    let folder = self.folder
    let names = try onDisk { () throws(DiskError) in
      let recovered = JournalFiles.recoveredFolder
      guard try folder.information(of: recovered) != nil else { return [String]() }
      return try folder.folder(recovered).names()
    }
    let own = Set(report.savedFiles)
    report.savedEarlier = names.filter { $0.hasSuffix(JournalFiles.untold) }
      .map { String($0.dropLast(JournalFiles.untold.count)) }
      .filter { names.contains($0) && JournalFiles.isAllowed($0) }
      .map { "\(JournalFiles.recoveredFolder)/\($0)" }
      .filter { !own.contains($0) }
  }
}

extension Journal {
  /// Notes that somebody has been told of the files that recovery kept: later openings need not say so.
  package func noteSavedFilesTold() {
    // Where this fails, it is told once more.
    guard let recovered = try? folder.folder(JournalFiles.recoveredFolder),
      let names = try? recovered.names()
    else { return }
    for name in names where name.hasSuffix(JournalFiles.untold) { try? recovered.remove(name) }
  }
}
