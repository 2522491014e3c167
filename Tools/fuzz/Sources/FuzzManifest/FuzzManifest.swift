// Feeds bytes to the reader of manifests; what it takes must be consistent and come back as it is.

internal import ByteCoding
internal import FuzzSupport
internal import Journaling

/// The first byte is not used.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let reading = input.bytes.withUnsafeBytes { Manifest.read($0) }
  guard case .manifest(let manifest) = reading else { return 0 }
  check(manifest)
  let encoded = manifest.encoded()
  expect(encoded.byteCount == input.bytes.count, "a manifest is as long as what it was read from")
  guard case .manifest(let again) = encoded.withBytes({ Manifest.read($0) }) else {
    expect(false, "a manifest that was taken is taken again")
    return 0
  }
  expect(again == manifest, "a manifest comes back as it was")
  return 0
}

private func check(_ manifest: Manifest) {
  expect(manifest.segments.last.map { $0.sealing == nil } == true, "the last segment is active")
  for (segment, next) in zip(manifest.segments, manifest.segments.dropFirst()) {
    expect(next.number == segment.number.next, "segments follow one another")
    expect(segment.sealing != nil, "all segments but the last are sealed")
    expect(next.firstFrame == segment.sealing?.lastFrame.next, "frames follow one another")
  }
  for attachment in manifest.attachments {
    expect(JournalFiles.isAllowed(attachment.fileName), "a file's name stays in the store")
    expect(!attachment.fileName.contains("/"), "a file's name is no path")
  }
}
