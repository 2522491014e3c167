internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal verify`: whether a journal is sound.
extension Command {
  static let verify = Command(
    "verify", "Reads and checks every byte of a journal.",
    details: [
      "Damage ends it with 65, and what newer code has written with 69. With --strict what is no damage but not as it should be either ends it with 1: commits "
        + "that could not be compared, unsaved edits that are not whole, or more in the journal than is known to be "
        + "durable.",
      "A file of indexes that is damaged or missing is damage too, though nothing is lost by it: a reader does without it, "
        + "and whoever opens the journal for writing makes it anew of the rows.",
      "A value that is too large to be held here is told as ‘unchecked’, and ends it with 65 as well: nothing need be wrong "
        + "with it, but the rest of the journal was not looked at.",
      "A deep verification folds the journal again, and holds the state in memory meanwhile.",
    ],
    examples: [
      Example("xjournal verify", "whether the journal is sound"),
      Example("xjournal verify --deep", "and whether the commits are what the edits add up to"),
    ],
    options: [
      Option(
        "deep",
        "fold the journal again, and compare commits with edits, and the outcome with the state"),
      Option("strict", "end with 1 where anything is not as it should be"),
    ],
    notTravellingAs:
      "it reads all there is; ‘replay --into NEW --until REF’ builds the journal as it was then, which can be verified.",
    passCount: 3
  ) { (request) throws(ToolError) in
    let store: StoreReader
    do throws(ToolError) {
      store = try request.store()
    } catch {
      // What cannot be held cannot be checked, and is no failure to read.
      guard error.value != nil else { throw error }
      throw ToolError(.damage, request.named(error).message).withoutRemedy
    }
    request.tellsFindings = true
    request.tellsEdits = true
    let isDeep = request.has("deep")
    let verification = try onStore { () throws(StoreError) in try store.verification(deep: isDeep) }
    let doubts = verification.doubts(of: store)
    let status =
      verification.status == .fine && request.has("strict") && !doubts.isEmpty
      ? .no : verification.status
    let output = request.output
    verification.noteDamage(in: output)
    if output.isJSON {
      output.json(.verification(verification, isDeep: isDeep, store))
      return status
    }
    for finding in verification.toldFindings {
      output.line("\(finding.mark, .removed) \(finding.told)")
    }
    for doubt in doubts { output.line("\("note:", .warning) \(doubt).") }
    if verification.findings.isEmpty {
      let commits = store.commitCount
      let compared =
        isDeep
        ? ", \(Wording.count(verification.comparedCount(of: store))) compared with their edits" : ""
      output.line("\("sound:", .added) \(commits)\(compared).")
    }
    return status
  }
}

extension Verification {
  /// Has it told what can be done about what was found. Nothing need be wrong with what could not be looked at, and of
  /// sound frames that contradict each other another journal is no remedy.
  func noteDamage(in output: Output) {
    output.noteDamage(findings.map(\.matter))
    if !findings.isEmpty, findings.allSatisfy({ $0.isUnchecked || $0.matter == .contradiction }) {
      output.damagedPath = nil
    }
  }

  /// What is no damage, but not as it should be either.
  func doubts(of store: StoreReader) -> [String] {
    var doubts: [String] = []
    if store.isBehind {
      doubts.append("the journal has more, of which it is not known that it is durable")
    }
    doubts += leftoverDoubts
    if uncomparedCommitCount > 0 {
      doubts.append(
        "\(Wording.count(uncomparedCommitCount, "commit")) could not be compared: compaction has "
          + "dropped their edits, or a crash has lost what they stood on")
    }
    return doubts
  }

  /// How many of the commits that the store has were compared: some that it has not may be in frames that are left.
  func comparedCount(of store: StoreReader) -> Int {
    min(comparedCommitCount, Int(store.keptCommitCount))
  }

  /// What was found, each thing once: it may have been met twice, and told with more or fewer words.
  var toldFindings: [StoreFinding] {
    var texts: Set<String> = []
    return findings.filter { texts.insert($0.told).inserted }
  }

  /// What a command ends with that has found this.
  var status: ExitStatus {
    findings.isEmpty ? .fine : ExitStatus(of: findings)
  }
}

extension ExitStatus {
  /// What a command ends with that has met something: what newer code has written is no damage.
  init(of findings: [StoreFinding]) {
    self = findings.allSatisfy(\.isOfNewerCode) ? .newerFormat : .damage
  }
}

extension StoreReader {
  /// How many commits there are that compaction has not dropped.
  fileprivate var keptCommitCount: UInt64 {
    let first = firstKeptCommit
    return lastCommit < first ? 0 : lastCommit.rawValue - max(1, first.rawValue) + 1
  }

  /// How many there are, in words.
  fileprivate var commitCount: String {
    let (kept, all) = (keptCommitCount, lastCommit.rawValue)
    guard kept < all else { return Wording.count(kept, "commit") }
    return "\(Wording.count(kept)) of \(Wording.count(all, "commit")), as compaction has dropped "
      + (kept == 0 ? "all" : "those before \(firstKeptCommit)")
  }
}

extension StoreFinding {
  /// What was found, in the words of the tool.
  var told: String { ToolWords.said(description) }

  /// What stands before it.
  fileprivate var mark: String {
    if isOfNewerCode { return "newer:" }
    return isUnchecked ? "unchecked:" : "damaged:"
  }
}

extension JSONValue {
  /// The document that tells what a verification has found.
  static func verification(
    _ verification: Verification, isDeep: Bool, _ store: StoreReader
  ) -> JSONValue {
    .document(
      "verification",
      [
        ("isSound", .boolean(verification.findings.isEmpty)), ("isDeep", .boolean(isDeep)),
        ("lastCommit", .count(store.lastCommit.rawValue)),
        ("firstKeptCommit", .count(store.firstKeptCommit.rawValue)),
        ("findings", .array(verification.toldFindings.map { .string($0.told) })),
        ("doubts", .array(verification.doubts(of: store).map { .string($0) })),
        ("comparedCommits", isDeep ? .count(verification.comparedCount(of: store)) : nil),
        ("directCommits", isDeep ? .count(verification.directCommitCount) : nil),
        ("uncomparedCommits", isDeep ? .count(verification.uncomparedCommitCount) : nil),
      ])
  }
}
