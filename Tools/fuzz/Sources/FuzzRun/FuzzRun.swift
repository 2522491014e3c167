// Feeds runs to their reader; what it hands out must be in order, the same however it is asked for, and bounded.

internal import ByteCoding
internal import DiskAccess
internal import FuzzSupport
internal import Journaling
internal import ObjectModel
internal import ObjectStore

private let soundStore = StoreIdentity(high: 1, low: 2)

/// The first byte: bit 0, whether the bytes follow a header that is always sound; bit 1, whether the file
/// claims to be longer than it is; bit 2, whether the whole run is verified; the upper half, which of the rows are
/// looked up by themselves.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRun(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let content = input.has(0) ? soundHeader + input.bytes : input.bytes
  let reading = content.withUnsafeBytes { RunHeader.read($0) }
  guard case .header(let header) = reading else { return 0 }
  let announced = UInt64(content.count) + (input.has(1) ? 5000 : 0)
  let folder = MemoryFolder(["run": MemoryFile(content, name: "run", announcing: announced)])
  let cache = BlockCache(largestByteCount: 1 << 20)
  do throws(RunError) {
    let run = try Run("run", in: folder, store: header.store, cache: cache)
    expect(run.byteCount == announced, "a run is as long as its file")
    expect(run.deletedCount <= run.rowCount, "no more is deleted than there is")
    if input.has(2) { try run.verify() }
    try walk(run, Int(input.control >> 4) + 1)
  } catch {
    expect(!error.description.isEmpty, "an error has words")
    if case .disk = error { expect(false, "a file in memory gives no failure: \(error)") }
  }
  expect(cache.byteCount <= 1 << 20, "the cache stays within its bound")
  return 0
}

private let soundHeader: [UInt8] = RunHeader(store: soundStore, salt: 3).encoded().withBytes {
  Array($0)
}

/// Goes over the rows, and looks up every so many of them.
private func walk(_ run: Run, _ stride: Int) throws(RunError) {
  var (count, last) = (0, UInt64?.none)
  var failure: RunError?
  try run.forEach { object, stored in
    expect(last.map { $0 < object.rawValue } ?? true, "objects come in order")
    last = object.rawValue
    count += 1
    if count % stride == 0 {
      do throws(RunError) {
        expect(try run.stored(object)?.row == stored.row, "a row is the same, looked up or met")
      } catch {
        failure = error
      }
    }
    return failure == nil && count < 5_000
  }
  if let failure { throw failure }
  expect(count <= Int(clamping: run.rowCount), "no more rows come than the footer says")
}
