// Feeds edit buffers to their reader; what it hands out must be within the file and in an unbroken order.

internal import DiskAccess
internal import FuzzSupport
internal import Journaling

/// The first byte: bit 0, whether the bytes are two slots and two halves behind a header that is always
/// sound; bit 1, whether half of the edits are refused; the upper half, the edit that is expected first.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEdits(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let content = input.has(0) ? withSoundHeader(input.bytes) : input.bytes
  let folder = MemoryFolder(JournalFiles.edits, content)
  let store = content.count < 32 ? StoreIdentity(high: 0, low: 0) : identity(of: content)
  do {
    var contents = try EditBufferContents(in: folder, store: store)
    let alone = try EditBufferContents.durableThrough(in: folder, store: store)
    if contents.findings.isEmpty {
      expect(alone ?? .none == contents.durableThrough, "both readers see the same slots")
    }
    walk(&contents, input, fileByteCount: content.count)
  } catch {
    expect(false, "a file in memory gives no failure: \(error)")
  }
  return 0
}

private func walk(_ contents: inout EditBufferContents, _ input: FuzzInput, fileByteCount: Int) {
  var (count, bytes) = (0, 0)
  contents.forEachUnsealedEdit(from: EditNumber(UInt64(input.control >> 4))) { edit, isSpan in
    expect(!edit.isEmpty, "an edit has bytes")
    count += 1
    bytes += edit.count + 8
    expect(bytes <= fileByteCount, "edits are within the file, each handed out once")
    expect(edit.reduce(0) { $0 &+ UInt64($1) } <= 255 * UInt64(edit.count), "bytes are bytes")
    return !(input.has(1) && count > 2)
  }
  expect(contents.findings.count <= 5, "each half and each hole is found once")
  for finding in contents.findings { expect(!finding.description.isEmpty, "a finding has words") }
}

private func identity(of content: [UInt8]) -> StoreIdentity {
  func integer(_ offset: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(content[offset + $1]) << (8 * UInt64($1)) }
  }
  return StoreIdentity(high: integer(16), low: integer(24))
}

/// A buffer whose header fits what is given of its slots and halves.
private func withSoundHeader(_ parts: [UInt8]) -> [UInt8] {
  let halfByteCount = max(32, max(0, parts.count - 32) / 2 & ~7)
  var file = [UInt8](repeating: 0, count: 4096 + 2 * halfByteCount)
  file.replaceSubrange(..<9, with: Array("XJ-EDITS".utf8) + [1])
  for index in 0..<4 {
    file[40 + index] = UInt8(truncatingIfNeeded: halfByteCount >> (8 * index))
  }
  let check = file.withUnsafeBytes {
    Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<56]), salt: 0)
  }
  for index in 0..<8 { file[56 + index] = UInt8(truncatingIfNeeded: check >> (8 * UInt64(index))) }
  for (index, byte) in parts.enumerated() {
    let offset = index < 16 ? 1024 + index : index < 32 ? 2048 + index - 16 : 4096 + index - 32
    if offset < file.count { file[offset] = byte }
  }
  return file
}
