// Manifests written byte by byte as docs/format.md has them, consistent or not.

internal import ByteCoding
package import Journaling

/// A manifest in the making.
package struct ManifestBytes: Sendable {
  package struct Segment: Sendable {
    package var number: UInt64
    package var salt: UInt64 = 7
    package var firstFrame: UInt64
    /// Zeros in an active segment.
    package var lastFrame: UInt64 = 0
    package var lastBodyCheck: UInt64 = 0
    package var byteCount: UInt64 = 0

    package init(_ number: UInt64, from firstFrame: UInt64) {
      self.number = number
      self.firstFrame = firstFrame
    }

    package init(_ number: UInt64, _ frames: ClosedRange<UInt64>) {
      self.init(number, from: frames.lowerBound)
      lastFrame = frames.upperBound
      lastBodyCheck = frames.upperBound &* 0x9E37_79B9
      byteCount = 1000
    }
  }

  package struct Attachment: Sendable {
    package var kind: UInt8 = 1
    package var fileName: [UInt8]
    package var content: [UInt8] = []

    package init(_ fileName: String, _ content: [UInt8] = []) {
      self.fileName = Array(fileName.utf8)
      self.content = content
    }
  }

  package var name: [UInt8] = Array("XJ-MANIF".utf8)
  package var format: UInt16 = 1
  package var requiredFeatures: UInt32 = 0
  package var optionalFeatures: UInt32 = 0
  package var store = StoreIdentity(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)
  package var generation: UInt64 = 1
  package var durableThrough: UInt64 = 0
  package var segments: [Segment]
  package var attachments: [Attachment] = []
  /// Counts that are not those of the lists.
  package var claimedSegmentCount: UInt32?
  package var claimedAttachmentCount: UInt32?
  package var trailing: [UInt8] = []

  package init(_ segments: [Segment] = [Segment(1, from: 1)]) { self.segments = segments }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(name)
    writer.write(format)
    writer.write(UInt16(0))
    writer.write(requiredFeatures)
    writer.write(optionalFeatures)
    for field in [store.high, store.low, generation, durableThrough] { writer.write(field) }
    writer.write(claimedSegmentCount ?? UInt32(segments.count))
    writer.write(claimedAttachmentCount ?? UInt32(attachments.count))
    for segment in segments {
      for field in [
        segment.number, segment.salt, segment.firstFrame, segment.lastFrame,
        segment.lastBodyCheck, segment.byteCount,
      ] { writer.write(field) }
    }
    for attachment in attachments {
      writer.write([attachment.kind, UInt8(attachment.fileName.count)])
      writer.write(attachment.fileName)
      writer.write(UInt32(attachment.content.count))
      writer.write(attachment.content)
    }
    writer.write(trailing)
    writer.writeCheck(salt: 0)
    return writer.array
  }

  /// What the manifest's reader makes of it.
  package func read() -> Manifest.Reading {
    encoded().withUnsafeBytes { Manifest.read($0) }
  }
}
