// Feeds bytes to the readers of events and commits; what they take must come back byte for byte.

internal import ByteCoding
internal import EventCoding
internal import FuzzSupport
internal import ObjectModel

private let store = StoreTag(rawValue: 1)

/// The first byte: bit 0, whether the bytes are a commit; for one, the upper half is the length of an edit
/// before it, which is the only one of its batch.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEvents(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  if input.has(0) {
    let editByteCount = min(Int(input.control >> 4), input.bytes.count)
    readCommit(
      Array(input.bytes.dropFirst(editByteCount)), edit: Array(input.bytes.prefix(editByteCount)))
  } else {
    readEvent(input.bytes)
  }
  return 0
}

private func readEvent(_ bytes: [UInt8]) {
  do {
    let event = try bytes.withUnsafeBytes { try EventDecoder(store: store).event($0) }
    let encoder = EventEncoder(store: store)
    expect(write(event) == bytes, "an event that was taken is written as it was")
    expect((try? encoder.byteCount(of: event)) == bytes.count, "its bytes are counted right")
    // Just as much memory as there must be, so that the sanitizer sees the first byte too many.
    let filled = [UInt8](unsafeUninitializedCapacity: bytes.count) { memory, count in
      encoder.write(
        event, into: UnsafeMutableRawBufferPointer(start: memory.baseAddress, count: bytes.count))
      count = bytes.count
    }
    expect(filled == bytes, "it fills memory as it was")
  } catch {
    check(error, within: bytes.count)
  }
}

private func write(_ event: Event) -> [UInt8]? {
  var writer = ByteWriter()
  guard (try? EventEncoder(store: store).append(event, to: &writer)) != nil else { return nil }
  return writer.withBytes { Array($0) }
}

private func readCommit(_ bytes: [UInt8], edit: [UInt8]) {
  edit.withUnsafeBytes { edit in
    var namedCount = 0
    do {
      let commit = try bytes.withUnsafeBytes { bytes in
        try EventDecoder(store: store).commit(bytes) { position in
          namedCount += 1
          return position == 0 ? edit : nil
        }
      }
      let objects = commit.content.changes.map(\.object)
      expect(zip(objects, objects.dropFirst()).allSatisfy { $0 < $1 }, "objects are in order")
      // An edit sets one value, and no commit has two for one key.
      expect(namedCount <= 1, "an edit names one value")
      let named = namedCount == 0 ? nil : valueSet(edit)
      var writer = ByteWriter()
      do {
        try CommitEncoder(store: store).append(commit.content, fields: commit.fields, to: &writer) {
          object, key, _ in
          named.map { $0.object == object && $0.key == key } == true ? 0 : nil
        }
      } catch {
        expect(false, "a commit that was taken can be written: \(error)")
      }
      expect(writer.withBytes { Array($0) } == bytes, "a commit is written as it was")
    } catch {
      check(error, within: bytes.count)
    }
  }
}

private func valueSet(_ bytes: UnsafeRawBufferPointer) -> (object: ObjectID, key: KeyNumber)? {
  switch try? EventDecoder(store: store).event(bytes) {
  case .edited(_, .set(let object, let key, _)), .edited(_, .setPrimitive(let object, let key, _)):
    (object, key)
  default: nil
  }
}

private func check(_ error: any Error, within byteCount: Int) {
  guard let error = error as? EventCodingError else {
    expect(false, "nothing else is thrown: \(error)")
    return
  }
  expect((0...byteCount).contains(error.offset), "an error is within the bytes")
  expect(!error.description.isEmpty, "an error has words")
}
