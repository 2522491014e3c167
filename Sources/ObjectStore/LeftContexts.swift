internal import EventFold
internal import ObjectModel

/// The contexts that had begun and not ended when the store was opened: those of processes that ended in
/// disorder, or let them go.
///
/// What they have not saved is folded when the store is opened, and nothing else; what they can undo is folded
/// when one of them is to go on.
struct LeftContexts {
  /// Those that are neither ended nor resumed yet.
  private(set) var open: [ContextNumber: Catalogue.OpenContext]
  /// The last edit of the journal when the store was opened.
  let lastEdit: UInt64
  /// The eras there were then.
  private let eras: [Era]
  /// The time of the last thing the journal told then.
  private let lastTime: RecordedTime
  /// What those hold that may have something unsaved, once it is folded: without what they can undo.
  private var unsaved: [ContextNumber: FoldedContext] = [:]
  /// How many eras what they hold has followed.
  private var eraCount: Int

  init(_ catalogue: Catalogue, lastEdit: UInt64) {
    open = catalogue.contexts
    eras = catalogue.eras
    eraCount = eras.count
    lastTime = catalogue.time
    self.lastEdit = lastEdit
  }

  /// Those that have changes, or have lost some, the one edited last first.
  func drafts(of store: StoreTag) -> [Draft] {
    unsaved.filter { $0.value.isDraft }.compactMap { number, left in
      open[number].map { open in
        Draft(
          contextName: left.fold.name, date: left.time.date, editCount: left.fold.editCount,
          objectIDs: left.fold.objects.filter { $0.value.kind != .unchanged }.keys.sorted(),
          problem: left.problem, store: store, context: number, firstEdit: open.firstEdit)
      }
    }.sorted { ($0.date, $0.context) > ($1.date, $1.context) }
  }

  /// Those that have nothing to offer.
  var idle: [ContextNumber] { open.keys.filter { unsaved[$0]?.isDraft != true }.sorted() }

  /// Whether a draft is of one of them.
  func has(_ draft: Draft) -> Bool { open[draft.context]?.firstEdit == draft.firstEdit }

  mutating func remove(_ number: ContextNumber) {
    open[number] = nil
    unsaved[number] = nil
  }

  /// Folds what is not saved, from the first edit of it on.
  ///
  /// - Parameter tellsDamage: whether damage of what a context stands on is told by its draft, and not thrown.
  mutating func foldUnsaved(
    _ store: JournaledStore, tellingDamage tellsDamage: Bool
  ) throws(StoreError) {
    unsaved = try ContextFolding.unsaved(
      open.filter { $0.value.standing.firstUnsavedEdit != nil }, through: lastEdit, eras,
      before: lastTime, of: store, tellingDamage: tellsDamage)
  }

  /// One of them with what it can undo, from all its edits.
  ///
  /// - Parameter sparesDamage: whether what is damaged costs what it can undo, and is not thrown: what it has not
  ///   saved is known.
  func whole(
    _ number: ContextNumber, _ store: JournaledStore, sparingDamage sparesDamage: Bool
  ) throws(StoreError) -> FoldedContext? {
    guard let left = open[number] else { return nil }
    var whole: FoldedContext?
    do throws(StoreError) {
      whole = try ContextFolding.whole(
        number, from: left.firstEdit, through: lastEdit, eras, of: store,
        tellingDamage: sparesDamage)
    } catch {
      guard error.isFinding, sparesDamage, unsaved[number] != nil else { throw error }
    }
    let latest = store.head.eras
    for era in latest.indices.dropFirst(eras.count) {
      try whole?.follow(era, of: latest, in: store)
    }
    // What is wrong with what is saved costs what can be undone, and no more.
    if whole?.problem != nil, let unsaved = unsaved[number], unsaved.problem == nil {
      return unsaved
    }
    return whole ?? unsaved[number]
  }

  /// Has what is unsaved go on under the store's model, where that is another than the one it is of.
  mutating func follow(_ store: JournaledStore) throws(StoreError) {
    let latest = store.head.eras
    for era in latest.indices.dropFirst(eraCount) {
      for number in unsaved.keys { try unsaved[number]?.follow(era, of: latest, in: store) }
      eraCount += 1
    }
  }
}
