internal import DiskAccess
internal import EventCoding
internal import Journaling

/// Frames that are to be dropped, looked at on two threads at once, each at a segment of its own.
///
/// It only finds that all is well. Where it does not, and where what a segment says depends on the pieces of an earlier
/// one, whoever goes over all of them in order finds out, and says, what is wrong.
final class DroppedFrames: @unchecked Sendable {
  /// The frames of a segment.
  private struct Part {
    let first: FrameNumber
    let last: FrameNumber
  }

  private let parts: [Part]
  private let last: FrameNumber
  private let decoder: EventDecoder
  private let makeReader: @Sendable () throws(StoreError) -> JournalReader
  private let lock = Lock()
  // Guarded by `lock`.
  private var takenCount = 0
  private var isWell = true
  private var countBeside = 0

  /// Frames from one through another; nil where they are of one segment.
  init?(
    from first: FrameNumber, through last: FrameNumber, of manifest: Manifest,
    _ decoder: EventDecoder,
    _ makeReader: @escaping @Sendable () throws(StoreError) -> JournalReader
  ) {
    let ends = manifest.segments.compactMap { $0.sealing?.lastFrame }.filter {
      $0 >= first && $0 < last
    }
    guard !ends.isEmpty else { return nil }
    parts = zip([first] + ends.map(\.next), ends + [last]).map { Part(first: $0, last: $1) }
    self.last = last
    self.decoder = decoder
    self.makeReader = makeReader
  }

  /// Whether all of it can be read and is understood.
  ///
  /// - Parameter pass: told on this thread of how many frames have been looked at since it was told last; returns
  ///   whether to go on.
  func areWell(_ pass: (Int) -> Bool) -> Bool {
    // Where the system has no thread to give, this one does it all.
    let thread = try? BackgroundThread { [self] in
      goOver { [self] in
        lock.withLock {
          countBeside += 1
          return isWell
        }
      }
    }
    goOver { [self] in
      let beside = takeCountBeside()
      return pass(1 + beside.count) && beside.isWell
    }
    thread?.join()
    let beside = takeCountBeside()
    return beside.isWell && pass(beside.count)
  }

  /// How many frames have been looked at on the other thread since this was asked last, and whether to go on.
  private func takeCountBeside() -> (count: Int, isWell: Bool) {
    lock.withLock {
      defer { countBeside = 0 }
      return (countBeside, isWell)
    }
  }

  private func takePart() -> Part? {
    lock.withLock {
      guard isWell, takenCount < parts.count else { return nil }
      defer { takenCount += 1 }
      return parts[takenCount]
    }
  }

  /// Looks at segments as long as there are any that nobody has taken.
  private func goOver(_ pass: () -> Bool) {
    do throws(StoreError) {
      let reader = try makeReader()
      while let part = takePart() {
        if try !isWell(part, reader, pass) { lock.withLock { isWell = false } }
      }
    } catch {
      lock.withLock { isWell = false }
    }
  }

  /// Reads on behind a part to the next batch: how its segment ends, and that no edits are missing between the two,
  /// is found there.
  private func isWell(
    _ part: Part, _ reader: JournalReader, _ pass: () -> Bool
  ) throws(StoreError) -> Bool {
    var isWell = true
    let ending = try onJournal { () throws(JournalError) in
      try reader.forEachFrame(from: part.first) { frame in
        if frame.number > part.last { return frame.kind != .batch && frame.number < last }
        isWell = self.isWell(frame, of: part, reader) && pass()
        return isWell && frame.number < last
      }
    }
    return isWell && ending.next > part.last && ending.finding == nil
  }

  private func isWell(
    _ frame: JournalReader.Frame, of part: Part, _ reader: JournalReader
  ) -> Bool {
    guard frame.kind == .batch else { return frame.kind == .idleMarker || frame.kind == .piece }
    do throws(StoreError) {
      return try BatchContent.forEach(
        in: frame.payload, of: frame.number, decoder,
        pieces: { (span) throws(JournalError) in
          // Whether another batch has named them is known to whoever goes over all.
          guard span.firstFrame >= part.first || part.first == parts[0].first else {
            throw .framesDropped(before: part.first)
          }
          return try reader.bytes(of: span)
        }
      ) { (batch, entry) throws(StoreError) in
        try batch.refuseUnreadable(entry)
        return true
      }
    } catch {
      return false
    }
  }
}
