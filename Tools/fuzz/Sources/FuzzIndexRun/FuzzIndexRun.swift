// Feeds index runs to their reader; what it hands out must be in order, and the same however it is asked for. Then a
// store has one among its own.

internal import DiskAccess
internal import FuzzSupport
internal import Journaling
internal import ObjectStore

/// The first byte: bit 0, whether the bytes follow a header that is always sound; bit 1, whether the file claims to be
/// longer than it is; bit 2, whether the whole run is verified; bit 3, whether a store reads it in the place of one of its
/// own, and bit 4, whether one writes it, too; bit 5, in the place of which; the upper two bits, how many bounds there are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIndexRun(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  do {
    let store = try HostileStore.shared.get()
    let content = input.has(0) ? store.header + input.bytes : input.bytes
    guard readsAlone(content, input) else { return 0 }
    if input.has(3) {
      try store.use(content, inPlaceOf: input.has(5) ? 1 : 0, writing: input.has(4))
    }
  } catch {
    expect(false, "a store in memory gives no failure: \(error)")
  }
  return 0
}

/// Reads a run by itself.
///
/// - Returns: whether it could be opened.
private func readsAlone(_ content: [UInt8], _ input: FuzzInput) -> Bool {
  let reading = content.withUnsafeBytes { RunHeader.read($0, .indexEntries) }
  guard case .header(let header) = reading else { return false }
  let announced = UInt64(content.count) + (input.has(1) ? 5000 : 0)
  let folder = MemoryFolder(["run": MemoryFile(content, name: "run", announcing: announced)])
  let cache = BlockCache(largestByteCount: 1 << 16)
  var run: IndexRun?
  isDone { () throws(RunError) in
    run = try IndexRun("run", in: folder, store: header.store, cache: cache)
  }
  guard let run else { return false }
  expect(run.removedCount <= run.entryCount, "no more is removed than there is")
  let isSound = input.has(2) && isDone { () throws(RunError) in try run.verify() }
  walk(run, isSound: isSound, boundCount: Int(input.control >> 6) + 1)
  expect(cache.byteCount <= 1 << 16, "the cache stays within its bound")
  return true
}

/// Does something that may meet damage.
@discardableResult
private func isDone(_ body: () throws(RunError) -> Void) -> Bool {
  do throws(RunError) {
    try body()
    return true
  } catch {
    expect(!error.description.isEmpty, "an error has words")
    if case .disk = error { expect(false, "a file in memory gives no failure: \(error)") }
    return false
  }
}

/// Goes over the first blocks, and then backwards over what lies between some of their entries.
private func walk(_ run: IndexRun, isSound: Bool, boundCount: Int) {
  let blocks = 0..<min(run.blockCount, 24)
  var entries: [ContiguousArray<IndexEntry>?] = []
  for block in blocks {
    entries.append(load(run, block, from: .least, before: .greatest))
    expect(!isSound || entries[block] != nil, "what was verified can be read")
  }
  let all = ContiguousArray(entries.compactMap(\.self).joined())
  expect(isAscending(all), "entries come in order")
  if isSound, blocks.count == run.blockCount {
    expect(UInt64(all.count) == run.entryCount, "as many entries come as the footer says")
  }
  let step = max(1, all.count / boundCount)
  let inner = stride(from: 0, to: all.count, by: step).map { all[$0] }
  let bounds = [.least] + inner + [.greatest]
  for block in blocks.reversed() {
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      let part = load(run, block, from: start, before: end)
      guard let whole = entries[block] else { continue }
      let expected = ContiguousArray(whole.filter { !($0 < start) && $0 < end })
      expect(part == expected, "a part is what lies between its bounds")
    }
    if let first = inner.first, let last = inner.last {
      let none = load(run, block, from: last, before: first)
      expect(none?.isEmpty ?? true, "between bounds that are the wrong way round lies nothing")
    }
  }
}

private func load(
  _ run: IndexRun, _ block: Int, from start: IndexEntry, before end: IndexEntry
) -> ContiguousArray<IndexEntry>? {
  var entries: ContiguousArray<IndexEntry> = []
  let isLoaded = isDone { () throws(RunError) in
    entries = try run.entries(ofBlock: block, from: start, before: end)
  }
  return isLoaded ? entries : nil
}

private func isAscending(_ entries: ContiguousArray<IndexEntry>) -> Bool {
  zip(entries, entries.dropFirst()).allSatisfy { $0 < $1 }
}
