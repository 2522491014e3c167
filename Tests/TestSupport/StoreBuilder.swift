// A whole store put together byte by byte, with any fault in any of its files.

package import DiskSimulation
internal import Journaling

/// A store in the making: segments, of which all but the last are sealed, a manifest and an edit buffer.
package struct StoreBuilder {
  package var segments: [SegmentBuilder]
  package var manifest: ManifestBytes
  package var edits: EditBufferBytes? = EditBufferBytes()

  /// A store whose segments are given without their footers.
  package init(_ segments: [SegmentBuilder]) {
    self.segments = segments
    manifest = ManifestBytes()
    manifest.segments = []
    for index in segments.indices {
      let segment = segments[index]
      var entry = ManifestBytes.Segment(segment.header.number, from: segment.header.firstFrame)
      entry.salt = segment.header.salt
      if index < segments.count - 1 {
        self.segments[index].addFooter()
        entry.lastFrame = segment.nextNumber - 1
        entry.lastBodyCheck = segment.lastBodyCheck
        entry.byteCount = UInt64(segment.bytes.count + 48)
      }
      manifest.segments.append(entry)
    }
  }

  /// One active segment with frames of these payloads.
  package init(payloads: [[UInt8]]) { self.init([SegmentBuilder(payloads)]) }

  /// The header of the segment after another.
  package static func header(after segment: SegmentBuilder) -> SegmentHeaderBytes {
    var header = SegmentHeaderBytes()
    header.number = segment.header.number + 1
    header.salt = segment.header.salt + 1
    header.firstFrame = segment.nextNumber
    header.previousBodyCheck = segment.lastBodyCheck
    return header
  }

  package func path(_ segment: Int) -> String {
    "store/journal/" + SegmentNumber(segments[segment].header.number).fileName
  }

  /// Puts the store on a new disk.
  package func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    try disk.makeFolders("store/journal")
    try disk.setContents("store/MANIFEST", manifest.encoded())
    for index in segments.indices { try disk.setContents(path(index), segments[index].bytes) }
    if let edits { try disk.setContents("store/edits", edits.encoded()) }
    return disk
  }
}
