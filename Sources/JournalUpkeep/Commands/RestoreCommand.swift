internal import DiskAccess
internal import JournalInspection
internal import ManagedObjects
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal restore`: has everything be as it was, by a new commit.
extension Command {
  static func restore(on disk: any Disk) -> Command {
    Command(
      "restore",
      "Has everything be as it was at a commit, by a new commit that takes the rest back.",
      details: [
        inPlace
          + " Nothing of the past is lost by it: what is taken back stays in the commits that did it, and restoring can be taken back itself.",
        "With --only it takes back what that one commit did, and leaves what came later; where later commits have left something else "
          + "there it is refused, unless --force brings them back over that.",
        "Objects of an entity that the model has no more cannot come back; it is told which these are. What led to an "
          + "object that was gone at the commit already leads nowhere.",
        seenInPlace,
      ],
      examples: [
        Example("xjournal restore head~1", "takes the last commit back"),
        Example("xjournal restore v1 -m 'back to v1'", "takes back all that came after v1"),
        Example("xjournal restore 1 --only --force", "takes back what the first commit did"),
      ],
      operands: [Operand("REF", "the commit")],
      options: [
        Option("only", "take back only what this commit did"),
        Option("force", letter: "f", "with --only, also where later commits changed the same"),
        .author, .message,
      ],
      isPaged: false
    ) { (request) throws(ToolError) in
      let text = request.operands[0]
      guard request.has("only") || !request.has("force") else {
        throw .usage("--force is for --only: without that nothing stands in the way.")
      }
      let deed = request.has("only") ? "revert" : "restore"
      // What is named from the head on is another commit from then on.
      var named = text
      try request.committing(on: disk, message: "\(deed) \(named)") { (reader) throws(ToolError) in
        _ = try Reference(text, now: request.now).commit(in: reader)
      } _: { context in
        let number = try Reference(text, now: request.now).commit(in: context.store)
        if context.store.tags[text] == nil { named = "\(number)" }
        if request.has("only") {
          try context.revert(.commit(number), isForced: request.has("force"))
          try request.tellGone(in: context.store, ofCommit: number)
        } else {
          try context.revert(to: .commit(number))
          try request.tellGone(in: context.store, at: number)
        }
      }
      return .fine
    }
  }
}

extension Request {
  /// Tells which objects of a state cannot come back, as the model has their entities no more.
  fileprivate func tellGone(
    in store: ReadableStore, at number: CommitNumber
  ) throws(StoreError) {
    let head = store.head
    guard head.eraCount(at: number) < head.eras.count else { return }
    let then = try store.snapshot(at: number)
    let gone = then.entities(goneIn: head)
    guard !gone.isEmpty else { return }
    tellGone(try then.allObjects().filter { gone.contains($0.entity) }, of: store)
  }

  /// Tells which objects that a commit has deleted or changed cannot be as before it.
  fileprivate func tellGone(
    in store: ReadableStore, ofCommit number: CommitNumber
  ) throws(StoreError) {
    let head = store.head
    let objects = try store.content(of: number).changes.filter { change in
      change.kind != .inserted && head.era?.name(of: change.object.entity) == nil
    }.map(\.object)
    tellGone(objects, of: store)
  }

  private func tellGone(_ objects: [ObjectID], of store: ReadableStore) {
    let wording = Wording(store)
    for (entity, objects) in Dictionary(grouping: objects, by: wording.entity)
      .sorted(by: { $0.key < $1.key })
    {
      let names = objects.prefix(3).map(wording.name).joined(separator: ", ")
      let rest = objects.count > 3 ? " and \(Wording.count(objects.count - 3)) more" : ""
      output.remark(
        "\(names)\(rest) cannot come back: the model has no ‘\(entity)’ any more. ‘export --at’ shows what was."
      )
    }
  }
}
