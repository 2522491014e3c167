internal import Journaling
internal import ObjectModel
internal import PropertyListCoding

/// The rows of a block of a run, for whoever goes over them: all of it is read, checked and decompressed, and values are
/// made of what is asked for.
final class BlockRows {
  private let run: Run
  private let block: Int
  private let directory: BlockDirectory
  private let commits: [CommitNumber]
  /// Of the columns of keys: where the elements lie, and what was decoded of them.
  private let contents: [ColumnContent]
  @exclusivity(unchecked) private var decoders: [ElementDecoder?]
  /// Roughly how much memory it takes.
  let byteCount: Int

  init(of block: Int, in run: Run) throws(RunError) {
    (self.run, self.block) = (run, block)
    let count = Int(run.index.entries[block].sealedByteCount)
    typealias Parts = (BlockDirectory, [CommitNumber], [ColumnContent])
    (directory, commits, contents) = try run.file.withBytes(
      run.index.offsets[block], count, run.name
    ) { sealed throws(RunError) -> Parts in
      let directory = try run.readDirectory(run.storedDirectory(in: sealed, block), block)
      let commits = try run.commits(of: directory, in: sealed, block)
      let contents = try directory.placesOfKeys.map { place throws(RunError) in
        try run.content(of: directory.columns[place], in: sealed, directory, block)
      }
      return (directory, commits, contents)
    }
    decoders = [ElementDecoder?](repeating: nil, count: contents.count)
    byteCount = contents.reduce(directory.memoryByteCount) { $0 + $1.memoryByteCount }
  }

  var count: Int { directory.rowCount }

  func object(_ place: Int) -> ObjectID { run.id(directory.object(place)) }

  /// The commit that changed a row last.
  func changed(_ place: Int) -> CommitNumber { commits[place] }

  func isDeleted(_ place: Int) -> Bool { directory.isDeleted(place) }

  /// The first place whose object is not before one.
  func firstPlace(notBefore object: UInt64) -> Int { directory.firstPlace(notBefore: object) }

  func stored(_ place: Int) throws(RunError) -> StoredRow {
    if isDeleted(place) { return StoredRow(nil, changed: commits[place]) }
    var entries: [Row.Entry] = []
    entries.reserveCapacity(contents.count)
    for column in contents.indices {
      let value: Value
      do throws(PropertyListError) {
        value = try contents[column].values.value(place, by: &decoders[column])
      } catch {
        throw malformed(column)
      }
      if !value.isNull { entries.append(Row.Entry(directory.keys[column], value)) }
    }
    return StoredRow(run.row(entries), changed: commits[place])
  }

  /// Adds the keys of a row that have values, in order, and these as they lie there: as long as the rows are kept.
  func add(_ place: Int, to entries: inout [RunEntry]) throws(RunError) {
    if isDeleted(place) { return }
    for column in contents.indices {
      let element: ArrayElement
      do throws(PropertyListError) {
        element = try contents[column].values.element(place, by: &decoders[column])
      } catch {
        throw malformed(column)
      }
      if case .value(.null) = element { continue }
      entries.append(RunEntry(key: directory.keys[column], element: element))
    }
  }

  private func malformed(_ column: Int) -> RunError {
    run.malformed(directory.columns[column + 1], block)
  }
}
