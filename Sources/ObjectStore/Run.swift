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
  let number: UInt32

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
    byteCount = opening.byteCount
    (header, footer, index) = (opening.header, opening.footer, opening.index)
    number = cache.numberForRun()
  }

  deinit { cache.removeAll(ofRun: number) }

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
    guard let (block, directory, place) = try place(of: object) else { return .absent }
    if directory.isDeleted(place) { return .deleted }
    return .found(try row(place, directory, block))
  }

  /// What a commit has left of an object; nil where the run says nothing of it.
  ///
  /// Costs: as `row(of:)`, and the column of commits is read too.
  package func stored(_ object: ObjectID) throws(RunError) -> StoredRow? {
    guard let (block, directory, place) = try place(of: object) else { return nil }
    let commit = try changed(place, directory, block)
    if directory.isDeleted(place) { return StoredRow(nil, changed: commit) }
    return StoredRow(try row(place, directory, block), changed: commit)
  }

  /// The commit that changed an object last, or deleted it; nil where the run says nothing of it.
  ///
  /// Costs: as `value(of:_:)`: the block's directory and one column are read.
  package func changed(of object: ObjectID) throws(RunError) -> CommitNumber? {
    guard let (block, directory, place) = try place(of: object) else { return nil }
    return try changed(place, directory, block)
  }

  private func changed(
    _ place: Int, _ directory: BlockDirectory, _ block: Int
  ) throws(RunError) -> CommitNumber {
    let commits = try content(ofColumn: 0, directory, block)
    do {
      if let commit = CommitNumber(try commits.values.value(place)) { return commit }
    } catch {}
    throw malformed(directory.columns[0], block)
  }

  /// Where an object's row is; nil where there is none.
  private func place(
    of object: ObjectID
  ) throws(RunError) -> (block: Int, directory: BlockDirectory, place: Int)? {
    guard let block = index.block(of: object.rawValue) else { return nil }
    let directory = try directory(ofBlock: block)
    return directory.place(of: object.rawValue).map { (block, directory, $0) }
  }

  /// The value of an object's key; found but nil where the object has none for it.
  ///
  /// Costs: as `row(of:)`, but only one column is read.
  package func value(
    of object: ObjectID, _ key: KeyNumber
  ) throws(RunError) -> Lookup<Value?> {
    guard let (block, directory, place) = try place(of: object) else { return .absent }
    if directory.isDeleted(place) { return .deleted }
    guard let column = directory.column(of: key) else { return .found(.none) }
    let content = try content(ofColumn: column, directory, block)
    do {
      let value = try content.values.value(place)
      return .found(value.unlessNull)
    } catch {
      throw malformed(directory.columns[column], block)
    }
  }

  /// Finds the values of a row in all columns, and then decodes them.
  private func row(
    _ place: Int, _ directory: BlockDirectory, _ block: Int
  ) throws(RunError) -> Row {
    let contents = try contents(ofColumns: directory.placesOfKeys, directory, block)
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
        if !value.isNull { entries.append(Row.Entry(directory.key(column + 1), value)) }
        column += 1
      }
      return row(entries)
    } catch {
      throw malformed(directory.columns[column + 1], block)
    }
  }

  /// A row of entries that are in order, none of them null.
  func row(_ entries: [Row.Entry]) -> Row {
    guard let row = Row(sorted: entries) else {
      preconditionFailure("a directory's keys ascend, and nulls are left out")
    }
    return row
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
  }
}

extension StoreIdentity {
  /// What tells this store's objects from another's.
  package var tag: StoreTag { StoreTag(rawValue: low) }
}
