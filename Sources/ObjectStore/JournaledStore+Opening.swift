public import DiskAccess
internal import EventCoding
public import FoundationEssentials
internal import Journaling
public import ObjectModel
internal import Synchronization

extension JournaledStore {
  /// Opens a store for reading and writing, and makes it where there is none.
  ///
  /// A store that a crash has left is recovered: what was committed is there, and what was edited and not
  /// saved is offered as drafts. A model other than the store's is brought together with it where that can be
  /// inferred; the past stays readable under the model it had.
  ///
  /// - Parameters:
  ///   - path: the store's folder.
  ///   - model: what the program's objects are like; without one, the store's own.
  /// - Throws: `StoreError`. Nothing has been changed where the store is damaged, or the model does not fit.
  public convenience init(
    at path: String, model: ManagedObjectModel?, options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    try self.init(on: PosixDisk(), at: path, model: model, options: options)
  }

  /// Opens the store in the folder of a file URL, as `init(at:model:options:)` does.
  public convenience init(
    at url: URL, model: ManagedObjectModel?, options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    guard url.isFileURL else { throw .notAFolder(url) }
    try self.init(at: url.path(percentEncoded: false), model: model, options: options)
  }

  /// Opens a store on a disk: a simulated one, on which a program's tests let calls fail, processes die and the power
  /// go, or one that counts calls.
  public convenience init(
    on disk: any Disk, at path: String, model: ManagedObjectModel?,
    options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    try StoreError.refuseNoPath(path)
    var journalOptions = options.journal
    journalOptions.allowsNetworkFileSystems = options.allowsNetworkFileSystems
    let opening = StoreOpening(
      at: path, on: disk, model, cache: BlockCache(largestByteCount: options.cacheByteCount))
    let (journal, report) = try opening.openJournal(
      making: options.makesStore ? .ifMissing : .never, journalOptions)
    do throws(StoreError) {
      var runs = options.run
      runs.hasThread = options.journal.hasUpkeepThread
      var files = try CheckpointFiles(
        in: journal.folder, journal.store, cache: opening.cache, runs: runs)
      let fold = try opening.fold(
        journal, &files, within: options.unflushedByteCount, hasThread: runs.hasThread)
      if let (name, checkpoint) = opening.checkpoint { files.stand(on: checkpoint, name: name) }
      try self.init(
        path: path, options: options, disk: disk, journal: journal, recovery: report, fold, files)
      program.withLock { $0 = model?.program }
      note(report.storeFindings + [opening.finding].compactMap(\.self))
      try mending { (isLast) throws(StoreError) in
        try leftContexts.foldUnsaved(self, tellingDamage: isLast)
      }
      // Nobody else has the store yet, and no checkpoint that is due may be the first.
      committing.withLock { isFlushing = true }
      if let model { try adopt(model) }
      try makeMissingIndexes()
      committing.withLock { isFlushing = false }
      try leftContexts.follow(self)
      if opening.finding != nil { flush() }
      if !report.savedFiles.isEmpty { journal.noteSavedFilesTold() }
    } catch {
      // The journal is as it was; the first error is the one to tell.
      try? journal.close()
      throw error
    }
  }

  /// Makes a model the store's, unless it is already.
  private func adopt(_ model: ManagedObjectModel) throws(StoreError) {
    guard catalogue.era?.model != model else { return }
    let entities = try Era.number(model, after: catalogue.eras, wanted: options.entityNumbers)
    try mending { _ throws(StoreError) in try refuseDynamicValues(thatHaveNoPlaceIn: model) }
    try gatherDestinations(for: model)
    for entity in model.entities {
      for attribute in entity.attributes { _ = try key(named: attribute.name) }
      for relationship in entity.relationships { _ = try key(named: relationship.name) }
    }
    catalogue.advance(to: head.number)
    let event = Event.modelAdopted(entities)
    var next = catalogue
    do throws(Catalogue.Contradiction) {
      try next.apply(event, edit: 0)
    } catch {
      throw StoreError(.modelDoesNotFit, "the model does not fit the store: \(error.sentence).")
    }
    try append(event)
    catalogue = next
    guard let era = next.era else { return }
    pending.begin(era)
    publish(anew: pending.latest)
    // Who only looks knows what is not saved under the model, and the names in it, from frames.
    try onJournal { () throws(JournalError) in try journal.sync() }
  }
}

extension StoreError {
  fileprivate static func notAFolder(_ url: URL) -> StoreError {
    StoreError(
      .notAStore, "\(url.absoluteString) is no folder of this machine; give the URL of a file.")
  }
}
