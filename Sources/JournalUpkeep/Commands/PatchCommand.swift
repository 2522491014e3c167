internal import DiskAccess
internal import FoundationEssentials
internal import JournalInspection
internal import ManagedObjects
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal patch`: makes of the objects what a patch says.
extension Command {
  private static let policies: [(name: String, policy: PatchPolicy)] = [
    ("refuse", .refuse), ("force", .force), ("ours", .keepOurs), ("merge", .merge),
  ]

  static func patch(on disk: any Disk) -> Command {
    Command(
      "patch", "Applies a patch, and commits what it changes: all of it or nothing.",
      details: [
        inPlace + " With --dry-run it only tells what would be done, and needs no lock.",
        "docs/patching.md tells what a patch is; ‘diff --format patch’ makes one. Where values are not as the patch says "
          + "they are, it is refused, or what --policy says is done. A key that the model does not have is refused, too, as a "
          + "misspelt one would become data, unless --dynamic-keys takes it.",
        "A patch may have 64 MiB, 2,100,000 values and 1,000,000 members of objects; make several of one that has more.",
        seenInPlace,
      ],
      examples: [
        Example("xjournal patch changes.json --dry-run", "what would become of which objects"),
        Example("xjournal patch changes.json --author ann", "applies it"),
        Example("xjournal patch changes.json --policy merge", "merges it with what is there"),
      ],
      operands: [
        Operand("FILE", "the patch, in JSON; a file, a pipe, or - for the standard input")
      ],
      options: [
        Option("dry-run", "change nothing, and tell what would be done"),
        Option(
          "policy", choices: policies.map(\.name),
          "what becomes of values that are not as the patch says"),
        Option("dynamic-keys", "take keys that the model does not have for dynamic attributes"),
        .author, .message,
      ],
      isPaged: false
    ) { (request) throws(ToolError) in
      let bytes = try request.bytes(
        ofFile: request.operands[0], atMost: JSONLimits.ofFile.byteCount)
      let policy = policies.first { $0.name == request["policy"] }?.policy ?? .refuse
      if request.has("dry-run") {
        let store = try request.store()
        let patch = try Patch.read(bytes, store.model, request)
        let report = try told { () throws -> PatchReport in
          try patch.report(applyingTo: ManagedObjectContext(reading: store), policy: policy)
        }
        show(report, nil, Wording(store), request.output)
        return report.findings.isEmpty ? .fine : .no
      }
      try request.changing(on: disk) { (store) throws(ToolError) in
        let patch = try Patch.read(bytes, store.model, request)
        var report: PatchReport?
        let number = try request.commit(to: store, message: "patch \(request.operands[0])") {
          report = try patch.applySavable(to: $0, policy: policy)
        }
        if let report { show(report, number, Wording(store), request.output) }
      }
      return .fine
    }
  }

  private static func told<Answer>(_ body: () throws -> Answer) throws(ToolError) -> Answer {
    do {
      return try body()
    } catch {
      throw ToolError(of: error)
    }
  }

  private static func show(
    _ report: PatchReport, _ commit: CommitNumber?, _ wording: Wording, _ output: Output
  ) {
    let name = { (object: PatchReport.Object) in
      object.objectID.map(wording.name) ?? object.identity.description
    }
    guard !output.isJSON else {
      let objects = report.objects.map { object in
        JSONValue.members([
          ("object", .string(name(object))), ("change", .string("\(object.kind)")),
          ("keys", .array(object.keys.map { .string($0) })),
        ])
      }
      return output.json(
        .document(
          "patch",
          [
            ("commit", commit.map { .count($0.rawValue) } ?? .null), ("objects", .array(objects)),
            ("deletedAlong", .array(report.deletedAlong.map { .string(wording.name($0)) })),
            ("conflicts", .array(report.conflicts.map { .string("\($0)") })),
            ("findings", .array(report.findings.map { .string(ToolWords.said("\($0)")) })),
          ]))
    }
    for object in report.objects {
      output.line(
        "\("\(object.kind)", .heading) \(name(object))  \(object.keys.joined(separator: ", "), .key)"
      )
    }
    for object in report.deletedAlong {
      output.line("\("deletion", .heading) \(wording.name(object))  along with others")
    }
    for conflict in report.conflicts { output.note("\("decided:", .warning) \(conflict)") }
    for finding in report.findings {
      output.note("\("refused:", .warning) \(ToolWords.said("\(finding)"))")
    }
    if let commit {
      output.line("\("committed", .added) as commit \(commit).")
    } else {
      output.note("nothing was committed.")
    }
  }
}

extension Patch {
  /// Reads a patch for objects of a model.
  fileprivate static func read(
    _ bytes: [UInt8], _ model: ManagedObjectModel?, _ request: Request
  ) throws(ToolError) -> Patch {
    guard let model else {
      throw ToolError(.no, "the journal has no model yet, and so no objects that could be patched.")
    }
    do throws(PatchError) {
      return try Patch(
        json: Data(bytes), model: model, allowsDynamicKeys: request.has("dynamic-keys"),
        limits: .ofFile)
    } catch  where error.code == .unknownKey && !request.has("dynamic-keys") {
      throw ToolError(.usage, "\(error) With ‘--dynamic-keys’ any key is one.")
    } catch {
      throw ToolError(of: error)
    }
  }
}
