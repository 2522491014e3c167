internal import FoundationEssentials
internal import Journaling
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal report`: the whole history as one page that a browser shows.
extension Command {
  static let report = Command(
    "report", "Writes one HTML page with the whole history, to travel through in a browser.",
    details: [
      "The page needs no network and no other file. It has the commits on a timeline with a slider, the objects as they "
        + "were at each, the history of each object, size and activity over time, drafts, and what a verification "
        + "finds. Without scripts it still shows a summary.",
      "What the page shows is in it as lines of JSON, which --json writes alone: the documents of ‘info’, ‘verify’, "
        + "‘drafts show’, ‘export’ at the first commit and ‘log -p’, with ‘modelChange’ where the model has changed between "
        + "two commits. Each commit shows objects by the names they had then. Long texts and lists are cut.",
      "Where commits cannot be read, the page begins behind the last of these, and it is told which those are. Where it "
        + "cannot be told what is not saved, the page says so.",
    ],
    examples: [
      Example("xjournal report", "the page; ‘> history.html’ behind it keeps it"),
      Example("xjournal report --since v1 --deep", "from a tag on, and all of it checked"),
    ],
    options: [
      Option("since", value: "REF", "only from this time or commit on"),
      Option("until", value: "REF", "only up to this time or commit; --at says the same"),
      Option("deep", "verify deeply, as ‘verify --deep’ does"),
      Option(
        "longest", value: "COUNT", "cut texts and lists that have more characters or elements; 400"),
    ],
    travels: true, passCount: 5
  ) { (request) throws(ToolError) in
    let store = try request.store()
    let report = try HistoryReport(request, store)
    // Of what could not be asked for, what is damaged may be why.
    request.tellsFindings = true
    if request.output.isJSON {
      try report.writeLines(inPage: false)
    } else {
      try report.writePage(to: request.output)
    }
    let status = report.verification.status
    report.verification.noteDamage(in: request.output)
    for finding in report.verification.toldFindings {
      request.output.tell(ToolError(status, finding.description))
    }
    return status
  }
}

/// What a report shows, and how it is written.
private struct HistoryReport {
  private static let latestCount = 20

  private let request: Request
  private let store: StoreReader
  private var first: CommitNumber
  private let last: CommitNumber
  private let longest: Int
  private let unsaved: Unsaved
  let verification: Verification
  /// The commits that cannot be read and hide those before them, the last of them.
  private var hidden: ClosedRange<CommitNumber>?

  init(_ request: Request, _ store: StoreReader) throws(ToolError) {
    self.request = request
    self.store = store
    longest = max(1, try request.number("longest") ?? 400)
    var (first, last) = (store.firstKeptCommit, store.lastCommit)
    for text in [request["until"], request["at"]].compactMap(\.self) {
      last = min(last, try Reference(text, now: request.now).commit(in: store))
    }
    if let text = request["since"] {
      first = max(first, try Reference(text, now: request.now).beginning(in: store))
    }
    (self.first, self.last) = (max(first, 1), last)
    let all = (first: self.first, last: last)
    let isDeep = request.has("deep")
    verification = try onStore { () throws(StoreError) in
      try store.verification(deep: isDeep)
    }
    // What is wrong the verification says.
    unsaved = try Unsaved(store)
    if let doubt = unsaved.doubt { request.output.remark(doubt) }
    // Where compaction has dropped all there were, nobody has asked for what is not there.
    if first > last, last > .none, ["since", "until", "at"].contains(where: request.has) {
      throw request.has("since")
        ? .usage(
          "there is no commit from \(first) up to \(last); --since must not be after --until.")
        : .no("there is no commit up to \(last), as compaction has dropped those before \(first).")
    }
    guard !verification.findings.isEmpty, let hidden = try hiddenCommits(all.first, all.last)
    else { return }
    self.hidden = hidden
    self.first = hidden.upperBound.next
    request.output.remark(
      "\(PassedCommits.words(hidden)) cannot be read, and what was before is not shown.")
  }

  /// The last commits of some that cannot be read.
  private func hiddenCommits(
    _ first: CommitNumber, _ last: CommitNumber
  ) throws(ToolError) -> ClosedRange<CommitNumber>? {
    var hidden: ClosedRange<CommitNumber>?
    var number = last
    while number >= first, number > .none {
      do throws(StoreError) {
        _ = try store.heading(of: number)
        if let hidden { return hidden }
      } catch {
        guard error.isFinding else { throw ToolError(error) }
        hidden = number...(hidden?.upperBound ?? number)
      }
      number = number.previous
    }
    return hidden
  }

  private var hasCommits: Bool { last > .none && first <= last }

  // MARK: Lines

  /// Writes what the page shows as lines of JSON.
  func writeLines(inPage: Bool) throws(ToolError) {
    let output = request.output
    try output.writeDocuments(cutTo: longest, inPage: inPage) { () throws(ToolError) in
      output.json(try JournalFacts(store, at: store.lastCommit).json)
      output.json(.verification(verification, isDeep: request.has("deep"), store))
      output.json(.document("growth", [("points", .array(try growth()))]))
      let printer = DraftPrinter(store, isWhole: true, output)
      if let doubt = unsaved.doubt {
        output.json(.document("note", [("message", .string(doubt))]))
      }
      for draft in unsaved.drafts { printer.show(draft) }
      guard hasCommits else { return }
      try writeObjects(to: output)
      try writeCommits(to: output)
      try writeActivity(to: output)
    }
  }

  /// The objects as they were at the first commit.
  private func writeObjects(to output: Output) throws(ToolError) {
    let snapshot = try onStore { () throws(StoreError) in try store.snapshot(at: first) }
    let writer = RowWriter("ndjson", store, snapshot, output)
    for entity in snapshot.rootEntities {
      let query = try store.queryOfAll(entity, in: snapshot)
      try onStore { () throws(StoreError) in
        try writer.write(try snapshot.objects(of: query), of: entity)
      }
    }
  }

  private func writeCommits(to output: Output) throws(ToolError) {
    var printer = CommitPrinter(store, .values, output)
    let changes = ModelChangeWriter(store, output)
    try onStore { () throws(StoreError) in
      var number = first
      while number <= last, output.isOpen {
        let content = try store.content(of: number)
        if number > first { try changes.write(before: content) }
        try printer.show(content)
        number = number.next
      }
    }
  }

  /// How many events of all contexts came before each commit.
  private func writeActivity(to output: Output) throws(ToolError) {
    var counts = [Int](repeating: 0, count: Int(last.rawValue - first.rawValue) + 1)
    var count = 0
    try onStore { () throws(StoreError) in
      try store.forEachEvent(passingOver: { _, _ in }) { (event) throws(StoreError) in
        count += 1
        // What a context within another saved is no commit yet.
        if case .saved(let number) = event.kind, number > .none {
          if number >= first, number <= last {
            counts[Int(number.rawValue - first.rawValue)] = count
          }
          count = 0
        }
        return output.isOpen
      }
    }
    output.json(
      .document(
        "activity",
        [("first", .count(first.rawValue)), ("events", .array(counts.map { .count($0) }))]))
  }

  /// How large the journal was when each of its segments began, and is now.
  private func growth() throws(ToolError) -> [JSONValue] {
    let walk = try SegmentWalk(request)
    var byteCount: UInt64 = 0
    var points: [JSONValue] = []
    func add(_ time: Date) {
      points.append(
        .members([("date", .string(Wording.exactTime(time))), ("bytes", .count(byteCount))]))
    }
    for segment in walk.manifest.segments {
      // What is wrong with a segment the verification says.
      guard let header = try? walk.header(of: segment), let file = try? walk.file(of: segment)
      else { continue }
      add(Date(timeIntervalSince1970: Double(header.creationTime) / 1e9))
      let (sum, isTooLarge) = byteCount.addingReportingOverflow(try SegmentWalk.byteCount(of: file))
      byteCount = isTooLarge ? .max : sum
    }
    if last > .none { add(store.head.time.date) }
    return points
  }

  // MARK: The page

  func writePage(to output: Output) throws(ToolError) {
    output.exact(ReportPage.beginning)
    output.exact("<title>\(Self.escaped(store.path)): history</title>\n")
    output.exact(ReportPage.style)
    try writeSummary(to: output)
    output.exact(ReportPage.middle)
    try writeLines(inPage: true)
    output.exact(ReportPage.script)
  }

  /// What is there to read without scripts.
  private func writeSummary(to output: Output) throws(ToolError) {
    func line(_ text: String) { output.exact(text + "\n") }
    let facts = try JournalFacts(store, at: store.lastCommit)
    line("<header><main><section><h1>\(Self.escaped(store.path))</h1>")
    line("<ul class=\"facts\">")
    for (name, text) in facts.lines { line("<li>\(name) <b>\(Self.escaped(text))</b></li>") }
    let count =
      unsaved.doubt != nil && unsaved.drafts.isEmpty
      ? "cannot be told" : Wording.count(unsaved.drafts.count, "draft")
    line("<li>unsaved <b>\(count)</b></li>")
    line("</ul>")
    let scope =
      request.has("deep") ? "Every byte and every edit was checked" : "Every byte was checked"
    if verification.findings.isEmpty {
      line("<p class=\"sound\">Sound. \(scope).</p>")
    } else {
      line("<p class=\"damaged\">Not sound. \(scope):</p><ul>")
      for finding in verification.toldFindings { line("<li>\(Self.escaped(finding.told))</li>") }
      line("</ul>")
    }
    line("</section>")
    if let hidden {
      line(
        "<p>Of the history \(PassedCommits.words(hidden)) cannot be read; the timeline begins behind that.</p>"
      )
    }
    if hasCommits || hidden != nil {
      try writeLatest(line)
    } else if last > .none {
      line("<p>Compaction has dropped all commits; what they left is in the store.</p>")
    }
    line("</main></header>")
  }

  private func writeLatest(_ line: (String) -> Void) throws(ToolError) {
    line("<noscript><section><h2>The latest commits</h2><table>")
    line("<thead><tr><th>Commit</th><th>When</th><th>Who</th><th>What</th></tr></thead><tbody>")
    try onStore { () throws(StoreError) in
      var number = last
      var count = 0
      let oldest = hidden == nil ? first : max(1, store.firstKeptCommit)
      while count < Self.latestCount, number >= oldest {
        defer { number = number.previous }
        let content: CommitContent
        do throws(StoreError) {
          content = try store.content(of: number)
        } catch {
          guard error.isFinding else { throw error }
          continue
        }
        count += 1
        let cells = [
          "\(number)", Wording.time(content.time.date), content.author ?? "",
          content.message ?? Wording.count(content.changes.count, "object"),
        ]
        line("<tr>" + cells.map { "<td>\(Self.escaped($0))</td>" }.joined() + "</tr>")
      }
    }
    line("</tbody></table></section></noscript>")
  }

  /// The text as a page has it.
  private static func escaped(_ text: String) -> String {
    text.shown.escaping {
      switch $0 {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: nil
      }
    }
  }
}
