// Frames of any events and commits, whether they fit each other or not, by the codec that writes those of stores.

internal import ByteCoding
package import DiskSimulation
package import EventCoding
internal import Journaling
package import ObjectModel
internal import ObjectStore

/// A frame in the making.
package struct ToldBatch {
  /// The store that all of them are of.
  package static let store = ManifestBytes().store.tag

  package var events: [Event]
  package var commits: [CommitContent]
  /// What each commit has besides.
  package var fields: [CommitField]

  package init(
    _ events: [Event] = [], commits: [CommitContent] = [], fields: [CommitField] = []
  ) {
    (self.events, self.commits, self.fields) = (events, commits, fields)
  }

  private func payload(firstEdit: UInt64) throws -> [UInt8] {
    let edits = try events.map { event in
      var writer = ByteWriter()
      try EventEncoder(store: Self.store).append(event, to: &writer)
      return writer.array
    }
    let commits = try commits.map { commit in
      var writer = ByteWriter()
      try CommitEncoder(store: Self.store).append(commit, fields: fields, to: &writer)
      return writer.array
    }
    return batchBytes(firstEdit: firstEdit, edits: edits, commits: commits)
  }

  /// A store, at `store`, with these frames.
  package static func disk(_ batches: [ToldBatch]) throws -> SimulatedDisk {
    var (payloads, next): ([[UInt8]], UInt64) = ([], 1)
    for batch in batches {
      payloads.append(try batch.payload(firstEdit: next))
      next += UInt64(batch.events.count)
    }
    return try StoreBuilder(payloads: payloads).disk()
  }
}
