// Opens whole journals of which a file is hostile, for writing: what opens can be worked with, closed and opened again.

internal import ByteCoding
internal import DiskAccess
internal import DiskSimulation
internal import FuzzSupport
internal import Journaling

/// The first byte's lower two bits say what the bytes are: the frames of the active segment; the edit buffer behind
/// its header; the frames, so many as the next two bytes say, and the edit buffer; the manifest.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOpening(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  do {
    let disk = try HostileStore.shared.get().disk(input)
    open(disk, isAgain: false)
    follow(disk)
  } catch {
    expect(false, "a disk in memory gives no failure: \(error)")
  }
  return 0
}

private func open(_ disk: SimulatedDisk, isAgain: Bool) {
  do throws(JournalError) {
    let (journal, report) = try Journal.open(
      on: disk, at: "store", options: HostileStore.options, checkingFrom: FrameNumber(1))
    for finding in report.findings { expect(!finding.description.isEmpty, "a finding has words") }
    try journal.appendEdit(byteCount: 3) { $0.copyBytes(from: [1, 2, 3]) }
    let before = journal.durableFrame
    let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { $1.write([4, 5, 6]) }
    let made = try journal.wait(for: ticket, until: .synced).number
    expect(made > before || before == .none, "a commit's frame comes behind what there was")
    try journal.close()
    if !isAgain { open(disk, isAgain: true) }
  } catch {
    expect(!error.description.isEmpty, "an error has words")
  }
}

private func follow(_ disk: SimulatedDisk) {
  do throws(JournalError) {
    let finding = try JournalTail(at: "store", on: disk).poll { _, _ in true }
    if let finding { expect(!finding.description.isEmpty, "a finding has words") }
  } catch {
    expect(!error.description.isEmpty, "an error has words")
  }
}

/// A store with a sealed and an active segment, and edits that no frame holds.
private struct HostileStore {
  static let shared = Result { try HostileStore() }

  static var options: JournalOptions {
    var options = JournalOptions()
    options.segmentByteCount = 8 << 10
    options.halfByteCount = 512
    options.windowByteCount = 16 << 10
    options.preallocatedByteCount = 1 << 10
    options.hasUpkeepThread = false
    return options
  }

  private static let segment = "store/journal/0000000002.xj"
  private static let edits = "store/edits"

  private let sound: SimulatedDisk

  init() throws {
    let disk = SimulatedDisk(seed: 1)
    let journal = try Journal.open(on: disk, at: "store", options: Self.options).journal
    for round in 0..<2 {
      _ = try journal.wait(
        for: journal.enqueueCommit(epoch: journal.commitEpoch) { $1.write([1]) }, until: .synced)
      if round == 0 { try journal.beginSegment() }
      try journal.appendEdit(byteCount: 9) { $0.copyBytes(from: [UInt8](repeating: 7, count: 9)) }
    }
    sound = disk.imageAfterProcessDeath()
  }

  func disk(_ input: FuzzInput) throws -> SimulatedDisk {
    let disk = sound.imageAfterProcessDeath()
    let bytes = input.bytes[...]
    switch input.control & 3 {
    case 0: try replace(Self.segment, from: 128, bytes, on: disk)
    case 1: try replace(Self.edits, from: 64, bytes, on: disk)
    case 2:
      let count = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
      try replace(Self.segment, from: 128, bytes.dropFirst(2).prefix(count), on: disk)
      try replace(Self.edits, from: 64, bytes.dropFirst(2 + count), on: disk)
    default: try disk.setContents("store/MANIFEST", Array(bytes))
    }
    return disk
  }

  private func replace(
    _ path: String, from offset: Int, _ bytes: ArraySlice<UInt8>, on disk: SimulatedDisk
  ) throws {
    try disk.setContents(path, Array((disk.contents(of: path) ?? [])[..<offset]) + bytes)
  }
}
