// Feeds bytes to the reader of checkpoints; what it takes must be written as what is taken again.

internal import ByteCoding
internal import FuzzSupport
internal import Journaling
internal import ObjectStore

/// The first byte: bit 0, whether the bytes follow a head that is always sound.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCheckpoint(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let content = input.has(0) ? soundHead + input.bytes : input.bytes
  let store = identity(of: content)
  do throws(StoreError) {
    let checkpoint = try read(content, store)
    let written = try checkpoint.encoded(store).withBytes { Array($0) }
    let again = try read(written, store).encoded(store).withBytes { Array($0) }
    expect(again == written, "a checkpoint that was taken is written the same twice")
  } catch {
    expect(!error.description.isEmpty, "an error has words")
  }
  return 0
}

private func read(_ bytes: [UInt8], _ store: StoreIdentity) throws(StoreError) -> Checkpoint {
  let result = bytes.withUnsafeBytes { bytes in
    Result { () throws(StoreError) in try Checkpoint(bytes, "fuzzed", of: store) }
  }
  return try result.get()
}

/// The head of a checkpoint of the store 0, 0.
private let soundHead: [UInt8] = Array("XJ-CHECK".utf8) + [1] + [UInt8](repeating: 0, count: 27)

/// The store that the bytes say they are of.
private func identity(of bytes: [UInt8]) -> StoreIdentity {
  guard bytes.count >= 36 else { return StoreIdentity(high: 0, low: 0) }
  func integer(_ offset: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
  }
  return StoreIdentity(high: integer(20), low: integer(28))
}
