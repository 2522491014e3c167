internal import EventFold
internal import ObjectModel

/// The contexts that had begun and not ended when the store was opened: those of processes that ended in
/// disorder, or let them go.
struct LeftContexts {
  /// Those that are neither ended nor resumed yet.
  private(set) var open: [ContextNumber: Catalogue.OpenContext]
  /// The last edit of the journal when the store was opened.
  private let lastEdit: UInt64
  /// What they hold, once they are folded.
  private(set) var contents: [ContextNumber: FoldedContext] = [:]
  /// The eras up to that of what they hold.
  private var eras: [Era]
  private var isFolded = false

  init(_ catalogue: Catalogue, lastEdit: UInt64) {
    open = catalogue.contexts
    eras = catalogue.eras
    self.lastEdit = lastEdit
  }

  /// Whether any of them may have work that is not saved.
  var mayHaveDrafts: Bool { open.values.contains { $0.firstUnsavedEdit != nil } }

  /// Those that have changes, or have lost some, the one edited last first.
  var drafts: [Draft] {
    contents.values.filter(\.isDraft).map { left in
      Draft(
        contextName: left.fold.name, date: left.time.date, editCount: left.fold.editCount,
        objectIDs: left.fold.objects.filter { $0.value.kind != .unchanged }.keys.sorted(),
        problem: left.problem, context: left.fold.number)
    }.sorted { ($0.date, $0.context) > ($1.date, $1.context) }
  }

  mutating func remove(_ number: ContextNumber) {
    open[number] = nil
    contents[number] = nil
  }

  /// Folds the edits of all of them, from where the first one began, unless that was done.
  mutating func fold(_ store: JournaledStore) throws(StoreError) {
    if !isFolded, let first = open.values.map(\.firstEdit).min() {
      contents = try ContextFolding.contexts(
        Set(open.keys), from: first, through: lastEdit, eras, of: store)
    }
    isFolded = true
    follow(store)
  }

  /// Has them go on under the store's model, where that is another than the one they are of.
  mutating func follow(_ store: JournaledStore) {
    guard isFolded else { return }
    for era in store.head.eras.dropFirst(eras.count) {
      for number in contents.keys { contents[number]?.convert(to: era, of: store) }
      eras.append(era)
    }
  }
}
