package import ObjectModel

/// Reads the bytes of events and commits, and takes nothing that no encoder writes.
///
/// Costs: memory in proportion to the bytes, whatever they claim.
package struct EventDecoder: Sendable {
  let store: StoreTag
  /// How many values an event or commit may have.
  let room: Int
  /// How many bytes an event may have.
  package let largestEditByteCount: Int

  /// - Parameters:
  ///   - store: the store whose objects are written without its tag.
  ///   - room: how many values an event or commit may have: each takes many times its bytes.
  ///   - largestEditByteCount: how many bytes an event may have, which whoever brings it here keeps to.
  package init(store: StoreTag, room: Int = .max, largestEditByteCount: Int = .max) {
    self.store = store
    self.room = room
    self.largestEditByteCount = largestEditByteCount
  }

  /// Reads all the bytes as one event. One of a kind that newer code writes comes back as `.unknown`.
  package func event(_ bytes: UnsafeRawBufferPointer) throws(EventCodingError) -> Event {
    var reader = EventReader(bytes, of: store, room: room)
    return try reader.event()
  }

  /// The context of an edit that sets a value, of which no more is read; nil where the bytes are another event.
  package func contextOfSet(
    _ bytes: UnsafeRawBufferPointer
  ) throws(EventCodingError) -> ContextNumber? {
    var reader = EventReader(bytes, of: store)
    return try reader.contextOfSet()
  }

  /// What a commit says of itself, without its changes.
  package func commitHead(
    _ bytes: UnsafeRawBufferPointer
  ) throws(EventCodingError) -> CommitContent {
    var reader = CommitReader(bytes, of: store, room: room) { _ in nil }
    return try reader.head()
  }

  /// The number of the commit that the bytes are; no more of them is read.
  package func commitNumber(
    _ bytes: UnsafeRawBufferPointer
  ) throws(EventCodingError) -> CommitNumber {
    var reader = CommitReader(bytes, of: store, room: room) { _ in nil }
    return try reader.number()
  }

  /// Reads all the bytes as one commit.
  ///
  /// - Parameter edit: gives the bytes of the edit at a position of the batch, where a value is named by it.
  package func commit(
    _ bytes: UnsafeRawBufferPointer, edit: EditBytes = { _ in nil }
  ) throws(EventCodingError) -> DecodedCommit {
    try withoutActuallyEscaping(edit) { edit throws(EventCodingError) in
      var reader = CommitReader(bytes, of: store, room: room, edit)
      return try reader.commit()
    }
  }

  /// Reads one side of a commit.
  ///
  /// - Parameters:
  ///   - other: of which keys the values on the other side are read too.
  ///   - edit: gives the bytes of the edit at a position of the batch, where a value is named by it; not asked
  ///     for the side before alone.
  package func side(
    _ side: CommitSide.Side, _ bytes: UnsafeRawBufferPointer,
    other: ((EntityNumber, KeyNumber) -> Bool)? = nil, edit: EditBytes = { _ in nil }
  ) throws(EventCodingError) -> CommitSide {
    try withoutActuallyEscaping(edit) { edit throws(EventCodingError) in
      var reader = CommitReader(bytes, of: store, room: room, edit)
      return try reader.side(side, other: other)
    }
  }
}

/// A commit as it was read.
package struct DecodedCommit: Hashable, Sendable {
  package let content: CommitContent
  /// What newer code added and this code passes over, by kind.
  package let fields: [CommitField]

  package init(content: CommitContent, fields: [CommitField]) {
    self.content = content
    self.fields = fields
  }
}
