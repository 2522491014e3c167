package import ByteCoding
package import ObjectModel

/// The position of the edit of a batch that set just this value of an object; nil for none, or where the
/// value is better written itself.
package typealias EditLookup = (ObjectID, KeyNumber, Value?) -> Int?

/// Makes the bytes of commits.
package struct CommitEncoder: Sendable {
  private let store: StoreTag

  /// - Parameter store: the store whose objects are written without its tag.
  package init(store: StoreTag) { self.store = store }

  /// Writes a commit behind what a writer has. The changes are written in the order of their objects,
  /// whatever order they are in.
  ///
  /// - Parameters:
  ///   - fields: What the commit has besides, in the order of their kinds.
  ///   - lookup: The position of an edit of the same batch that set a new value, which then is not repeated.
  ///     It is asked once for each new value that replaces an old one or none.
  /// - Throws: where the commit cannot be written: whatever `EventEncoder` refuses, an object twice, keys out
  ///   of order, or a change that changes nothing or does not fit. The writer then is as it was.
  package func append(
    _ commit: CommitContent, fields: [CommitField] = [], to writer: inout ByteWriter,
    lookup: EditLookup? = nil
  ) throws(EventCodingError) {
    try Appender.append(to: &writer, of: store) { sink throws(EventCodingError) in
      try sink.put(commit, fields: fields, lookup: lookup)
    }
  }
}
