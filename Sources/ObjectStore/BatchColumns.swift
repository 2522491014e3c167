internal import ObjectModel

/// The columns of a batch that are asked for, each looked up once.
final class BatchColumns {
  let batch: RowBatch
  private var columns: [(key: KeyNumber, column: RowBatch.Column)] = []

  init(_ batch: RowBatch) { self.batch = batch }

  func column(_ key: KeyNumber) throws(StoreError) -> RowBatch.Column {
    for known in columns where known.key == key { return known.column }
    let column = try batch.column(key)
    columns.append((key, column))
    return column
  }
}
