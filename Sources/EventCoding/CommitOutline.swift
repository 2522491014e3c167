package import ObjectModel

/// What a commit says of itself, and where in its bytes its changes lie: each can be read without the others.
///
/// Costs: making one takes a walk over the commit, in which no value is made. It takes 3 bytes for each change.
package struct CommitOutline: Sendable {
  /// The commit without its changes.
  package let head: CommitContent
  fileprivate var marks: [Mark] = []

  /// How many changes lie between two marks at most.
  fileprivate static let stride = 16

  /// Roughly how much memory it takes.
  package var byteCount: Int { 256 + marks.count * MemoryLayout<Mark>.stride }

  /// A change at which reading can begin.
  fileprivate struct Mark {
    let object: UInt64
    let offset: Int
    /// The least number that the object can have.
    let next: UInt64
    /// How many changes of its group are still to come.
    let count: Int
    let edits: EditSteps
  }

  fileprivate init(head: CommitContent) { self.head = head }

  /// The last mark that is not behind an object, if it is one of the object's group.
  fileprivate func mark(before object: UInt64) -> Mark? {
    let index = marks.indices.firstPlace(inOrder: { marks[$0].object > object }) - 1
    guard index >= 0, marks[index].object >> 36 == object >> 36 else { return nil }
    return marks[index]
  }
}

extension EventDecoder {
  /// Finds out where in the bytes of a commit its changes lie.
  package func outline(
    _ bytes: UnsafeRawBufferPointer
  ) throws(EventCodingError) -> CommitOutline {
    var reader = CommitReader(bytes, of: store, room: room) { _ in nil }
    return try reader.outline()
  }

  /// The change of an object in a commit of which there is an outline; nil where the commit has none.
  ///
  /// - Parameter edit: gives the bytes of the edit at a position of the batch, where a value is named by it.
  package func change(
    of object: ObjectID, _ outline: CommitOutline, _ bytes: UnsafeRawBufferPointer,
    edit: EditBytes = { _ in nil }
  ) throws(EventCodingError) -> ObjectChange? {
    guard let mark = outline.mark(before: object.rawValue) else { return nil }
    return try withoutActuallyEscaping(edit) { edit throws(EventCodingError) in
      var reader = CommitReader(
        bytes, of: store, room: room, at: mark.offset, after: mark.edits, edit)
      let previous = try reader.find(object, from: mark, in: outline.head.number)
      guard let previous else { return nil }
      return try reader.change(of: object, after: previous)
    }
  }

  /// One side of that change, which costs less to read.
  package func side(
    _ side: CommitSide.Side, of object: ObjectID, _ outline: CommitOutline,
    _ bytes: UnsafeRawBufferPointer, edit: EditBytes = { _ in nil }
  ) throws(EventCodingError) -> CommitSide.Object? {
    guard let mark = outline.mark(before: object.rawValue) else { return nil }
    return try withoutActuallyEscaping(edit) { edit throws(EventCodingError) in
      var reader = CommitReader(
        bytes, of: store, room: room, at: mark.offset, after: mark.edits, edit)
      let previous = try reader.find(object, from: mark, in: outline.head.number)
      guard let previous else { return nil }
      return try reader.object(object, after: previous, side, nil)
    }
  }
}

extension CommitReader {
  fileprivate mutating func outline() throws(EventCodingError) -> CommitOutline {
    var outline = CommitOutline(head: try head())
    var stride = 0
    try forEachChange(of: outline.head.number) {
      (reader, place, object, _) throws(EventCodingError) in
      if place.isFirst || stride == CommitOutline.stride {
        outline.marks.append(
          CommitOutline.Mark(
            object: object.rawValue, offset: place.offset, next: place.next, count: place.count,
            edits: reader.edits))
        stride = 0
      }
      stride += 1
      try reader.skipChange()
    }
    return outline
  }

  /// Goes to what a change of an object says.
  ///
  /// - Returns: the commit that changed it before; nil where the commit does not change it.
  fileprivate mutating func find(
    _ object: ObjectID, from mark: CommitOutline.Mark, in commit: CommitNumber
  ) throws(EventCodingError) -> CommitNumber? {
    var next = mark.next
    for _ in 0..<mark.count {
      let number = try number(&next)
      guard number <= object.number else { return nil }
      let previous = try previous(of: commit)
      if number == object.number { return previous }
      try skipChange()
    }
    return nil
  }
}
