internal import ByteCoding
internal import DiskAccess
internal import Journaling
internal import ObjectModel

/// The files of a store's checkpoints, in their folder. Only who holds the store's `checkpointing` lock uses it.
struct CheckpointFiles {
  let folder: any DiskFolder
  private let parent: any DiskFolder
  let store: StoreIdentity
  let cache: BlockCache
  private let runOptions: RunOptions
  /// The checkpoint that the manifest names; nil before the first.
  private(set) var current: (name: String, checkpoint: Checkpoint)?
  private var lastNumber: UInt64 = 0

  /// Finds the folder, or makes it.
  init(
    in parent: any DiskFolder, _ store: StoreIdentity, cache: BlockCache, runs: RunOptions
  ) throws(StoreError) {
    self.parent = parent
    self.store = store
    self.cache = cache
    runOptions = runs
    (folder, lastNumber) = try onDiskOfStore(missing: .snapshotsNoFolder) {
      () throws(DiskError) in
      if try parent.information(of: Checkpoint.folderName) == nil {
        try parent.makeFolder(Checkpoint.folderName)
        try parent.sync()
      }
      let folder = try parent.folder(Checkpoint.folderName)
      return (folder, try folder.names().compactMap { Checkpoint.fileNumber($0) }.max() ?? 0)
    }
  }

  /// Goes by the checkpoint that the manifest names.
  mutating func stand(on checkpoint: Checkpoint, name: String) { current = (name, checkpoint) }

  /// Writes a run of rows in order.
  ///
  /// - Parameter body: adds the rows.
  mutating func writeRun(
    salt: UInt64, _ body: (inout RunWriter) throws(StoreError) -> Void
  ) throws(StoreError) -> Run {
    let name = newName(Checkpoint.runExtension)
    let folder = folder
    var failure: StoreError?
    do throws(RunError) {
      var writer = try RunWriter(
        making: name, in: folder, store: store, salt: salt, options: runOptions)
      do throws(StoreError) {
        try body(&writer)
      } catch {
        failure = error
      }
      if failure == nil { _ = try writer.finish() }
    } catch {
      failure = StoreError(error)
    }
    if let failure { throw failure }
    return try onRun { () throws(RunError) in
      try Run(name, in: folder, store: store, cache: cache)
    }
  }

  /// Writes a checkpoint's file.
  ///
  /// - Returns: its name.
  mutating func write(_ checkpoint: Checkpoint) throws(StoreError) -> String {
    let name = newName(Checkpoint.checkpointExtension)
    let bytes = try checkpoint.encoded(store)
    try onDiskOfStore { () throws(DiskError) in
      let file = try folder.file(name, .new)
      try bytes.withBytes { (bytes) throws(DiskError) in try file.write(bytes, at: 0) }
      try file.sync()
      try folder.sync()
    }
    return name
  }

  /// The attachments that name a checkpoint and its runs, and those of newer code that a manifest has.
  static func attachments(
    _ checkpoint: Checkpoint, name: String, inPlaceOfThoseOf manifest: Manifest
  ) -> [Manifest.Attachment] {
    manifest.unknownAttachments
      + [Manifest.Attachment(kind: Checkpoint.checkpointKind, fileName: name, content: [])]
      + checkpoint.layers.flatMap(\.runs).map {
        Manifest.Attachment(kind: Checkpoint.runKind, fileName: $0.name, content: [])
      }
      + checkpoint.indexes.runs.map {
        Manifest.Attachment(kind: Checkpoint.indexRunKind, fileName: $0.name, content: [])
      }
  }

  /// Removes every file that no attachment names, and that is none of some others.
  ///
  /// - Throws: where one cannot be removed; the others are.
  func removeAll(
    notNamedBy attachments: [Manifest.Attachment], norAmong names: [String] = []
  ) throws(StoreError) {
    let named = Set(attachments.map(\.fileName) + names)
    try onDiskOfStore { () throws(DiskError) in
      var failure: DiskError?
      for name in try folder.names() where !named.contains(name) {
        do throws(DiskError) { try folder.remove(name) } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
    }
  }

  mutating func newName(_ fileExtension: String) -> String {
    lastNumber += 1
    return Checkpoint.fileName(lastNumber, fileExtension)
  }
}

extension Manifest.Attachment {
  /// Whether this code knows the kind.
  var isKnown: Bool { Checkpoint.knownKinds.contains(kind) }
}

extension Manifest {
  /// What newer code has attached. It stays, with its files.
  var unknownAttachments: [Attachment] { attachments.filter { !$0.isKnown } }

