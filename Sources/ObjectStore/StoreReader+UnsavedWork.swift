internal import ByteCoding
internal import DiskAccess
internal import EventCoding
internal import EventFold
package import FoundationEssentials
internal import Journaling
package import ObjectModel

/// What a context has changed and not saved, as a reader finds it: a draft where its process has ended, and otherwise
/// what a running program is about to save.
package struct UnsavedWork: Sendable {
  /// What the context is called.
  package let contextName: String
  package let context: ContextNumber
  /// When it was edited last.
  package let date: Date
  /// The commit that it stands on.
  package let base: CommitNumber
  /// How many edits have not been saved.
  package let editCount: Int
  /// What a save would change, in the order of the objects' IDs.
  package let changes: [Commit.Change]
  /// What is wrong with one of its edits, which is left out with those after it; nil where nothing is.
  package let problem: StoreError?
}

extension StoreReader {
  /// What contexts have changed and not saved, that which was edited last first: as far as frames that are durable and the
  /// edit buffer hold it.
  package func unsavedWork() throws(StoreError) -> [UnsavedWork] {
    let last = try settle()
    let reader = try journalReader()
    let next = try onJournal { () throws(JournalError) in try reader.nextEdit(behind: last) }
    let known = cataloguing.withLock { self.catalogue }
    var catalogue = known
    // Under another model nothing is unsaved yet that stands behind.
    let later = try unsealedEvents(from: next, reader, &catalogue, underOneModel: true)
    let folded = try ContextFolding.unsaved(
      catalogue.contexts.filter { $0.value.standing.firstUnsavedEdit != nil },
      through: next.rawValue - 1, known.eras, before: known.time, of: self, tellingDamage: true,
      in: last, then: later)
    return folded.filter { $0.value.isDraft }.map { number, folded in
      UnsavedWork(
        contextName: folded.fold.name, context: number, date: folded.time.date,
        base: folded.standing.latest, editCount: folded.fold.editCount,
        changes: Self.changes(of: folded.fold, catalogue), problem: folded.problem)
    }.sorted { ($0.date, $0.context) > ($1.date, $1.context) }
  }

  /// What happened that no frame holds yet, as far as it is whole and fits what came before, with the names of its keys. Where
  /// a writer has sealed more than is shown there is none: what would come first is in a frame.
  func unsealedEvents() throws(StoreError) -> (events: [Event], keys: KeyNames) {
    let last = try settle()
    let reader = try journalReader()
    let next = try onJournal { () throws(JournalError) in try reader.nextEdit(behind: last) }
    var catalogue = cataloguing.withLock { self.catalogue }
    let unsealed = try unsealedEvents(from: next, reader, &catalogue, underOneModel: false)
    let durable: FrameNumber?
    do throws(DiskError) {
      durable = try EditBufferContents.durableThrough(in: folder, store: reader.manifest.store)
    } catch {
      throw StoreError(JournalError.disk(error))
    }
    guard durable ?? last <= last else { return ([], catalogue.keys) }
    return (unsealed.events.map(\.event), catalogue.keys)
  }

  /// The edits that no frame holds yet, each with its number, as far as they are whole and fit what came before.
  private func unsealedEvents(
    from next: EditNumber, _ reader: JournalReader, _ catalogue: inout Catalogue,
    underOneModel: Bool
  ) throws(StoreError) -> UnsealedEvents {
    var buffer = try onJournal { () throws(JournalError) in
      try EditBufferContents.found(in: folder, store: reader.manifest.store)
    }
    var events = UnsealedEvents()
    var folded = catalogue
    buffer.forEachUnsealedEdit(from: next) { bytes, isSpan in
      let number = next.rawValue + UInt64(events.events.count)
      let event: Event
      if isSpan, let span = Span(unsealed: bytes), span.byteCount > limits.editByteCount {
        if let context = context(ofBeginning: span, reader) {
          let error = StoreError(tooLarge: span.byteCount, limits.editByteCount, in: .none)
          events.end = (number, context, error)
        }
        return false
      }
      do throws(EventCodingError) {
        guard let decoded = try decode(bytes, isSpan: isSpan, reader, decoder.event) else {
          return false
        }
        event = decoded
      } catch {
        guard error.code == .tooMany,
          let context = try? decode(bytes, isSpan: isSpan, reader, decoder.contextOfSet)
        else {
          return false
        }
        events.end = (number, context, StoreError(error, in: .none))
        return false
      }
      if underOneModel, case .modelAdopted = event { return false }
      do throws(Catalogue.Contradiction) {
        try folded.apply(event, edit: number)
      } catch {
        return false
      }
      events.events.append((number, event))
      return true
    }
    catalogue = folded
    return events
  }

