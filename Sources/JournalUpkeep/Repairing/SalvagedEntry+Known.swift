internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

extension SalvagedEntry {
  /// What a frame says, in order; nothing where that is damaged.
  ///
  /// - Throws: where newer code has written some of it, or the disk fails.
  static func known(
    in payload: UnsafeRawBufferPointer, of frame: FrameNumber, _ store: StoreTag,
    _ journal: JournalReader
  ) throws(ToolError) -> [SalvagedEntry] {
    do throws(StoreError) {
      return try all(in: payload, of: frame, store, journal)
    } catch {
      guard error.isOfLoss else { throw ToolError(error) }
      return []
    }
  }
}

extension StoreError {
  /// Whether it is told of what is lost. What newer code has written is not, nor what a disk does not give now.
  var isOfLoss: Bool { code != .newerFormat && code != .disk }
}