  /// The checkpoint that belongs to the store.
  var checkpointName: String? {
    attachments.first { $0.kind == Checkpoint.checkpointKind }?.fileName
  }
}

extension Checkpoint {
  /// Reads the checkpoint that a manifest names, if it names one.
  static func read(
    _ manifest: Manifest, in folder: any ReadableFolder
  ) throws(StoreError) -> (name: String, checkpoint: Checkpoint)? {
    guard let name = manifest.checkpointName else { return nil }
    var bytes = ByteWriter()
    try onDiskOfStore(missing: .checkpointDamaged(name)) { () throws(DiskError) in
      let file = try folder.folderForReading(folderName).fileForReading(name)
      let length = try file.information().byteCount
      // A file without end, or one that is mostly hole, is told by a look at both ends.
      guard try mayBeOne(file, length) else { return }
      let byteCount = Int(length)
      let target = UnsafeMutableRawBufferPointer(
        start: bytes.reserve(byteCount), count: byteCount)
      bytes.advance(by: try file.read(into: target, at: 0))
    }
    return try bytes.withBytes { (bytes) throws(StoreError) in
      (name, try Checkpoint(bytes, name, of: manifest.store))
    }
  }

  /// Whether a file may be a checkpoint: by its name for itself, and by the trailer of its property list, which says where
  /// everything before it ends.
  static func mayBeOne(
    _ file: any ReadableFile, _ length: UInt64
  ) throws(DiskError) -> Bool {
    let (head, trailer) = (headByteCount, 32)
    guard length >= UInt64(head + trailer + 8), length <= UInt64(largestByteCount) else {
      return false
    }
    let place = length - UInt64(trailer + 8)
    var bytes = ByteWriter(capacity: head + trailer)
    for (offset, count) in [(0, head), (place, trailer)] as [(UInt64, Int)] {
      let target = UnsafeMutableRawBufferPointer(start: bytes.reserve(count), count: count)
      bytes.advance(by: try file.read(into: target, at: offset))
    }
    return bytes.withBytes { bytes in
      func number<Integer: FixedWidthInteger>(at offset: Int, _: Integer.Type) -> Integer {
        bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self)
      }
      guard bytes.count == head + trailer, UInt64(littleEndian: number(at: 0, UInt64.self)) == name
      else { return false }
      guard UInt16(littleEndian: number(at: 8, UInt16.self)) == format else {
        return length <= UInt64(largestByteCountOfNewer)
      }
      let (count, start) = (
        UInt64(bigEndian: number(at: head + 8, UInt64.self)),
        UInt64(bigEndian: number(at: head + 24, UInt64.self))
      )
      let (table, overflows) = count.multipliedReportingOverflow(by: UInt64(bytes[head + 6]))
      let (end, isTooFar) = start.addingReportingOverflow(table)
      return !overflows && !isTooFar && end == place - UInt64(head)
    }
  }

  /// The state that the checkpoint stands for, before anything that came after.
  func fold(
    of store: StoreIdentity, in folder: any ReadableFolder, cache: BlockCache
  ) throws(StoreError) -> StoreFold {
    var opened: [Layer] = []
    var index = SnapshotIndex(unkept: catalogue.era?.indexing ?? Indexing())
    if !layers.isEmpty || !indexes.runs.isEmpty {
      let folder = try onDiskOfStore(
        missing: .runMissing((layers.flatMap(\.runs) + indexes.runs)[0].name)
      ) {
        () throws(DiskError) in try folder.folderForReading(Self.folderName)
      }
      for layer in layers {
        var runs: [Run] = []
        for named in layer.runs {
          do throws(RunError) {
            runs.append(try Run(named.name, in: folder, store: store, cache: cache))
          } catch {
            if case .disk(let cause) = error, cause.code == .notFound {
              throw .runMissing(named.name)
            }
            throw StoreError(error)
          }
          guard runs.last.map(NamedRun.init) == named else { throw .runReplaced(named.name) }
        }
        opened.append(Layer(era: layer.era, runs: runs))
      }
      index = try indexes.opened(index.indexing) { (name) throws(RunError) in
        try IndexRun(name, in: folder, store: store, cache: cache)
      }
    } else {
      index = SnapshotIndex(indexes, index.indexing, runs: [])
    }
    var fold = StoreFold(store.tag)
    fold.catalogue = catalogue
    fold.snapshot = Snapshot(
      of: number, time, eras: catalogue.eras, store: store.tag, layersBelow: opened, index)
    return fold
  }
}

/// Runs calls to the disk, whose failures are the store's.
func onDiskOfStore<Answer>(
  _ body: () throws(DiskError) -> Answer
) throws(StoreError) -> Answer {
  do throws(DiskError) { return try body() } catch { throw StoreError(ofDisk: error) }
}

/// The same of calls to files that should be there.
///
/// - Parameter missing: what is thrown where one is not, or something else stands in the place of its folder.
func onDiskOfStore<Answer>(
  missing: @autoclosure () -> StoreError, _ body: () throws(DiskError) -> Answer
) throws(StoreError) -> Answer {
  do throws(DiskError) {
    return try body()
  } catch {
    throw error.code == .notFound || error.meetsNoFolder ? missing() : StoreError(ofDisk: error)
  }
}

extension StoreError {
  fileprivate init(ofDisk error: DiskError) {
    self.init(error.isRefusal ? JournalError.stopped(cause: error) : .disk(error))
  }
}