  private func context(ofBeginning span: Span, _ reader: JournalReader) -> ContextNumber? {
    let beginning = try? reader.bytes(of: span.beginning(BatchContent.beginningByteCount))
    return beginning?.withUnsafeBytes { try? decoder.contextOfSet($0) }
  }

  /// Decodes what is of an edit; nil where it is not whole.
  private func decode<Answer>(
    _ bytes: UnsafeRawBufferPointer, isSpan: Bool, _ reader: JournalReader,
    _ body: (UnsafeRawBufferPointer) throws(EventCodingError) -> Answer?
  ) throws(EventCodingError) -> Answer? {
    guard isSpan else { return try body(bytes) }
    guard let span = Span(unsealed: bytes), let whole = try? reader.bytes(of: span) else {
      return nil
    }
    return try whole.withUnsafeBytes { bytes in
      Result { () throws(EventCodingError) in try body(bytes) }
    }.get()
  }

  private static func changes(of fold: ContextFold, _ catalogue: Catalogue) -> [Commit.Change] {
    fold.objects.filter { $0.value.kind != .unchanged }.sorted { $0.key < $1.key }
      .map { object, draft in
        let (old, new) = (draft.baseRow, draft.row)
        var values: [String: Commit.ChangedValue] = [:]
        for key in Set((old?.entries ?? []).map(\.key)).union((new?.entries ?? []).map(\.key))
        where old?[key] != new?[key] {
          values[catalogue.keys[key] ?? ""] = Commit.ChangedValue(old: old?[key], new: new?[key])
        }
        let kind: Commit.Kind =
          switch draft.kind {
          case .inserted: .inserted
          case .deleted: .deleted
          case .updated, .unchanged: .updated
          }
        return Commit.Change(
          objectID: object, entityName: catalogue.era?.name(of: object.entity) ?? "", kind: kind,
          values: values)
      }
  }
}

extension JournalReader {
  /// The number of the edit behind those that are in frames up to one.
  func nextEdit(behind last: FrameNumber) throws(JournalError) -> EditNumber {
    for segment in manifest.segments.reversed() where segment.firstFrame <= last {
      var next: EditNumber?
      _ = try forEachFrame(from: segment.firstFrame) { frame in
        guard frame.number <= last else { return false }
        if frame.kind == .batch, let batch = Batch(frame.payload) { next = batch.nextEdit }
        return frame.number != last
      }
      if let next { return next }
    }
    return try firstEdit()
  }
}

extension Span {
  /// Reads what stands in the edit buffer for an edit that lies in pieces.
  fileprivate init?(unsealed bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      let first = try reader.readVarint()
      let (pieceCount, byteCount) = (try reader.readVarint(), try reader.readVarint())
      let check = try reader.readInteger(UInt64.self)
      guard first > 0, first < 1 << 62, byteCount <= 1 << 30, (1...byteCount).contains(pieceCount)
      else {
        return nil
      }
      self.init(
        firstFrame: FrameNumber(first), pieceCount: Int(pieceCount), byteCount: Int(byteCount),
        check: check)
    } catch {
      return nil
    }
  }
}

/// What contexts did that no frame holds yet.
struct UnsealedEvents {
  var events: [(edit: UInt64, event: Event)] = []
  /// The edit that is more than is to be held, with its context; what comes behind it is left out.
  var end: (edit: UInt64, context: ContextNumber, error: StoreError)?
}
