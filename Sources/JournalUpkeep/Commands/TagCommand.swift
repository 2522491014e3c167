internal import DiskAccess
internal import FoundationEssentials
internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal tag`: names for commits.
extension Command {
  static func tag(on disk: any Disk) -> Command {
    Command(
      "tag", "Gives a commit a name, by which it is found again.",
      details: [inPlace, seenInPlace],
      examples: [
        Example("xjournal tag release", "names the last commit"),
        Example("xjournal tag before-import head~2", "names an earlier one"),
        Example("xjournal tag v1 --force", "has a name stand for another commit"),
        Example("xjournal tag v1 --remove", "takes a name away"),
      ],
      operands: [
        Operand("NAME", "the name"),
        Operand("REF", "the commit; head where it is not said", isOptional: true),
      ],
      options: [
        Option("force", letter: "f", "also where the name stands for another commit"),
        Option("remove", "take the name away"),
      ],
      notTravellingAs: "the commit is named by itself, as in ‘tag v1 head~1’.", isPaged: false
    ) { (request) throws(ToolError) in
      let name = request.operands[0]
      guard !request.has("remove") || request.operand(1) == nil else {
        throw .usage("--remove takes a name away from whatever it stands for; name no commit.")
      }
      if !request.has("remove") { try refuseUnreadable(name, now: request.now) }
      try request.changing(on: disk) { (reader) throws(ToolError) in
        _ = try request.commit(toTag: name, in: reader)
      } _: { (store) throws(ToolError) in
        let before = store.tags[name]
        let after = try request.commit(toTag: name, in: store)
        try onStore { () throws(StoreError) in
          guard let after else { return try store.removeTag(name) }
          try store.tag(name, after)
        }
        request.output.deed =
          after.map { "‘\(name)’ stands for commit \($0)" }
          ?? "‘\(name)’ stands for nothing any more"
        if let after, after > .none { try request.noteUnreadable(after, of: store) }
        tell(name, after, before, request.output)
      }
      return .fine
    }
  }

  /// Refuses a name that would be read as something else where a commit is to be named.
  private static func refuseUnreadable(_ name: String, now: Date) throws(ToolError) {
    guard name.utf8.count <= JournaledStore.largestTagByteCount else {
      throw .usage(
        "the name of a tag has \(name.utf8.count) bytes; it may have \(JournaledStore.largestTagByteCount)."
      )
    }
    guard !name.isEmpty, !name.contains("~"), !ObjectReference(name).isURI,
      try Reference(name, now: now).isTag, !name.hasPrefix("tag:")
    else {
      throw .usage(
        "‘\(name)’ is no name for a commit, as it would be read as something else; choose one that is no number, no time, no object and not ‘head’, without ‘~’ and ‘tag:’."
      )
    }
  }

  private static func tell(
    _ name: String, _ after: CommitNumber?, _ before: CommitNumber?, _ output: Output
  ) {
    guard output.isJSON else {
      return output.line(
        after.map { "\(name, .strong) stands for commit \($0)." }
          ?? "\(name, .strong) stands for nothing any more.")
    }
    output.json(
      .document(
        "tag",
        [
          ("name", .string(name)), ("commit", after.map { .count($0.rawValue) } ?? .null),
          ("before", before.map { .count($0.rawValue) } ?? .null),
        ]))
  }
}

extension Request {
  /// The commit that a name is to stand for; nil where it is to stand for none any more.
  ///
  /// - Throws: where the name cannot stand for it, or stands for nothing that could be taken away.
  fileprivate func commit(
    toTag name: String, in store: ReadableStore
  ) throws(ToolError) -> CommitNumber? {
    let before = store.tags[name]
    guard !has("remove") else {
      guard before == nil else { return nil }
      throw .no(
        "there is no tag ‘\(name)’", nearest: name, among: store.tags.keys.sorted(),
        otherwise: "; xjournal info lists those there are.")
    }
    guard !store.hasEntity(ofReference: name) else {
      throw .usage("‘\(name)’ is no name for a commit, as it would be read as an object.")
    }
    let number = try Reference(operand(1) ?? "head", now: now).commit(in: store)
    if let before, before != number, !has("force") {
      throw .no(
        "‘\(name)’ stands for commit \(before) already; --force has it stand for \(number).")
    }
    return number
  }

  /// Tells that what a commit has done cannot be read.
  fileprivate func noteUnreadable(
    _ number: CommitNumber, of store: JournaledStore
  ) throws(ToolError) {
    do throws(StoreError) {
      _ = try store.heading(of: number)
    } catch {
      // Compaction has kept the state of the commit, and not what it did.
      if error.code == .commitMissing { return }
      guard error.isFinding else { throw ToolError(error) }
      output.remark(
        "commit \(number) has the name, but cannot be read: \(ToolError(error).withoutAdvice)")
    }
  }
}
