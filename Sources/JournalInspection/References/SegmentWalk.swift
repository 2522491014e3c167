internal import DiskAccess
package import Journaling
internal import ObjectStore

/// The segments of a journal as they lie on the disk, for whoever looks at frames and not at what they mean.
struct SegmentWalk {
  let manifest: Manifest
  private let folder: any ReadableFolder

  init(_ request: Request) throws(ToolError) {
    let path = try request.path()
    try request.refuseNoFolder(path)
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(at: path, on: request.disk)
    }
    (manifest, folder) = (reader.manifest, reader.folder)
  }

  /// The file of a segment.
  func file(of segment: Manifest.Segment) throws(ToolError) -> any ReadableFile {
    do throws(DiskError) {
      return try folder.folderForReading(JournalFiles.journalFolder)
        .fileForReading(segment.number.fileName)
    } catch {
      throw error.code == .notFound
        ? ToolError(.damage, "the segment \(segment.number.fileName) is missing.")
        : ToolError(error)
    }
  }

  /// Bytes of a file, fewer where it ends before.
  static func bytes(
    of file: any ReadableFile, at offset: UInt64, _ count: Int
  ) throws(ToolError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read: Result<Int, DiskError> = bytes.withUnsafeMutableBytes { buffer in
      do throws(DiskError) {
        return .success(try file.read(into: buffer, at: offset))
      } catch {
        return .failure(error)
      }
    }
    switch read {
    case .success(let length): return Array(bytes.prefix(length))
    case .failure(let error): throw ToolError(error)
    }
  }

  static func byteCount(of file: any ReadableFile) throws(ToolError) -> UInt64 {
    do throws(DiskError) {
      return try file.information().byteCount
    } catch {
      throw ToolError(error)
    }
  }

  func header(of segment: Manifest.Segment) throws(ToolError) -> SegmentHeader {
    let file = try file(of: segment)
    let bytes = try Self.bytes(of: file, at: 0, SegmentHeader.byteCount)
    switch bytes.withUnsafeBytes({ SegmentHeader.read($0) }) {
    case .header(let header): return header
    case .damaged: throw ToolError(.damage, "the header of \(segment.number.fileName) is damaged.")
    case .newer(let format, _):
      throw ToolError(
        .newerFormat,
        "\(segment.number.fileName) has format \(format), which is newer than this tool.")
    }
  }

  /// Calls a closure with each frame of a segment, and says what stands behind the last: nil for its end.
  ///
  /// - Parameter body: returns whether to go on.
  func forEachFrame(
    of segment: Manifest.Segment, _ body: (SegmentHeader, SealedFrame) -> Bool
  ) throws(ToolError) -> Finding? {
    let file = try file(of: segment)
    let header = try header(of: segment)
    return try onJournal { () throws(JournalError) in
      var scanner = try FrameScanner(file, header)
      while true {
        switch try scanner.next() {
        case .frame(let frame): guard body(header, frame) else { return nil }
        case .finding(let finding): return finding
        case .endOfFile, .zeros, .footer: return nil
        }
      }
    }
  }
}

extension ToolError {
  /// What stands where a walk over frames came to its end: damage, or the work of newer code.
  package init(_ finding: Finding) {
    guard finding.kind.isOfNewerCode else {
      self.init(.damage, "the journal is damaged in \(finding).")
      return
    }
    self.init(StoreError(JournalError(refusing: finding)))
  }
}
