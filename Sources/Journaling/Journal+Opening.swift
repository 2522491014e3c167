internal import ByteCoding
package import DiskAccess

extension Journal {
  /// What to do where there is no store yet.
  package enum Making: Hashable, Sendable {
    /// Make one.
    case ifMissing
    /// Refuse.
    case never
  }

  /// Looks at a journal before it is recovered.
  package typealias Survey =
    (Manifest, any ReadableFolder) throws(JournalError) -> (
      knownDurable: FrameNumber, checkingFrom: FrameNumber?
    )

  /// Opens a journal for writing, after recovering what an earlier writer left.
  ///
  /// - Parameters:
  ///   - disk: The disk the store is on.
  ///   - path: The store's folder.
  ///   - making: What to do where there is none.
  ///   - options: How the journal is kept.
  ///   - knownDurable: The newest frame a checkpoint stands on, where there is one: evidence that it was
  ///     durable.
  ///   - first: Sealed segments with frames from here on are read and checked too; without it only
  ///     their presence and length are.
  ///   - survey: Tells both of a journal that is there, once it is locked and before anything is changed; what
  ///     it throws is thrown, and nothing has been changed then.
  /// - Returns: the journal, and a report. Whoever has told what files that names calls `noteSavedFilesTold`.
  /// - Throws: `JournalError`. Where the journal is damaged, nothing has been changed.
  package static func open(
    on disk: any Disk, at path: String, making: Making = .ifMissing,
    options: JournalOptions = JournalOptions(), knownDurable: FrameNumber = .none,
    checkingFrom first: FrameNumber? = nil, survey: Survey? = nil
  ) throws(JournalError) -> (journal: Journal, report: RecoveryReport) {
    options.validate()
    let disk = FailStopDisk(disk)
    let place = try StorePlace(
      path, on: disk, making, allowsNetwork: options.allowsNetworkFileSystems,
      staysMarked: options.staysMarked)
    let storeLock = try StoreLock(in: place.folder, path: path)
    storeLock.name(disk.processNumber())
    var recovery = Recovery(disk: disk, folder: place.folder, options: options)
    let (appender, buffer): (FrameAppender, EditBuffer)
    switch try ManifestFile.read(in: place.folder) {
    case .manifest(let manifest):
      let (durable, unchecked) =
        try survey?(manifest, place.folder) ?? (knownDurable: knownDurable, checkingFrom: first)
      appender = try recovery.recover(manifest, knownDurable: durable, checkingFrom: unchecked)
      buffer = try onDisk { () throws(DiskError) in
        try recovery.replaceEditBuffer(
          of: manifest.store, durableThrough: appender.durableThrough)
      }
      // From here on it has a life of its own, and is no copy to be made anew.
      try onDisk { () throws(DiskError) in
        if !options.staysMarked, try place.folder.isMarked() { try place.folder.unmark() }
      }
    case .missing:
      if !(options.staysMarked && place.isMarked) { try place.refuseContent() }
      guard making == .ifMissing else { throw .storeMissing(path: path) }
      (appender, buffer) = try place.make(recovery)
    case .unreadable(let finding): throw JournalError(refusing: finding)
    }
    try recovery.findUntold()
    let journal = Journal(
      path: path, options: options, disk: disk, folder: place.folder, storeLock: storeLock,
      buffer: buffer, appender: appender)
    if options.hasUpkeepThread {
      try onDisk { () throws(DiskError) in try journal.startUpkeep() }
    }
    return (journal, recovery.report)
  }
}

/// The folder of a store.
struct StorePlace {
  let path: String
  let folder: any DiskFolder
  /// Whether a copy was begun here and not called whole.
  let isMarked: Bool

  /// - Parameters:
  ///   - staysMarked: whether a store may be made where nothing but the mark of a copy stands.
  ///   - copied: where a copy is to be made, the folders it has beside the journal's own.
  init(
    _ path: String, on disk: any Disk, _ making: Journal.Making, allowsNetwork: Bool,
    staysMarked: Bool = false, copying copied: [String]? = nil
  ) throws(JournalError) {
    self.path = path
    folder = try Self.folder(at: path, on: disk, making, allowsNetwork: allowsNetwork)
    if !allowsNetwork { try Self.refuseNetworkFileSystem(folder, path) }
    let names = try onDisk { [folder] () throws(DiskError) in try folder.names() }
    isMarked = names.contains(JournalFiles.copyMark)
    if isMarked, let copied {
      try Self.refuseAnythingElse(folder, names, copied, path)
      return
    }
    if names.contains(JournalFiles.manifest) || staysMarked && names == [JournalFiles.copyMark] {
      return
    }
    // What recovery kept belongs to a store that was here: a copy, which may be taken away again, goes elsewhere.
    let mayHold =
      copied == nil
      ? JournalFiles.leftovers : JournalFiles.leftovers.subtracting([JournalFiles.recoveredFolder])
    guard names.allSatisfy(mayHold.contains) else {
      if copied == nil, try folder.hasLostManifest() { throw .manifestLost }
      throw .notAStore(path: path)
    }
    // An empty folder stays empty where nothing is to be made.
    guard making == .ifMissing || !names.isEmpty else { throw .storeMissing(path: path) }
    // Nor is a lock's file left where nothing can be made.
    guard making == .never || Self.split(path).name != nil else {
      throw try folder.hasLostManifest() ? .manifestLost : .nameless(path: path)
    }
  }

