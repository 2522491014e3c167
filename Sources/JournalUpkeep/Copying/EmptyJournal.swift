internal import JournalInspection
internal import Journaling

/// A journal that begins anew behind a frame, with one segment that has none yet.
struct EmptyJournal {
  let manifest: Manifest
  let header: SegmentHeader

  init(
    behind last: FrameNumber, _ nextEdit: EditNumber, as number: SegmentNumber,
    of store: StoreIdentity, _ attachments: [Manifest.Attachment], salt: UInt64
  ) throws(ToolError) {
    let segment = Manifest.Segment(number, salt: salt, firstFrame: last.next, nil)
    var header = SegmentHeader(of: segment, store)
    header.firstEdit = nextEdit
    guard header.isWithinLimits, var manifest = Manifest(of: store, naming: [segment]) else {
      throw ToolError(.damage, "no segment can follow frame \(last.rawValue).")
    }
    manifest.attachments = attachments
    (self.manifest, self.header) = (manifest, header)
  }
}
