internal import EventCoding
internal import Journaling
internal import ObjectModel

/// The state of a store at a commit, as runs and a catalogue: what opening begins with, so that it need not
/// read the journal before.
package struct Checkpoint {
  /// The runs of an era, the newest first.
  struct LayerRuns: Hashable {
    let era: Int
    let runs: [NamedRun]
  }

  /// A run by its name, and by what no other run has, so that none is taken for another.
  struct NamedRun: Hashable {
    let name: String
    let byteCount: UInt64
    /// The check of its footer, which follows from all that is in the run, and from its salt.
    let check: UInt64
  }

  let number: CommitNumber
  let time: RecordedTime
  /// The last frame of the journal that the state has in it.
  let frame: FrameNumber
  let catalogue: Catalogue
  /// The newest first.
  let layers: [LayerRuns]
  let indexes: CheckpointIndexes

  /// The kinds of attachments of the manifest, and the folder of their files.
  static let runKind: UInt8 = 1
  static let checkpointKind: UInt8 = 2
  static let indexRunKind: UInt8 = 3
  static let knownKinds: Set<UInt8> = [runKind, checkpointKind, indexRunKind]
  package static let folderName = "snapshots"
  static let runExtension = ".xr"
  static let indexRunExtension = ".xi"
  static let checkpointExtension = ".xc"

  /// The name of a file with a number: ten digits, so that names sort as numbers do.
  static func fileName(_ number: UInt64, _ fileExtension: String) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 10 - digits.count)) + digits + fileExtension
  }

  /// The number in a file's name.
  static func fileNumber(_ name: String) -> UInt64? {
    let digits = name.prefix { $0 != "." }
    guard let number = UInt64(digits), number <= Limits.number,
      fileName(number, String(name.dropFirst(digits.count))) == name
    else { return nil }
    return number
  }
}

extension Checkpoint.NamedRun {
  init(_ run: Run) {
    name = run.name
    byteCount = run.byteCount
    check = run.footer.check(salt: run.header.salt)
  }

  init(_ run: IndexRun) {
    name = run.name
    byteCount = run.byteCount
    check = run.check
  }
}

extension StoreError {
  static func checkpointDamaged(_ file: String) -> StoreError {
    StoreError(
      .damaged,
      "the checkpoint \(Checkpoint.folderName)/\(file) is damaged or not there; " + bringBack,
      matter: .keptState)
  }

  static let snapshotsNoFolder = StoreError(
    .damaged,
    "what stands in the place of the folder \(Checkpoint.folderName) is no folder: move it elsewhere, and open the store again."
  )

  static func runMissing(_ file: String) -> StoreError {
    StoreError(
      .damaged, "the run \(Checkpoint.folderName)/\(file) is not there; " + bringBack,
      matter: .keptState)
  }

  static func runReplaced(_ file: String) -> StoreError {
    StoreError(
      .damaged,
      "the file \(Checkpoint.folderName)/\(file) is not the run that was written there; "
        + bringBack, matter: .keptState)
  }

  /// What to do where something cannot be made anew from the journal.
  static let bringBack = "bring the store back from a backup."

  static func checkpointNewer(_ file: String) -> StoreError {
    StoreError(
      .newerFormat,
      "the checkpoint \(Checkpoint.folderName)/\(file) was written by newer code; open the store with "
        + "the newer version of the program.")
  }
}