  /// Opens a store's folder, and makes it where there is none. Who uses a store that is there needs no right to look
  /// into the folder that it is in.
  private static func folder(
    at path: String, on disk: any Disk, _ making: Journal.Making, allowsNetwork: Bool
  ) throws(JournalError) -> any DiskFolder {
    // The store's own folder may be a link; nothing within it may.
    func opened() throws(JournalError) -> any DiskFolder {
      try onDisk { () throws(DiskError) in try disk.folder(at: path) }
    }
    do throws(JournalError) {
      return try opened()
    } catch {
      guard case .disk(let cause) = error, cause.code == .notFound else { throw error }
      guard making == .ifMissing else { throw .storeMissing(path: path) }
      guard let name = split(path).name else { throw .nameless(path: path) }
      let parent = try parent(of: path, on: disk)
      if !allowsNetwork { try refuseNetworkFileSystem(parent, path) }
      do throws(DiskError) {
        try parent.makeFolder(name)
      } catch {
        // Somebody else may have made it just now.
        guard error.code == .exists else { throw .disk(error) }
      }
      return try opened()
    }
  }

  /// The folder that a store's folder is in.
  ///
  /// - Throws: where the path does not say which that is, too.
  static func parent(
    of path: String, on disk: any Disk
  ) throws(JournalError) -> any DiskFolder {
    let (parent, name) = split(path)
    guard name != nil else { throw .nameless(path: path) }
    return try onDisk { () throws(DiskError) in try disk.folder(at: parent) }
  }

  private static func split(_ path: String) -> (parent: String, name: String?) {
    var rest = Substring(path)
    while rest.count > 1, rest.hasSuffix("/") { rest.removeLast() }
    let name = rest.lastIndex(of: "/").map { rest[rest.index(after: $0)...] } ?? rest
    let parent = rest.dropLast(name.count)
    let isName = !name.isEmpty && name != "." && name != ".."
    return (parent.isEmpty ? "." : String(parent), isName ? String(name) : nil)
  }

  private static func refuseNetworkFileSystem(
    _ folder: any DiskFolder, _ path: String
  ) throws(JournalError) {
    let kind = try onDisk { () throws(DiskError) in try folder.fileSystem() }
    if let name = kind.networkName { throw .networkFileSystem(path: path, name: name) }
  }

  /// Makes the first segment, the edit buffer, and the manifest that makes it a store. Before the manifest is durable
  /// there is no store, and the next attempt begins anew.
  func make(
    _ recovery: Recovery
  ) throws(JournalError) -> (FrameAppender, EditBuffer) {
    let (disk, folder, options) = (recovery.disk, self.folder, recovery.options)
    let parent = try Self.parent(of: path, on: disk)
    let journalFolder = try onDisk { () throws(DiskError) in try makeJournalFolder() }
    return try onDisk { () throws(DiskError) in
      let store = StoreIdentity(high: try disk.randomNumber(), low: try disk.randomNumber())
      let header = SegmentHeader(
        store: store, salt: try disk.randomNumber(), number: SegmentNumber(1),
        firstFrame: FrameNumber(1), firstEdit: EditNumber(1), previousBodyCheck: 0,
        creationTime: disk.wallClock(), windowByteCount: UInt32(options.windowByteCount))
      let segment = try ActiveSegment(
        making: header, in: journalFolder, preallocatedByteCount: options.preallocatedByteCount)
      let buffer = try recovery.replaceEditBuffer(of: store, durableThrough: .none)
      try parent.sync()
      let manifest = Manifest(
        store: store, generation: 1, durableThrough: .none,
        segments: [Manifest.Segment(header)], attachments: [])
      try ManifestFile.replace(with: manifest, in: folder)
      let appender = FrameAppender(
        disk: disk, folder: folder, journalFolder: journalFolder, options: options,
        segment: segment, manifest: manifest, nextEdit: EditNumber(1), endsIdle: false)
      return (appender, buffer)
    }
  }

  /// The folder of the segments, which is made where there is none.
  func makeJournalFolder() throws(DiskError) -> any DiskFolder {
    if try folder.information(of: JournalFiles.journalFolder) == nil {
      try folder.makeFolder(JournalFiles.journalFolder)
    }
    return try folder.folder(JournalFiles.journalFolder)
  }

  /// A journal with frames or edits and without a manifest is damaged, not new; and where others have put something
  /// before the lock was held, nothing is made.
  func refuseContent() throws(JournalError) {
    switch try folder.remains() {
    case .ofStore: throw .manifestLost
    case .ofOthers: throw .notAStore(path: path)
    case .ofNothing: break
    }
  }
}
