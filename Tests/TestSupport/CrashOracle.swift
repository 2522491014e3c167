// What must be there after a crash, and whether it is.

package import DiskAccess
package import DiskSimulation
package import Journaling

/// How a life ended.
package enum Crash: Hashable, Sendable {
  case processDeath
  /// The process ended while a write was under way.
  case deathInWrite
  case powerLoss
}

/// Opens what a crash left, and compares it with what was promised.
package struct CrashOracle {
  package let ledger: Ledger
  package let crash: Crash

  package init(_ ledger: Ledger, _ crash: Crash) {
    self.ledger = ledger
    self.crash = crash
  }

  /// Recovers the store on a disk, and again after more work.
  ///
  /// - Parameter expected: what must be there exactly, where that is known: more than what was promised.
  /// - Returns: what promise was broken, or nil.
  package func violation(
    on disk: SimulatedDisk, goesOn: Bool, expecting expected: JournalContent? = nil
  ) -> String? {
    do throws(JournalError) {
      let life = JournalLife(disk)
      let look = goesOn ? try Look(on: disk, at: life.path) : nil
      let report = try reopen(life)
      if let fault = fault(in: report) { return fault }
      var content = try JournalContent(on: disk, at: life.path, ledger)
      if let fault = fault(in: content) { return fault }
      if let look, let fault = fault(in: look, before: content) { return fault }
      if let expected, !content.hasAsMuch(as: expected) {
        return "a recovery left alone finds \(expected), and one after another \(content)"
      }
      guard goesOn, let journal = life.journal else { return nil }
      if let fault = try faultOfPublishing(content, report, on: disk) { return fault }
      // A second life: the same numbers are given again, and so the same bytes written.
      life.ledger.largeCommits = ledger.largeCommits.filter { $0 <= content.commitCount }
      life.ledger.largeEdits = ledger.largeEdits.filter { $0 <= content.editCount }
      life.ledger.begunCommits = content.commitCount
      life.ledger.begunEdits = content.editCount
      life.ledger.returnedEdits = content.editCount
      life.ledger.begunReplacements = content.replacement
      try life.replaceAttachments(journal)
      for _ in 0..<2 {
        try life.edit(journal)
        try life.commit(journal, .synced)
      }
      let second = disk.imageAfterPowerLossOfEverythingUnsynced()
      let again = CrashOracle(life.ledger, .powerLoss)
      let secondLife = JournalLife(second)
      if let fault = again.fault(in: try again.reopen(secondLife)) {
        return "second life: " + fault
      }
      content = try JournalContent(on: second, at: life.path, life.ledger)
      return again.fault(in: content).map { "second life: " + $0 }
    } catch {
      return "it does not open or go on: \(error)"
    }
  }

  /// What a recovery has handed out must survive the power from then on, and what it has cut must be kept.
  private func faultOfPublishing(
    _ content: JournalContent, _ report: RecoveryReport, on disk: SimulatedDisk
  ) throws(JournalError) -> String? {
    for (file, byteCount) in report.savedFiles {
      let kept = disk.durableContents(of: "store/" + file)
      if kept.map({ UInt64($0.count) == byteCount }) != true {
        return "\(file) was to hold \(byteCount) bytes and does not"
      }
    }
    let unplugged = disk.imageAfterPowerLossOfEverythingUnsynced()
    let (journal, second) = try Journal.open(on: unplugged, at: "store", options: .small)
    defer { withExtendedLifetime(journal) {} }
    if let torn = second.tornTail { return "what recovery accepted is torn: \(torn.finding)" }
    let later = try JournalContent(on: unplugged, at: "store", ledger)
    let isThere = later.fault == nil && later.hasAsMuch(as: content)
    return isThere ? nil : "what recovery handed out was lost with the power: \(content), \(later)"
  }

  private func reopen(_ life: JournalLife) throws(JournalError) -> RecoveryReport {
    let (journal, report) = try Journal.open(
      on: life.disk, at: life.path, options: .small, checkingFrom: FrameNumber(1))
    life.adopt(journal)
    return report
  }

  private func fault(in report: RecoveryReport) -> String? {
    for finding in report.findings {
      switch finding.kind {
      // Power may leave the buffer's halves in any mixture of old and new.
      case .editDamaged, .editsMissing, .editHalfDamaged, .editHalfEmpty:
        if crash == .powerLoss { continue }
      default: break
      }
      return "an unexpected finding: \(finding)"
    }
    if crash == .processDeath, let torn = report.tornTail {
      return "a torn tail after the end of a process: \(torn.finding)"
    }
    return nil
  }

  /// How many commits have to be there.
  private var least: Int { crash != .powerLoss ? ledger.writtenCommits : ledger.syncedCommits }

  /// Who only looks sees a beginning of what recovery will find, and knows where that is not all.
  private func fault(in look: Look, before content: JournalContent) -> String? {
    if look.commitCount > content.commitCount {
      return "\(look.commitCount) commits were shown before recovery, which has \(content)"
    }
    if look.commitCount < ledger.syncedCommits, !look.isTold {
      return
        "\(look.commitCount) of \(ledger.syncedCommits) commits were shown before recovery, untold"
    }
    return nil
  }

  private func fault(in content: JournalContent) -> String? {
    if let fault = content.fault { return fault }
    if content.commitCount < least {
      return "\(least) commits were acknowledged and \(content.commitCount) are there"
    }
    if content.commitCount > ledger.begunCommits {
      return "\(content.commitCount) commits are there and \(ledger.begunCommits) were begun"
    }
    let leastEdits = crash != .powerLoss ? ledger.returnedEdits : ledger.syncedEdits
    if content.editCount < leastEdits {
      return "\(leastEdits) edits had to be there and \(content.editCount) are"
    }
    if content.editCount > ledger.begunEdits {
      return "\(content.editCount) edits are there and \(ledger.begunEdits) were begun"
    }
    // Whatever the crash, what has been attached is durable.
    let replacements = ledger.returnedReplacements...ledger.begunReplacements
    if !replacements.contains(content.replacement) {
      return "attached is what replacement \(content.replacement) made, and not of \(replacements)"
    }
    return nil
  }
}

