// Writes the inputs that the fuzzers begin with: the files of a small journal, as its writer makes them.

internal import ByteCoding
internal import DiskAccess
internal import FoundationEssentials
internal import Glibc
internal import Journaling
internal import ObjectModel
internal import PropertyListCoding

/// Called once before all inputs. Where XJ_FUZZ_SEEDS names a folder, the seeds are written there and the
/// process ends.
@_cdecl("LLVMFuzzerInitialize")
public func writeSeedsWhereAsked(_ count: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?)
  -> Int32
{
  guard let path = getenv("XJ_FUZZ_SEEDS") else { return 0 }
  do {
    try Seeds(String(cString: path)).write()
    exit(0)
  } catch {
    print("the seeds could not be written: \(error)")
    exit(1)
  }
}

private struct Seeds {
  private let disk = PosixDisk()
  private let path: String

  init(_ path: String) { self.path = path }

  func write() throws {
    try makeJournal()
    let store = try disk.folderForReading(at: path + "/seed.xjournal")
    let folder = try disk.folder(at: path)
    let fuzzers = [
      "FuzzFrames", "FuzzPieces", "FuzzManifest", "FuzzEdits", "FuzzOpening", "FuzzHistory",
      "FuzzPropertyList", "FuzzEvents", "FuzzRun", "FuzzIndexRun", "FuzzCheckpoint", "FuzzQuery",
      "FuzzPatch",
    ]
    for name in fuzzers {
      try folder.makeFolder(name)
    }
    for (index, seed) in try EventSeeds.all().enumerated() {
      try put(seed, "seed-\(index)", in: folder.folder("FuzzEvents"))
    }
    try put([0] + bytes("MANIFEST", in: store), "manifest", in: folder.folder("FuzzManifest"))
    let edits = try bytes("edits", in: store)
    try put([0] + edits, "whole", in: folder.folder("FuzzEdits"))
    // The slots and the halves alone, for a header that is always sound.
    let parts = edits[1024..<1040] + edits[2048..<2064] + edits[4096...]
    try put([1] + parts, "parts", in: folder.folder("FuzzEdits"))
    try put([1] + edits.dropFirst(64), "edits", in: folder.folder("FuzzOpening"))
    try put([3] + bytes("MANIFEST", in: store), "manifest", in: folder.folder("FuzzOpening"))
    let segments = try store.folderForReading("journal")
    for name in try segments.names() {
      let segment = try bytes(name, in: segments)
      let frames = try folder.folder("FuzzFrames")
      try put([0] + segment, "whole-" + name, in: frames)
      try put([1] + segment.dropFirst(128), "frames-" + name, in: frames)
      if name == SegmentNumber(2).fileName {
        try put([0] + segment.dropFirst(128), "frames", in: folder.folder("FuzzOpening"))
      }
      if name == SegmentNumber(1).fileName {
        for control: UInt8 in [0, 1] {
          try put(
            [control] + segment.dropFirst(128), "pieces-\(control)", in: folder.folder("FuzzPieces")
          )
        }
        try put([0] + lastNumbers(segment), "numbers-" + name, in: frames)
      }
    }
    try putLists(in: folder.folder("FuzzPropertyList"))
    try putQueries(in: folder.folder("FuzzQuery"))
    try putPatches(in: folder.folder("FuzzPatch"))
    try StoreSeeds.make(on: disk, at: path + "/snapshots.xjournal")
    try putSnapshots(of: "snapshots", in: folder)
    try IndexedStore.make(on: disk, at: path + "/indexes.xjournal")
    try putSnapshots(of: "indexes", in: folder)
    try putHistories(in: folder.folder("FuzzHistory"))
  }

  /// Queries and a filter with all that the language has.
  private func putQueries(in folder: any DiskFolder) throws {
    let query =
      "Post where ANY comments (likes ?? -1 >= 3.5 AND NOT `a b`.@count IN[cd] {[1], set(null)})"
      + " OR x LIKE 'a\\u{e9}*' sort -blog.title[c] limit 3 offset 2"
    try put([1] + query.utf8, "query", in: folder)
    let filter =
      "due BETWEEN {2026-11-21T10:30:00Z, date(3)} || price * 2 == decimal('1.5') && flag"
    try put([0] + filter.utf8, "filter", in: folder)
  }

