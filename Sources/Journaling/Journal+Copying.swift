internal import ByteCoding
package import DiskAccess

extension Journal {
  /// Copies all frames so far into a new store, which then is the same store at another place, while writing
  /// goes on. Where it fails, what was copied is taken away again. What is left then, or when the process or the
  /// power ends, has a mark, by which the next attempt knows that it may be replaced.
  ///
  /// - Parameters:
  ///   - path: the new store's folder; there is none yet, or it is empty, or it has an unfinished copy.
  ///   - disk: the disk it is on. What fails there does not stop this journal.
  ///   - folders: those that `attach` makes files in.
  ///   - attach: copies what the rooms above have attached, as the manifest names it, into the new folder.
  /// - Returns: the last frame that was copied.
  /// - Throws: where what was copied is not whole, too: a copy is checked to its last byte.
  package func copy(
    to path: String, on disk: any Disk, attachedIn folders: [String] = [],
    attach: (Manifest, any DiskFolder) throws(JournalError) -> [Manifest.Attachment]
  ) throws(JournalError) -> FrameNumber {
    try sync()
    try beginSegment()
    let failStop = FailStopDisk(disk)
    let place = try StorePlace(
      path, on: failStop, .ifMissing, allowsNetwork: options.allowsNetworkFileSystems,
      copying: folders)
    let newLock = try StoreLock(in: place.folder, path: path)
    newLock.name(disk.processNumber())
    defer { extendLifetime(newLock) }
    let recovery = Recovery(disk: failStop, folder: place.folder, options: options)
    // Whoever held the lock before may have brought the copy to its end.
    var isUnfinished = place.isMarked
    if isUnfinished {
      isUnfinished = try onDisk { () throws(DiskError) in try place.folder.isMarked() }
    }
    if !isUnfinished {
      guard case .missing = try ManifestFile.read(in: place.folder) else {
        throw .storeExists(path: path)
      }
      try place.refuseContent()
    }
    // Before anything is copied, as it may be refused, and another folder may have its path later.
    let parent = try StorePlace.parent(of: path, on: failStop)
    if isUnfinished { try onDisk { () throws(DiskError) in try place.folder.clear(folders) } }
    do throws(JournalError) {
      try onDisk { () throws(DiskError) in try place.folder.mark() }
      let last = try fill(place, in: parent, recovery, attach: attach)
      try onDisk { () throws(DiskError) in try place.folder.unmark() }
      return last
    } catch {
      takeAway(place, on: disk, folders)
      throw error
    }
  }

  /// Takes away what a copy that failed has left, by a disk that has not stopped; where this fails too, the
  /// next attempt does it.
  private func takeAway(_ place: StorePlace, on disk: any Disk, _ folders: [String]) {
    do throws(DiskError) {
      let folder = try disk.folder(at: place.path)
      // Another folder that has come to the path meanwhile is not ours, and may be a store.
      let (found, own) = (try folder.information(), try place.folder.information())
      guard found.device == own.device, found.node == own.node else { return }
      // It may have been the last step that failed, which takes the mark away.
      if try !folder.isMarked() { try folder.mark() }
      try folder.clear(folders)
    } catch {
      // The error to tell is the first one.
    }
  }

  /// Puts a copy of everything so far into an empty place.
  ///
  /// - Returns: the last frame that was copied.
  private func fill(
    _ place: StorePlace, in parent: any DiskFolder, _ recovery: Recovery,
    attach: (Manifest, any DiskFolder) throws(JournalError) -> [Manifest.Attachment]
  ) throws(JournalError) -> FrameNumber {
    let manifest = self.manifest
    let attachments = try attach(manifest, place.folder)
    let source = try onDisk { () throws(DiskError) in
      try folder.folderForReading(JournalFiles.journalFolder)
    }
    try onDisk { () throws(DiskError) in
      let target = try place.makeJournalFolder()
      for (segment, sealing) in manifest.sealedSegments {
        // What is longer is refused when the copy is checked, and need not be there in its whole length.
        try source.copy(
          segment.number.fileName, to: target,
          through: sealing.byteCount + Limits.zerosByteCount + 1)
      }
    }
    try place.check(manifest)
    let active = manifest.segments[manifest.segments.count - 1]
    let header = try active.header(
      in: active.file(in: source), of: manifest.store,
      after: manifest.sealedSegments.last?.1)
    var copied = manifest
    copied.attachments = attachments
    try place.found(copied, goingOnFrom: header, in: parent, recovery)
    return active.firstFrame.previous
  }
}

extension StorePlace {
  /// Reads every frame of the sealed segments that were copied.
  fileprivate func check(_ manifest: Manifest) throws(JournalError) {
    let copies = try onDisk { () throws(DiskError) in
      try folder.folderForReading(JournalFiles.journalFolder)
    }
    var previous: Manifest.Sealing?
    for (segment, sealing) in manifest.sealedSegments {
      let examination = try SegmentExamination(
        segment, after: previous, of: manifest.store, in: copies, durableThrough: sealing.lastFrame)
      if case .damaged(let finding, _) = examination.verdict {
        throw JournalError(refusing: finding)
      }
      previous = sealing
    }
  }

  /// Makes the active segment, the edit buffer and the manifest of a store whose sealed segments are there.
  fileprivate func found(
    _ manifest: Manifest, goingOnFrom header: SegmentHeader, in parent: any DiskFolder,
    _ recovery: Recovery
  ) throws(JournalError) {
    try onDisk { () throws(DiskError) in
      let (disk, options) = (recovery.disk, recovery.options)
      let next = SegmentHeader(
        store: header.store, salt: try disk.randomNumber(), number: header.number,
        firstFrame: header.firstFrame, firstEdit: header.firstEdit,
        previousBodyCheck: header.previousBodyCheck, creationTime: disk.wallClock(),
        windowByteCount: UInt32(options.windowByteCount))
      _ = try ActiveSegment(
        making: next, in: try folder.folder(JournalFiles.journalFolder),
        preallocatedByteCount: options.preallocatedByteCount)
      _ = try recovery.replaceEditBuffer(of: manifest.store, durableThrough: .none)
      try parent.sync()
      var manifest = manifest
      manifest.segments[manifest.segments.count - 1] = Manifest.Segment(next)
      manifest.generation = 1
      manifest.durableThrough = header.firstFrame.previous
      try ManifestFile.replace(with: manifest, in: folder)
    }
  }
}

extension ReadableFolder {
  /// Copies a file, durably, into another folder; the names there are not synced.
  ///
  /// - Parameter length: how many bytes are copied of a file that has more.
  package func copy(
    _ name: String, to folder: any DiskFolder, through length: UInt64 = .max
  ) throws(DiskError) {
    let source = try fileForReading(name)
    let target = try folder.file(name, .emptied)
    var memory = ByteWriter(capacity: 1 << 20)
    var offset: UInt64 = 0
    while offset < length {
      memory.removeAll()
      let wanted = Int(min(1 << 20, length - offset))
      let room = UnsafeMutableRawBufferPointer(start: memory.reserve(wanted), count: wanted)
      let count = try source.read(into: room, at: offset)
      guard count > 0 else { break }
      try target.write(UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset)
      offset += UInt64(count)
    }
    try target.sync()
  }
}
