internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

extension JournaledStore {
  /// Writes the state anew in as little room as it needs, and drops what is not to be kept of the past.
  ///
  /// Commits go on meanwhile. It is done wholly or not at all. Whatever is kept, no state that was to be kept
  /// changes, and what contexts that are open or were never ended stand on stays, with their undo history.
  ///
  /// - Parameters:
  ///   - kept: what to keep.
  ///   - progress: told how far it has come: before each step, with every hundredth of the way, and at the end;
  ///     returns whether to go on. It may read the store and save. What has to wait for a compaction, as another
  ///     one, a checkpoint, a backup or closing, it may ask for before a step and at the end; otherwise that throws.
  /// - Returns: whether it came to its end; where it did not, the store is as it was. Only that contexts of
  ///   which nothing is wanted are ended before the state is written, and stay so: those that an earlier process left with
  ///   nothing unsaved, and those that were given up when the journal could not take that.
  /// - Throws: where what is to be dropped is damaged, or written by newer code, or a session whose edits are to be
  ///   kept is not wholly there; nothing has changed then.
  @discardableResult
  public func compact(
    keeping kept: Keeping, progress: @escaping (CompactionProgress) -> Bool = { _ in true }
  ) throws(StoreError) -> Bool {
    let meter = CompactionMeter { [self] told, isAtWork in
      isAtWork ? whileReporting { progress(told) } : progress(told)
    }
    do throws(StoreError) {
      try compact(keeping: kept, meter)
    } catch {
      if error.code == .brokenOff { return false }
      throw error
    }
    meter.finish()
    return true
  }

  private func compact(keeping kept: Keeping, _ meter: CompactionMeter) throws(StoreError) {
    // What they stand on would be kept.
    endGivenUp()
    try meter.begin(.checking)
    let checked = try whileCheckpointing { () throws(StoreError) -> FrameNumber in
      let cut = try cut(covering: false)
      let idle = drafting.withLock { leftContexts.idle }
      guard let first = try firstKept(kept, cut, afterEnding: idle) else { return .none }
      try check(before: first.frame, cost(of: cut), meter)
      return first.frame
    }
    try meter.begin(.writing)
    try whileCheckpointing { () throws(StoreError) in
      // Before the state is settled that is written, so that it is one without them.
      if kept.past != .everything { try endLeftContexts() }
      try writeCheckpoint(merging: true, meter) { cut throws(StoreError) in
        meter.expect(cost(of: cut))
        guard let first = try firstKept(kept, cut) else { return nil }
        // What has come since, or what a context that has ended since stood on.
        try check(from: checked, before: first.frame, cost(of: cut), meter)
        return first
      }
    }
  }

  /// What it takes to write a state anew: about a row, or an entry of an index, each.
  private func cost(of cut: Cut) -> Double {
    let layers = cut.snapshot.layers
    let rows = layers.reduce(0.0) { sum, layer in
      layer.runs.reduce(sum + Double(layer.changes.count)) { $0 + Double($1.rowCount) }
    }
    let index = cut.snapshot.index
    let entries = index.changes.reduce(0.0) { $0 + Double($1.count) }
    return index.runs.reduce(rows + entries) { $0 + Double($1.entryCount) }
  }

  /// Reads everything before a frame, from another on.
  private func check(
    from first: FrameNumber = .none, before frame: FrameNumber, _ further: Double,
    _ meter: CompactionMeter
  ) throws(StoreError) {
    let reader = try journalReader()
    var next = max(first, reader.manifest.segments[0].firstFrame)
    guard next < frame else { return }
    let cost = Double(frame.rawValue - next.rawValue) * CompactionMeter.frameCost + further
    meter.expect(cost)
    if try isFoundWell(from: next, through: frame.previous, reader.manifest, meter) { return }
    meter.expect(cost)
    let ending = try reader.forEachEntry(
      from: next, through: frame.previous, decoder,
      others: { (number, kind) throws(StoreError) in
        guard kind == .idleMarker || kind == .piece else {
          throw .unknownKind(kind.rawValue, number)
        }
        return true
      }
    ) { (place, batch, entry) throws(StoreError) in
      try batch.refuseUnreadable(entry)
      let count = place.number.rawValue - next.rawValue
      next = place.number
      try meter.pass(Double(count) * CompactionMeter.frameCost)
      return true
    }
    if let finding = ending.finding { throw StoreError(refusing: finding) }
  }

  /// Whether frames could be looked at on two threads, and nothing is wrong with them.
  private func isFoundWell(
    from first: FrameNumber, through last: FrameNumber, _ manifest: Manifest,
    _ meter: CompactionMeter
  ) throws(StoreError) -> Bool {
    guard options.journal.hasUpkeepThread,
      let frames = DroppedFrames(
        from: first, through: last, of: manifest, decoder,
        { [self] () throws(StoreError) in try journalReader() })
    else { return false }
    var failure: StoreError?
    let areWell = frames.areWell { count in
      do throws(StoreError) {
        try meter.pass(Double(count) * CompactionMeter.frameCost)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return areWell
  }
}

extension BatchContent {
  /// Reads an entry that is to be dropped.
  ///
  /// - Throws: where it cannot be read, or newer code has written something of it.
  func refuseUnreadable(_ entry: Entry) throws(StoreError) {
    if isPlain(entry) { return }
    let decoded = try decoded(entry)
    if case .event(_, .unknown(let kind, _)) = decoded { throw .unknownKind(kind, frame) }
    if case .commit(let commit) = decoded,
      let field = commit.fields.first(where: { !$0.isKnown })
    {
      throw .unknownKind(field.kind, frame)
    }
  }
}

extension StoreError {
  static func unknownKind(_ kind: UInt8, _ frame: FrameNumber) -> StoreError {
    StoreError(
      .newerFormat,
      "\(place(of: frame)) has something of kind \(kind), which newer code has written; open the "
        + "store with the newer version of the program.")
  }
}
