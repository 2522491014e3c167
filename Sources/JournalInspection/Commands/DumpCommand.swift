internal import Journaling
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal dump`: the bytes of segments, field by field.
extension Command {
  static let dump = Command(
    "dump", "Writes out the bytes of segments and other files, field by field.",
    details: [
      "docs/format.md tells what the fields mean. Where something is damaged, the bytes from there on are shown as they "
        + "are, and the next segment follows. With --hex, events and commits are taken apart, too: before each field "
        + "stands where it begins in the payload, which is compressed in the file. Of other frames the first 65,536 bytes of "
        + "the payload are shown; without --json, all of one that --frame names.",
      "With --at it writes the frame that has the commit, by which the state came to be.",
    ],
    examples: [
      Example(
        "xjournal dump --segment 1", "headers, seals, edits and commits of the first segment"),
      Example("xjournal dump --frame 2 --hex", "one frame, with the bytes of its payload"),
      Example("xjournal dump --at v1", "the frame in which a commit is"),
      Example("xjournal dump --file MANIFEST", "the file that says what belongs to the journal"),
      Example("xjournal dump --json", "a line for each segment and frame"),
    ],
    options: [
      Option("segment", value: "NUMBER", "only this segment"),
      Option("frame", value: "NUMBER", "only this frame"),
      Option("hex", "events and commits in hexadecimal too, field by field"),
      Option("file", value: "NAME", "MANIFEST, edits, LOCK, or a file in snapshots"),
    ],
    travels: true, passCount: 1
  ) { (request) throws(ToolError) in
    if let name = request["file"] {
      guard !["segment", "frame", "at"].contains(where: request.has) else {
        throw .usage("--segment, --frame and --at are for segments, and go not with --file.")
      }
      return try FileDumper(request).dump(name)
    }
    let walk = try SegmentWalk(request)
    guard !request.has("at") || !request.has("frame") && !request.has("segment") else {
      throw .usage("--at names a frame by its commit; leave --frame and --segment out.")
    }
    var (segment, frame) = (try request.number("segment"), try request.number("frame"))
    if let place = try request.placeOfCommit() {
      (segment, frame) = (Int(place.segment.rawValue), Int(place.number.rawValue))
    }
    var dumper = SegmentDumper(walk, request, onlyFrame: frame.map(UInt64.init))
    let wanted = walk.manifest.segments.filter {
      segment == nil || $0.number.rawValue == UInt64(segment ?? 0)
    }
    if wanted.isEmpty { throw .no("there is no segment \(request["segment"] ?? "").") }
    var status = ExitStatus.fine
    for segment in wanted where request.output.isOpen {
      do throws(ToolError) {
        guard let finding = try dumper.dump(segment), status != .damage else { continue }
        status = finding.kind.isOfNewerCode ? .newerFormat : .damage
      } catch {
        guard error.status == .damage else { throw error }
        request.output.tell(error)
        status = .damage
      }
    }
    if let frame, dumper.frameCount == 0, status == .fine {
      throw .no("there is no frame \(request["frame"] ?? "\(frame)").")
    }
    return status
  }
}

extension Request {
  /// Where the frame is that has the commit of `--at`.
  fileprivate func placeOfCommit() throws(ToolError) -> FramePlace? {
    guard has("at") else { return nil }
    let (store, number) = (try store(), try commitNumber())
    guard number > .none else { throw .no("no frame has commit 0, which is before the first.") }
    return try onStore { () throws(StoreError) in
      // The place of one that cannot be read is that of the frame before it.
      _ = try store.heading(of: number)
      return try store.place(of: number)
    }
  }
}
