package import DiskAccess
package import Journaling
package import ObjectModel
internal import PropertyListCoding

/// A file of rows, sorted by object, that never changes: for each object a row, or that it is deleted. Any
/// thread may read it.
///
/// Opening reads header, footer and index. Everything else is read, checked and decompressed when it is
/// asked for, and no more of it than that: the directory of a block, and the columns that are wanted. What
/// has been decompressed is in the cache, which runs share.
package final class Run: Sendable {
  /// The file's name in its folder.
  package let name: String
  package let store: StoreIdentity
  /// The length of the file.
  package let byteCount: UInt64
  let file: any ReadableFile
  let header: RunHeader
  let footer: RunFooter
  package let index: RunIndex
  package let cache: BlockCache
  let slots: BlockSlots

  /// How many rows there are, those of deleted objects included.
  package var rowCount: UInt64 { footer.rowCount }
  /// How many rows say that their object is deleted.
  package var deletedCount: UInt64 { footer.deletedCount }
  package var blockCount: Int { index.entries.count }

  /// Opens a run.
  ///
  /// - Throws: `disk`, `newerFormat`, or `damaged` where header, footer or index are not sound, or of
  ///   another store.
  package init(
    _ name: String, in folder: any ReadableFolder, store: StoreIdentity, cache: BlockCache
  ) throws(RunError) {
    file = try onDisk { () throws(DiskError) in try folder.fileForReading(name) }
    let opening = try RunOpening(file, name, store: store)
    self.name = name
    self.store = store
    self.cache = cache
    byteCount = opening.ends.byteCount
    (header, footer, index) = (opening.ends.header, opening.ends.footer, opening.index)
    slots = BlockSlots(count: opening.index.entries.count)
  }

  /// Opens a run whose index or footer is damaged, with the blocks that are sound, and these alone.
  ///
  /// - Returns: nil where its footer is not known, without which it may be any run.
  package init?(
    searching name: String, in folder: any ReadableFolder, store: StoreIdentity, cache: BlockCache
  ) throws(RunError) {
    file = try onDisk { () throws(DiskError) in try folder.fileForReading(name) }
    let search = try RunBlockSearch(file, name, store: store)
    guard let footer = search.footer else { return nil }
    self.name = name
    self.store = store
    self.cache = cache
    byteCount = search.byteCount
    (header, self.footer, index) = (search.header, footer, search.index)
    slots = BlockSlots(count: search.index.entries.count)
  }

  deinit { cache.removeAll(of: slots) }

  /// What a run has of an object.
  package enum Lookup<Found> {
    /// The run says nothing of the object.
    case absent
    /// The run says that the object is deleted.
    case deleted
    case found(Found)
  }

  /// The row of an object.
  ///
  /// Costs: nothing but a search where the index tells that there is none. Otherwise the block's directory
  /// and the columns of all keys are read, unless the cache has them.
  package func row(of object: ObjectID) throws(RunError) -> Lookup<Row> {
    guard let place = try place(of: object) else { return .absent }
    return place.isDeleted ? .deleted : .found(try row(place.inBlock, try block(place)))
  }

  /// What a commit has left of an object; nil where the run says nothing of it.
  ///
  /// Costs: as `row(of:)`, and the column of commits is read too.
  package func stored(_ object: ObjectID) throws(RunError) -> StoredRow? {
    guard let place = try place(of: object) else { return nil }
    return try stored(place.inBlock, try block(place))
  }

  /// The commit that changed an object last, or deleted it; nil where the run says nothing of it.
  ///
  /// Costs: as `value(of:_:)`: the block's directory and one column are read.
  package func changed(of object: ObjectID) throws(RunError) -> CommitNumber? {
    guard let place = try place(of: object) else { return nil }
    return try changed(place.inBlock, try block(place))
  }

  /// The value of an object's key; found but nil where the object has none for it.
  ///
  /// Costs: as `row(of:)`, but only one column is read.
  package func value(
    of object: ObjectID, _ key: KeyNumber
  ) throws(RunError) -> Lookup<Value?> {
    guard let place = try place(of: object) else { return .absent }
    return place.isDeleted ? .deleted : .found(try value(key, place.inBlock, try block(place)))
  }

  /// Where an object's row is.
  struct Place {
    let block: Int
    let inBlock: Int
    let isDeleted: Bool
    /// The block, where it was read just now: the cache need not keep it.
    fileprivate let read: Block?
  }

  /// Where an object's row is; nil where there is none.
  @inline(__always)
  func place(of object: ObjectID) throws(RunError) -> Place? {
    guard let index = index.block(of: object.rawValue) else { return nil }
    switch cache.row(of: object.rawValue, index, of: slots) {
    case .absent: return nil
    case .row(let place, let isDeleted):
      return Place(block: index, inBlock: place, isDeleted: isDeleted, read: nil)
    case .unread: return try placeRead(of: object, index)
    }
  }

  private func placeRead(of object: ObjectID, _ index: Int) throws(RunError) -> Place? {
    let block = try block(index)
    let directory = block.directory
    guard let place = directory.place(of: object.rawValue) else { return nil }
    return Place(
      block: index, inBlock: place, isDeleted: directory.isDeleted(place), read: block)
  }

  private func block(_ place: Place) throws(RunError) -> Block {
    if let read = place.read { return read }
    return try block(place.block)
  }

  func stored(_ place: Int, _ block: Block) throws(RunError) -> StoredRow {
    let commit = try changed(place, block)
    if block.directory.isDeleted(place) { return StoredRow(nil, changed: commit) }
    return StoredRow(try row(place, block), changed: commit)
  }

  func changed(_ place: Int, _ block: Block) throws(RunError) -> CommitNumber {
    let commits = try content(ofColumn: 0, block)
    do {
      if let commit = CommitNumber(try commits.values.value(place)) { return commit }
    } catch {}
    throw malformed(block.directory.columns[0], block.index)
  }

  @inline(__always)
  func value(_ key: KeyNumber, _ place: Int, _ block: Block) throws(RunError) -> Value? {
    guard let column = block.column(of: key) else { return .none }
    // What is kept stays as long as the block: nobody counts who reads it.
    var read: ColumnContent?
    defer { withExtendedLifetime((block, read)) {} }
    let content: Unmanaged<ColumnContent>
    if let kept = block.unmanagedContent(column) {
      content = kept
    } else {
      let found = try self.content(ofColumn: column, block)
      (read, content) = (found, .passUnretained(found))
    }
    do {
      return try content._withUnsafeGuaranteedRef { try $0.values.value(place).unlessNull }
    } catch {
      throw malformed(block.directory.columns[column], block.index)
    }
  }

  /// Finds the values of a row in all columns, and then decodes them.
  func row(_ place: Int, _ block: Block) throws(RunError) -> Row {
    let contents = try contentsOfKeys(block)
    var column = 0
    do {
      var elements: [PropertyListArray.Element] = []
      elements.reserveCapacity(contents.count)
      while column < contents.count {
        elements.append(try contents[column].values.element(place))
        column += 1
      }
      var entries: [Row.Entry] = []
      entries.reserveCapacity(contents.count)
      column = 0
      while column < contents.count {
        try contents[column].values.locate(&elements[column])
        column += 1
      }
      column = 0
      while column < contents.count {
        let value = try contents[column].values.value(elements[column])
        if !value.isNull { entries.append(Row.Entry(block.directory.key(column + 1), value)) }
        column += 1
      }
      return row(entries)
    } catch {
      throw malformed(block.directory.columns[column + 1], block.index)
    }
  }

  /// A row of entries that are in order, none of them null.
  func row(_ entries: [Row.Entry]) -> Row {
    Row(known: entries)
  }

  func id(_ object: UInt64) -> ObjectID { ObjectID(rawValue: object, store: store.tag) }
}

extension Run.Lookup: Equatable where Found: Equatable {}
extension Run.Lookup: Sendable where Found: Sendable {}

extension CommitNumber {
  /// Reads a number as a column of commits has it.
  init?(_ value: Value) {
    guard case .integer(let number) = value, number >= 0 else { return nil }
    self.init(rawValue: UInt64(number))
    guard self <= .largest else { return nil }
  }
}

extension StoreIdentity {
  /// What tells this store's objects from another's.
  package var tag: StoreTag { StoreTag(rawValue: low) }
}
