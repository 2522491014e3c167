// What crashes leave that gives a recovery something to do, gathered from many lives by seed.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport

/// What a recovery may have to do.
enum Duty: String, CaseIterable, Sendable {
  case edits = "leftover edits"
  case pieces = "leftover edits in pieces"
  case tornTail = "torn tails"
  case editBuffer = "damaged edit buffers"
  case segment = "half-made segments"
  case manifest = "half-made manifests"
  case untold = "files kept and not told"
}

/// What a crash left, with what must be there.
struct CrashRemains: Sendable {
  let image: SimulatedDisk
  let crash: Crash
  let ledger: Ledger
  /// Where in which life.
  let place: String
  let duties: Set<Duty>

  /// Remains of many kinds, in turn one of each set of duties there is. What does not open at all is a violation.
  static func gather(_ count: Int, seed: UInt64, _ tally: Tally) throws -> [CrashRemains] {
    let found = Found()
    try onBothCores(workloads.count * 2) { index in
      let gathering = Gathering(
        workloads[index / 2], seed: seed &+ UInt64(index), endsInWrites: index % 2 == 1, tally)
      found.add(gathering.run(), at: index)
    }
    var dice = Dice(seed: seed)
    var kinds = Dictionary(grouping: found.all) { $0.duties.map(\.rawValue).sorted() }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { $0.value.shuffled(using: &dice) }
    // Those with the most to do first.
    kinds.sort { $0[0].duties.count > $1[0].duties.count }
    var remains: [CrashRemains] = []
    while remains.count < count, kinds.contains(where: { !$0.isEmpty }) {
      for index in kinds.indices where remains.count < count {
        if let one = kinds[index].popLast() { remains.append(one) }
      }
    }
    return remains
  }

  private static let workloads: [[Step]] = [
    [.edit], [.edit, .largeEdit], [.save, .edit, .largeEdit, .edit], [.largeEdit, .append, .edit],
    [.largeEdit, .roll, .edit], [.append, .edit, .roll, .append], [.burst, .edit, .largeEdit],
    [.edit, .idle, .append, .edit], [.large, .largeEdit], [.edit, .reopen, .largeEdit, .append],
    [.save, .edit, .manifest, .roll], [.append, .append, .edit],
  ]
}

/// One life, at each call of which a crash leaves something.
private final class Gathering {
  private let steps: [Step]
  private let seed: UInt64
  private let endsInWrites: Bool
  private let tally: Tally
  private let life: JournalLife
  private var dice: Dice
  private var remains: [CrashRemains] = []

  /// - Parameter endsInWrites: whether all crashes are ends of the process in the midst of a write.
  init(_ steps: [Step], seed: UInt64, endsInWrites: Bool, _ tally: Tally) {
    self.steps = steps
    self.tally = tally
    self.seed = seed
    self.endsInWrites = endsInWrites
    life = JournalLife(SimulatedDisk(seed: seed))
    dice = Dice(seed: seed)
  }

  func run() -> [CrashRemains] {
    life.disk.onCall = { [unowned self] call in crash("before \(call)") }
    if endsInWrites {
      life.disk.faults = [SimulatedFault(.short, calls: [.write, .append], isLasting: true)]
    }
    do {
      try life.open()
      for step in steps { try life.perform(step) }
      if !endsInWrites { crash("at the end") }
    } catch {
      tally.violation("\(steps.map(\.rawValue)): a step failed without a fault: \(error)")
    }
    life.disk.onCall = nil
    life.abandon()
    return remains
  }

  private func crash(_ moment: String) {
    if endsInWrites { return take(life.disk.imageAfterProcessDeath(), .deathInWrite, moment) }
    take(life.disk.imageAfterProcessDeath(), .processDeath, moment)
    let states = life.disk.powerLossStates(limit: 8, seed: dice.next())
    for _ in 0..<2 {
      let choice = states[Int.random(in: states.indices, using: &dice)]
      take(life.disk.image(after: choice), .powerLoss, "\(moment), \(choice)")
    }
  }

  /// Keeps an image if its recovery has something to do, and one that a second crash leaves in the midst of that.
  private func take(_ image: SimulatedDisk, _ crash: Crash, _ moment: String) {
    let name = steps.map(\.rawValue).joined(separator: " ") + ", \(crash) \(moment), seed \(seed)"
    let again = image.imageAfterProcessDeath()
    var midst: SimulatedDisk?
    var callCount = 0
    let chosen = Int.random(in: 1...30, using: &dice)
    again.onCall = { [unowned again] _ in
      callCount += 1
      if callCount == chosen { midst = again.imageAfterProcessDeath() }
    }
    let duties = duties(on: again)
    if duties.isEmpty { return }
    remains.append(
      CrashRemains(
        image: image, crash: crash, ledger: life.ledger, place: name, duties: duties))
    guard let midst, duties.contains(.tornTail) || duties.contains(.pieces) else { return }
    let left = self.duties(on: midst.imageAfterProcessDeath())
    if left.isEmpty { return }
    remains.append(
      CrashRemains(
        image: midst, crash: crash, ledger: life.ledger,
        place: name + ", and again before call \(chosen) of the recovery", duties: left))
  }

  /// What there was to do on a disk that is recovered now.
  private func duties(on disk: SimulatedDisk) -> Set<Duty> {
    var duties: Set<Duty> = []
    let paths = disk.paths
    if paths.contains("store/" + JournalFiles.newManifest) { duties.insert(.manifest) }
    if let manifest = disk.contents(of: "store/" + JournalFiles.manifest),
      case .manifest(let manifest) = manifest.withUnsafeBytes({ Manifest.read($0) })
    {
      let count = paths.count { $0.hasPrefix("store/\(JournalFiles.journalFolder)/") }
      if count > manifest.segments.count { duties.insert(.segment) }
    }
    do throws(JournalError) {
      let (journal, report) = try Journal.open(on: disk, at: life.path, options: .small)
      defer { withExtendedLifetime(journal) {} }
      if report.tornTail != nil { duties.insert(.tornTail) }
      if report.editBufferSavedAs != nil { duties.insert(.editBuffer) }
      if !report.savedEarlier.isEmpty { duties.insert(.untold) }
      guard report.recoveredEditCount > 0 else { return duties }
      duties.insert(.edits)
      let last = try JournalContent(on: disk, at: life.path, life.ledger).editCount
      let leftover = last - report.recoveredEditCount + 1...last
      if life.ledger.largeEdits.contains(where: leftover.contains) { duties.insert(.pieces) }
      return duties
    } catch {
      tally.violation("\(steps.map(\.rawValue)): what a crash left does not open: \(error)")
      return []
    }
  }
}

/// What several lives have left, in an order that does not depend on which thread was first.
private final class Found: @unchecked Sendable {
  private let lock = Lock()
  private var remains: [Int: [CrashRemains]] = [:]

  func add(_ more: [CrashRemains], at index: Int) { lock.withLock { remains[index] = more } }

  var all: [CrashRemains] {
    lock.withLock { remains.sorted { $0.key < $1.key }.flatMap(\.value) }
  }
}
