internal import ByteCoding
internal import DiskAccess
internal import Journaling

/// Writes what runs of rows and of index entries have in common: header, sealed frames that name each other,
/// an index of them, footer.
struct SealedFileWriter: ~Copyable {
  private let file: any DiskFile
  private let salt: UInt64
  var sealer = FrameSealer()
  private(set) var offset = UInt64(RunHeader.byteCount)
  private(set) var frameCount = 0
  private var previousBodyCheck: UInt64 = 0
  private var unsyncedByteCount = 0

  private static let syncedByteCount = 8 << 20

  /// Makes the file, which must not be there.
  init(making name: String, in folder: any DiskFolder, _ header: RunHeader) throws(RunError) {
    let file = try onDisk { () throws(DiskError) in
      let file = try folder.file(name, .new)
      let bytes = header.encoded()
      try bytes.withBytes { bytes throws(DiskError) in try file.write(bytes, at: 0) }
      return file
    }
    self.init(file, salt: header.salt)
  }

  private init(_ file: any DiskFile, salt: UInt64) { (self.file, self.salt) = (file, salt) }

  /// Where the next frame stands. All that comes before it is taken for synced: a run is there as a whole, or
  /// not at all.
  private var place: FrameSealer.Place {
    FrameSealer.Place(
      number: FrameNumber(UInt64(frameCount) + 1), previousBodyCheck: previousBodyCheck,
      durableThrough: FrameNumber(UInt64(frameCount)), salt: salt)
  }

  /// Writes a frame, whose LZ4 frame a closure writes.
  ///
  /// - Returns: its length, with its seal.
  mutating func append(
    _ kind: FrameKind, payloadByteCount: Int,
    _ write: (borrowing LZ4FrameWriter, inout ByteWriter) -> Void
  ) throws(RunError) -> UInt32 {
    previousBodyCheck = sealer.seal(
      kind, payloadByteCount: payloadByteCount, at: place, write)
    let sealed = sealer.unsafeBytes
    let (file, offset) = (file, offset)
    try onDisk { () throws(DiskError) in try file.write(sealed, at: offset) }
    self.offset += UInt64(sealed.count)
    frameCount += 1
    let byteCount = sealed.count
    try syncPiece(of: byteCount)
    return UInt32(byteCount)
  }

  /// Syncs what has been written, some megabytes at a time: whoever syncs another file would wait for all of
  /// it at the end.
  private mutating func syncPiece(of byteCount: Int) throws(RunError) {
    unsyncedByteCount += byteCount
    guard unsyncedByteCount >= Self.syncedByteCount else { return }
    unsyncedByteCount = 0
    let file = file
    try onDisk { () throws(DiskError) in try file.syncData() }
  }

  /// Writes the index and the footer, syncs the file and closes it. The folder is for the caller to sync.
  ///
  /// - Returns: the length of the file.
  mutating func finish(
    index: UnsafeRawBufferPointer, _ kind: FrameKind, rowCount: UInt64, deletedCount: UInt64
  ) throws(RunError) -> UInt64 {
    let check = sealer.seal(index, kind, at: place)
    let sealed = sealer.unsafeBytes
    let footer = RunFooter(
      rowCount: rowCount, deletedCount: deletedCount, blockCount: UInt64(frameCount),
      indexOffset: offset, indexByteCount: UInt64(sealed.count), indexCheck: check
    ).encoded(salt: salt)
    let (file, offset) = (file, offset)
    let end = offset + UInt64(sealed.count)
    try onDisk { () throws(DiskError) in
      try file.write(sealed, at: offset)
      try file.write(footer.unsafeBytes, at: end)
      try file.sync()
      try file.close()
    }
    extendLifetime(footer)
    return end + UInt64(RunFooter.byteCount)
  }
}