  /// A document with all that JSON has, a patch, and the two kinds of patches of others.
  private func putPatches(in folder: any DiskFolder) throws {
    let document =
      #"{"a":[null,true,-0.5e+3,"\u00e9\ud83d\ude39\n"],"b/~":{},"c":12345678901234567890}"#
    try put([0] + document.utf8, "document", in: folder)
    let patch =
      #"{"patch":1,"objects":[{"entity":"Post","id":{"guid":"0F8FAD5B-D9CB-469F-A165-70867728950E"},"#
      + #""old":{"date":null},"new":{"date":"2026-11-21T10:30:00.25Z","mood":{"$data":"AAE="},"#
      + #""tags":["a",{"$set":[1]}]},"types":{"date":"date","tags":"set"},"relationships":{"author":"#
      + #"{"kind":"toOne","added":[{"entity":"Person","id":{"name":"ann"}}],"patches":[{"entity":"#
      + #""Person","id":"xjournal://0123456789abcdef/0/3/17","new":{}}]}}}]}"#
    try put([1] + patch.utf8, "patch", in: folder)
    let applied =
      #"{"patch":1,"objects":[{"entity":"Post","id":{"guid":"0F8FAD5B-D9CB-469F-A165-70867728950E"},"#
      + #""old":{"likes":0},"new":{"likes":3,"mood":1},"relationships":{"readers":{"removed":["#
      + #"{"entity":"Person","id":{"name":"ann"}}],"added":[{"entity":"Person","id":{"name":"eve"}}],"#
      + #""patches":[{"entity":"Person","id":{"name":"eve"},"new":{"name":"eve"}}]},"pages":{"added":"#
      + #"[{"entity":"Post","id":{"guid":"0F8FAD5B-D9CB-469F-A165-70867728950F"},"position":0}]}}},"#
      + #"{"entity":"Person","id":{"name":"bob"},"old":{"name":"bob"}}]}"#
    try put([4] + applied.utf8, "applied", in: folder)
    let operations =
      #"[{"a":[1,{"b":2}]},[{"op":"test","path":"/a/0","value":1.0},{"op":"move","from":"/a/1/b","#
      + #""path":"/c"},{"op":"copy","from":"/a","path":"/a/-"},{"op":"add","path":"/x~1y","value":[]},"#
      + #"{"op":"replace","path":"/a/0","value":null},{"op":"remove","path":"/c"}]]"#
    try put([2] + operations.utf8, "operations", in: folder)
    let guid = "0F8FAD5B-D9CB-469F-A165-70867728950E"
    let onGraph =
      #"[{"op":"test","path":"/Post/\#(guid)/likes","value":0},{"op":"replace","path":"/Post/\#(guid)/author","#
      + #""value":"/Person/bob"},{"op":"add","path":"/Post/\#(guid)/pages/0","value":"/Post/\#(guid)"},"#
      + #"{"op":"add","path":"/Person/eve","value":{"read":{"/Post/\#(guid)":true}}},"#
      + #"{"op":"remove","path":"/Person/ann"}]"#
    try put([6] + onGraph.utf8, "operations of a graph", in: folder)
    let intoGraph =
      #"{"Post":{"\#(guid)":{"likes":3,"author":"/Person/eve","mood":"sunny","readers":null}},"#
      + #""Person":{"eve":{"name":"eve"},"bob":null}}"#
    try put([7] + intoGraph.utf8, "merge of a graph", in: folder)
    let merge = #"[{"a":{"b":1,"c":[2]}},{"a":{"b":null,"c":{"d":3}},"e":4}]"#
    try put([3] + merge.utf8, "merge", in: folder)
  }

  /// The runs and the checkpoint of a store, whole and without what is always sound.
  private func putSnapshots(of store: String, in folder: any DiskFolder) throws {
    let snapshots = try disk.folderForReading(at: path + "/\(store).xjournal/snapshots")
    for name in try snapshots.names() {
      let bytes = try bytes(name, in: snapshots)
      let isCheckpoint = name.hasSuffix(".xc")
      let isIndexRun = name.hasSuffix(".xi")
      let target = try folder.folder(
        isCheckpoint ? "FuzzCheckpoint" : isIndexRun ? "FuzzIndexRun" : "FuzzRun")
      try put([isCheckpoint ? 0 : 4] + bytes, "whole-\(store)-\(name)", in: target)
      let parts = bytes.dropFirst(isCheckpoint ? 36 : 80)
      try put([isCheckpoint ? 1 : 5] + parts, "parts-\(store)-\(name)", in: target)
      // A store reads it, or writes it as well, in the place of one of its two.
      for control: UInt8 in isIndexRun ? [0b0000_1101, 0b0001_1101, 0b0011_1101] : [] {
        try put([control] + parts, "store-\(control)-\(name)", in: target)
      }
    }
  }

