internal import ObjectModel

/// Objects whose rows were written in one era.
struct Layer: Sendable {
  /// The place of the era among the catalogue's.
  let era: Int
  /// What has changed since the runs were written.
  private(set) var changes = ObjectTable<Overlay>()
  /// Roughly how much memory the changes take.
  private(set) var changesByteCount = 0
  /// The newest first.
  var runs: [Run] = []

  init(era: Int, runs: [Run] = []) {
    self.era = era
    self.runs = runs
  }

  /// The same changes without the runs.
  var withoutRuns: Layer {
    var layer = self
    layer.runs = []
    return layer
  }

  /// Notes what has become of an object.
  mutating func set(_ object: ObjectID, _ overlay: Overlay) { update(object) { _ in overlay } }

  /// Notes what has become of an object, by what is known of it so far.
  mutating func update(_ object: ObjectID, _ make: (Overlay?) -> Overlay) {
    var growth = 0
    changes.update(object) { old in
      let overlay = make(old)
      growth = overlay.byteCount - (old?.byteCount ?? 0)
      return overlay
    }
    changesByteCount += growth
  }

  /// What the layer says of an object; nil where it says nothing.
  func overlay(_ object: ObjectID) throws(StoreError) -> Overlay? {
    if let overlay = changes[object] { return overlay }
    for run in runs {
      if let stored = try onRun({ () throws(RunError) in try run.stored(object) }) {
        return .whole(stored)
      }
    }
    return nil
  }

  /// The commit that changed an object last; nil where the layer says nothing of it.
  func changed(_ object: ObjectID) throws(StoreError) -> CommitNumber? {
    if let overlay = changes[object] { return overlay.changed }
    for run in runs {
      if let commit = try onRun({ () throws(RunError) in try run.changed(of: object) }) {
        return commit
      }
    }
    return nil
  }
}

/// Reads or writes runs, whose failures are the store's.
func onRun<Answer>(_ body: () throws(RunError) -> Answer) throws(StoreError) -> Answer {
  do throws(RunError) {
    return try body()
  } catch {
    throw StoreError(error)
  }
}
