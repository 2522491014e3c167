package import DiskAccess
internal import EventCoding
internal import Journaling
public import ObjectModel

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

  /// Opens a store on a disk.
  package convenience init(
    on disk: any Disk, at path: String, model: ManagedObjectModel?,
    options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    var journalOptions = options.journal
    journalOptions.allowsNetworkFileSystems = options.allowsNetworkFileSystems
    let (journal, report) = try onJournal { () throws(JournalError) in
      try Journal.open(
        on: disk, at: path, making: options.makesStore ? .ifMissing : .never,
        options: journalOptions)
    }
    do throws(StoreError) {
      var files = try CheckpointFiles(
        in: journal.folder, journal.store,
        cache: BlockCache(largestByteCount: options.cacheByteCount))
      let fold = try Self.fold(journal, on: disk, at: path, &files)
      try self.init(
        path: path, options: options, disk: disk, journal: journal, recovery: report, fold, files)
      if leftContexts.mayHaveDrafts { try leftContexts.fold(self) }
      if let model { try adopt(model) }
    } catch {
      // The journal is as it was; the first error is the one to tell.
      try? journal.close()
      throw error
    }
  }

  /// Folds what the journal says after the checkpoint onto it.
  private static func fold(
    _ journal: Journal, on disk: any Disk, at path: String, _ files: inout CheckpointFiles
  ) throws(StoreError) -> StoreFold {
    let store = journal.store
    var fold = StoreFold(store.tag)
    var first: FrameNumber?
    let manifest = journal.manifest
    if let (name, checkpoint) = try Checkpoint.read(manifest, in: journal.folder) {
      fold = try checkpoint.fold(of: store, in: journal.folder, cache: files.cache)
      files.stand(on: checkpoint, name: name)
      first = checkpoint.frame.next
    }
    let reader = try onJournal { () throws(JournalError) in try JournalReader(at: path, on: disk) }
    let ending = try reader.forEachEntry(from: first, EventDecoder(store: store.tag)) {
      (place, entry) throws(StoreError) in
      try fold.apply(entry, in: place.number)
      return true
    }
    if let finding = ending.finding { throw StoreError(JournalError.damaged(finding)) }
    return fold
  }

  /// Makes a model the store's, unless it is already.
  private func adopt(_ model: ManagedObjectModel) throws(StoreError) {
    guard catalogue.era?.model != model else { return }
    let entities = try Era.number(model, after: catalogue.eras)
    try gatherDestinations(for: model)
    for entity in model.entities {
      for attribute in entity.attributes { _ = try key(named: attribute.name) }
      for relationship in entity.relationships { _ = try key(named: relationship.name) }
    }
    catalogue.advance(to: head.number)
    let event = Event.modelAdopted(entities)
    let number = try append(event)
    do throws(Catalogue.Contradiction) {
      try catalogue.apply(event, edit: number.rawValue)
    } catch {
      throw StoreError(.modelDoesNotFit, "the model does not fit the store: \(error.sentence).")
    }
    guard let era = catalogue.era else { return }
    pending.begin(era)
    publish(anew: pending.snapshot)
  }
}