/// What who follows the journal is shown before anybody recovers it.
private struct Look {
  private(set) var commitCount = 0
  /// Whether it is said that this may not be all.
  private(set) var isTold = false

  init(on disk: SimulatedDisk, at path: String) throws(JournalError) {
    do throws(JournalError) {
      let tail = try JournalTail(at: path, on: disk)
      var commits = 0
      let finding = try tail.poll { frame, _ in
        if frame.kind == .batch { Batch(frame.payload)?.forEachCommit { _ in commits += 1 } }
        return true
      }
      (commitCount, isTold) = (commits, tail.isBehind || finding != nil)
    } catch {
      // Before its first manifest there is no store.
      guard case .storeMissing = error else { throw error }
    }
  }
}

/// All that a journal holds, read through its frames and compared with what its numbers say it must be.
package struct JournalContent {
  package private(set) var commitCount = 0
  package private(set) var editCount = 0
  /// How often the attachments had been replaced that are there.
  package private(set) var replacement = 0
  /// What is wrong: a payload out of place, or other than it was written.
  package private(set) var fault: String?

  /// Whether there are as many commits and edits as in another, and the same attachments: what they are is checked by
  /// itself.
  fileprivate func hasAsMuch(as other: JournalContent) -> Bool {
    commitCount == other.commitCount && editCount == other.editCount
      && replacement == other.replacement
  }

  package init(
    on disk: any ReadableDisk, at path: String, _ ledger: Ledger = Ledger()
  ) throws(JournalError) {
    let reader = try JournalReader(at: path, on: disk)
    var (commits, edits, fault) = (0, 0, String?.none)
    let ending = try reader.forEachFrame { frame in
      guard frame.kind == .batch else { return true }
      guard let batch = Batch(frame.payload) else {
        fault = "frame \(frame.number.rawValue) is no batch"
        return false
      }
      batch.forEachEdit { number, entry in
        edits += 1
        if number != EditNumber(UInt64(edits)) || !entry.holds(ledger.edit(edits), reader) {
          fault = fault ?? "edit \(edits) is not what it was"
        }
      }
      batch.forEachCommit { entry in
        commits += 1
        if !entry.holds(ledger.commit(commits), reader) {
          fault = fault ?? "commit \(commits) is not what it was"
        }
      }
      return true
    }
    (commitCount, editCount, self.fault) = (commits, edits, fault)
    if self.fault == nil, let finding = ending.finding { self.fault = "\(finding)" }
    guard let replacement = reader.manifest.replacement else {
      self.fault = self.fault ?? "nobody has attached \(reader.manifest.attachments)"
      return
    }
    self.replacement = replacement
  }
}

extension RecoveryReport {
  /// The files that recovery kept bytes in, and how many.
  fileprivate var savedFiles: [(file: String, byteCount: UInt64)] {
    var files: [(String, UInt64)] = []
    if let tornTail { files.append((tornTail.savedAs, tornTail.byteCount)) }
    if let editBufferSavedAs { files.append((editBufferSavedAs, 4096 + 2 * 512)) }
    return files
  }
}

extension Batch.Entry {
  /// Whether the entry is of just these bytes, put together from its pieces where it has any.
  package func holds(_ bytes: [UInt8], _ reader: JournalReader) -> Bool {
    switch self {
    case .whole(let content): content.elementsEqual(bytes)
    case .spanning(let span): (try? reader.bytes(of: span)) == bytes
    }
  }
}

extension SimulatedDisk {
  /// A disk with nothing on it but what was durable.
  package func imageAfterPowerLossOfEverythingUnsynced() -> SimulatedDisk {
    powerLossStates(limit: 2, seed: 0).first.map { image(after: $0) } ?? imageAfterProcessDeath()
  }
}
