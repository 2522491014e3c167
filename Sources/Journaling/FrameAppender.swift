internal import ByteCoding
internal import DiskAccess

/// Appends frames to the journal: seals them, keeps the window of unsynced bytes, begins new segments
/// and writes manifests. Only the thread that leads a write may use it.
final class FrameAppender {
  private let disk: any Disk
  private let folder: any DiskFolder
  let journalFolder: any DiskFolder
  let options: JournalOptions
  private(set) var segment: ActiveSegment
  var sealer = FrameSealer()
  private(set) var manifest: Manifest
  /// The last frame known to be durable.
  private(set) var durableThrough: FrameNumber
  /// The first edit that no frame holds.
  private(set) var nextEdit: EditNumber
  /// Whether the last frame is an idle marker.
  private(set) var endsIdle: Bool
  /// How often frames were synced, and how many bytes of them were appended; for measurements.
  private(set) var syncCount = 0
  private(set) var appendedByteCount = 0
  /// Told of every frame that has become durable, as soon as it has.
  var whenDurable: (FrameNumber) -> Void = { _ in }

  init(
    disk: any Disk, folder: any DiskFolder, journalFolder: any DiskFolder,
    options: JournalOptions, segment: ActiveSegment, manifest: Manifest, nextEdit: EditNumber,
    endsIdle: Bool
  ) {
    self.disk = disk
    self.folder = folder
    self.journalFolder = journalFolder
    self.options = options
    self.segment = segment
    self.manifest = manifest
    self.nextEdit = nextEdit
    self.endsIdle = endsIdle
    durableThrough = segment.lastFrame
  }

  var lastFrame: FrameNumber { segment.lastFrame }
  var activeSegmentByteCount: UInt64 { segment.end }
  var hasUnsyncedFrames: Bool { durableThrough < lastFrame }

  /// Appends one frame.
  ///
  /// - Throws: where the disk is full, and nothing of the frame stays; or another failure, after which
  ///   the journal must stop.
  func append(
    _ payload: UnsafeRawBufferPointer, _ kind: FrameKind
  ) throws(DiskError) -> FramePlace {
    let largest = Self.largestFrame(of: payload.count)
    let isFull = segment.end > UInt64(max(options.segmentByteCount, SegmentHeader.byteCount))
    let hasOtherWindow = segment.header.windowByteCount != UInt32(options.windowByteCount)
    if segment.sealing != nil || isFull || hasOtherWindow { try beginSegment() }
    if segment.unsyncedByteCount + largest > options.windowByteCount { try sync() }
    let number = segment.lastFrame.next
    let place = FrameSealer.Place(
      number: number, previousBodyCheck: segment.lastBodyCheck, durableThrough: durableThrough,
      salt: segment.header.salt)
    let bodyCheck = sealer.seal(payload, kind, at: place)
    let offset = segment.end
    try segment.append(sealer.unsafeBytes, number, bodyCheck: bodyCheck)
    appendedByteCount += sealer.unsafeBytes.count
    endsIdle = kind == .idleMarker
    return FramePlace(number: number, segment: segment.header.number, offset: offset)
  }

  /// Appends a batch, and counts its edits as sealed.
  func appendBatch(
    _ payload: UnsafeRawBufferPointer, nextEdit: EditNumber
  ) throws(DiskError) -> FramePlace {
    let place = try append(payload, .batch)
    self.nextEdit = nextEdit
    return place
  }

  static func largestFrame(of payloadByteCount: Int) -> Int {
    Seal.byteCount + LZ4Frame.largestByteCount(payloadByteCount: payloadByteCount)
  }

  /// Makes every frame durable.
  func sync() throws(DiskError) {
    guard hasUnsyncedFrames else { return }
    try segment.sync()
    syncCount += 1
    durableThrough = segment.lastFrame
    whenDurable(durableThrough)
  }

  /// Says on the disk that every frame so far is durable.
  func appendIdleMarker() throws(DiskError) {
    try sync()
    _ = try append(UnsafeRawBufferPointer(start: nil, count: 0), .idleMarker)
    try sync()
  }

  /// Replaces the manifest by one with other attachments, and without the sealed segments that have only
  /// frames before one.
  func replaceAttachments(
    _ attachments: [Manifest.Attachment], droppingBefore first: FrameNumber
  ) throws(DiskError) {
    var changed = manifest
    changed.attachments = attachments
    changed.segments.removeAll { $0.sealing.map { $0.lastFrame < first } ?? false }
    try replaceManifest(with: changed)
  }

  /// The files of segments before the first that the manifest names.
  func droppedSegments() throws(DiskError) -> [String] {
    try journalFolder.names().filter { name in
      SegmentNumber(fileName: name).map { $0 < manifest.segments[0].number } ?? false
    }
  }

  /// Seals the segment and begins the next one, unless the segment has no frames.
  func beginSegmentUnlessEmpty() throws(DiskError) {
    if segment.end > UInt64(SegmentHeader.byteCount) { try beginSegment() }
  }

  /// Seals the segment and begins the next one. Each step can be taken again after it has failed for
  /// want of room; the new segment takes frames only when a durable manifest names it.
  func beginSegment() throws(DiskError) {
    if segment.sealing == nil {
      try sync()
      try segment.finish(lastEdit: EditNumber(nextEdit.rawValue - 1))
    }
    let header = SegmentHeader(
      store: manifest.store, salt: try disk.randomNumber(), number: segment.header.number.next,
      firstFrame: segment.lastFrame.next, firstEdit: nextEdit,
      previousBodyCheck: segment.lastBodyCheck, creationTime: disk.wallClock(),
      windowByteCount: UInt32(options.windowByteCount))
    let next = try ActiveSegment(
      making: header, in: journalFolder, preallocatedByteCount: options.preallocatedByteCount)
    var changed = manifest
    changed.segments[changed.segments.count - 1].sealing = segment.sealing
    changed.segments.append(Manifest.Segment(header))
    try replaceManifest(with: changed)
    segment = next
  }

  private func replaceManifest(with changed: Manifest) throws(DiskError) {
    var changed = changed
    changed.generation = manifest.generation + 1
    changed.durableThrough = durableThrough
    try ManifestFile.replace(with: changed, in: folder)
    manifest = changed
  }
}

extension Manifest.Segment {
  /// An active segment as its header has it.
  package init(_ header: SegmentHeader) {
    number = header.number
    salt = header.salt
    firstFrame = header.firstFrame
    sealing = nil
  }
}

extension DiskError {
  /// Whether the journal may go on after this failure: nothing that matters is half done.
  ///
  /// A full disk leaves everything as it was, and so does a file that could not be opened. Not so a
  /// failed sync, a write or cut that failed midway, or a renaming of which nobody knows.
  var leavesJournalWhole: Bool {
    switch call {
    case .sync, .syncData, .syncFolder, .resize: false
    case .write, .append, .allocate, .rename: isOutOfSpace
    default: true
    }
  }
}