  /// What stores say from their beginning on, and what one says that goes on.
  private func putHistories(in folder: any DiskFolder) throws {
    func history(of store: String, from first: FrameNumber) throws -> [UInt8] {
      let journal = try JournalReader(at: path + "/\(store).xjournal", on: disk)
      return try HistoryInput.bytes(of: journal, from: first)
    }
    for store in ["snapshots", "indexes"] {
      let whole = try history(of: store, from: FrameNumber(1))
      for control: UInt8 in [0, 2] { try put([control] + whole, "\(store)-\(control)", in: folder) }
    }
    let indexes = path + "/indexes.xjournal"
    let first = try JournalReader(at: indexes, on: disk).forEachFrame { _ in true }.next
    try IndexedStore.goOn(on: disk, at: indexes)
    let later = try history(of: "indexes", from: first)
    for control: UInt8 in [1, 3] { try put([control] + later, "later-\(control)", in: folder) }
  }

  /// Property lists with every kind of value.
  private func putLists(in folder: any DiskFolder) throws {
    let id = ObjectID(rawValue: 5, store: StoreTag(rawValue: 6))
    let values: [Value] = [
      [
        "title": "é", "count": 300, "size": -1.5, "rows": [["a": 1], ["a": 2]],
        "long": .array(
          (0..<20).map { .integer($0 * 70_000) }),
      ],
      [nil, true, .counter(3), .decimal(-12.5), .reference(id), .set([1, "b", [2]])],
      ["url": .url(URL(filePath: "/a")), "uuid": .uuid(UUID()), "date": .date(Date())],
      .data(Data(noise(300))),
    ]
    for (index, value) in values.enumerated() {
      try put([10] + PropertyListWriter.encode(value), "list-\(index)", in: folder)
    }
  }

  /// A journal of several segments, with edits, commits, pieces, markers and an attachment, and with edits
  /// that no frame holds.
  private func makeJournal() throws {
    var options = JournalOptions()
    options.segmentByteCount = 4 << 10
    options.halfByteCount = 512
    options.windowByteCount = 16 << 10
    options.preallocatedByteCount = 512
    options.hasUpkeepThread = false
    let path = path + "/seed.xjournal"
    let (journal, _) = try Journal.open(on: disk, at: path, options: options)
    for round in 1...6 {
      for length in [3, 40, 200 * round] {
        try append(noise(length, compresses: round % 3 != 1), to: journal)
      }
      let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { _, writer in
        writer.write(noise(500 * round, compresses: round % 3 != 1))
      }
      _ = try journal.wait(for: ticket, until: .synced)
      if round % 2 == 0 { try journal.beginSegment() }
    }
    try journal.replaceAttachments([
      Manifest.Attachment(kind: 1, fileName: "run-1", content: [1, 2, 3])
    ])
    for length in 1...9 { try append(noise(length), to: journal) }
    // The process ends as if it were killed: the buffer keeps the last edits.
    _ = Unmanaged.passRetained(journal)
  }

  /// The header, the first frame and the footer of a sealed segment, all with the largest numbers.
  private func lastNumbers(_ segment: [UInt8]) -> [UInt8] {
    let byteCount = 48 + Int(segment[160]) + Int(segment[161]) << 8
    var bytes = segment[..<(128 + byteCount)] + segment.suffix(48)
    let footer = bytes.count - 48
    let largest = [UInt8](repeating: 0xFF, count: 8)
    for offset in [71, 128 + 8, footer + 16] {
      bytes.replaceSubrange(offset..<offset + 8, with: largest)
    }
    bytes.replaceSubrange(footer + 8..<footer + 16, with: [1, 0, 0, 0, 0, 0, 0, 0])
    bytes.replaceSubrange(footer + 32..<footer + 40, with: segment[144..<152])
    return Array(bytes)
  }

  private func append(_ edit: [UInt8], to journal: Journal) throws {
    try journal.appendEdit(byteCount: edit.count) { $0.copyBytes(from: edit) }
  }

  /// Bytes that do not compress, or of which the first half does not.
  private func noise(_ count: Int, compresses: Bool = true) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      return compresses && index >= count / 2 ? 7 : UInt8(truncatingIfNeeded: state >> 24)
    }
  }

  private func bytes(_ name: String, in folder: any ReadableFolder) throws -> [UInt8] {
    let file = try folder.fileForReading(name)
    var bytes = [UInt8](repeating: 0, count: Int(try file.information().byteCount))
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return Array(bytes[..<count])
  }

  private func put(_ bytes: [UInt8], _ name: String, in folder: any DiskFolder) throws {
    let file = try folder.file(name, .new)
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
  }
}
