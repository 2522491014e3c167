package import DiskAccess
package import Journaling
package import ObjectModel

// The state as what another journal begins with.
extension SalvagedState {
  /// Writes a checkpoint of the state into the folder of a journal that is to begin behind a frame.
  ///
  /// - Parameters:
  ///   - time: not later than the commits that are to follow.
  ///   - salt: a random number.
  /// - Returns: the attachments of the journal's manifest.
  package func write(
    to target: any DiskFolder, behind frame: FrameNumber, at time: RecordedTime, salt: UInt64
  ) throws(StoreError) -> [Manifest.Attachment] {
    var files = try CheckpointFiles(
      in: target, store, cache: BlockCache(largestByteCount: 0), runs: RunOptions())
    var runs: [Checkpoint.NamedRun] = []
    if !known.isEmpty {
      let run = try files.writeRun(salt: salt) { (writer) throws(StoreError) in
        for (object, known) in known.sorted(by: { $0.key < $1.key }) {
          let stored = StoredRow(known.row, changed: min(known.changed ?? number, number))
          try onRun { () throws(RunError) in try writer.append(object, stored) }
        }
      }
      runs.append(Checkpoint.NamedRun(run))
    }
    let catalogue = try catalogue(at: time)
    let made = Checkpoint(
      number: number, time: time, frame: frame, catalogue: catalogue,
      layers: runs.isEmpty ? [] : [Checkpoint.LayerRuns(era: catalogue.eras.count - 1, runs: runs)],
      indexes: CheckpointIndexes())
    let name = try files.write(made)
    return ([(Checkpoint.checkpointKind, name)] + runs.map { (Checkpoint.runKind, $0.name) }).map {
      Manifest.Attachment(kind: $0.0, fileName: $0.1, content: [])
    }
  }

  /// What is known of the store as a whole. No context goes on: what it had not saved is lost.
  private func catalogue(at time: RecordedTime) throws(StoreError) -> Catalogue {
    let old = checkpoint?.catalogue
    var (keys, eras) = (old?.keys ?? KeyNames(), old?.eras ?? [])
    if old == nil {
      keys = names.keyNames()
      eras = [try names.era(keys)]
    }
    var catalogue = Catalogue(
      keys: keys, eras: Array(eras.dropLast(laterModels.count)),
      tags: (old?.tags ?? [:]).filter { $0.value <= number }, contexts: [:],
      reserved: old?.reserved ?? [:],
      nextContext: old?.nextContext ?? ContextNumber(rawValue: 1), time: time, head: number,
      firstKept: number.next)
    for object in known.keys { catalogue.noteNumber(of: object) }
    return catalogue
  }
}
