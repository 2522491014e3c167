internal import ByteCoding
internal import ObjectModel

// What is read only to know that it can be read. Of what is plain no value is made; all else is read as ever, so that
// nothing passes here that is refused there.

extension EventDecoder {
  /// Whether bytes are an event that `event` reads, and that is of a kind this code knows, as far as that can be told
  /// without making its values. Where it cannot, `event` tells, and says what is wrong.
  package func isPlain(event bytes: UnsafeRawBufferPointer) -> Bool {
    do throws(EventCodingError) {
      var reader = EventReader(bytes, of: store, room: room)
      return try reader.passEvent()
    } catch {
      return false
    }
  }

  /// Whether bytes are a commit that `commit` reads, and that has no further fields. Where they are not, `commit` tells
  /// what they are, or what is wrong with them. Values are made of what is not plain only.
  ///
  /// - Parameter edit: gives the bytes of the edit at a position of the batch, where a value is named by it.
  package func isPlain(
    commit bytes: UnsafeRawBufferPointer, edit: EditBytes = { _ in nil }
  ) -> Bool {
    withoutActuallyEscaping(edit) { edit in
      do throws(EventCodingError) {
        var reader = CommitReader(bytes, of: store, room: room, edit)
        return try reader.passCommit()
      } catch {
        return false
      }
    }
  }
}

extension EventReader {
  /// Passes an event over; false where it is no plain one.
  fileprivate mutating func passEvent() throws(EventCodingError) -> Bool {
    switch EventKind(rawValue: try byte()) {
    case .set, .setPrimitive:
      _ = (try context(), try object(), try key())
      if next == ValueTag.absent {
        _ = try byte()
      } else if try passPlainValue() == nil {
        return false
      }
    case .inserted, .deleted: _ = (try context(), try object())
    default: return false
    }
    return remainingByteCount == 0
  }

  /// Passes the value over that an edit sets for an object's key; nil where it does something else, or the value is no
  /// plain one.
  fileprivate mutating func passPlainValue(
    setFor object: ObjectID, _ key: KeyNumber
  ) throws(EventCodingError) -> UnsafeRawBufferPointer? {
    let kind = try byte()
    guard kind == EventKind.set.rawValue || kind == EventKind.setPrimitive.rawValue else {
      return nil
    }
    _ = try context()
    guard try self.object() == object, try self.key() == key, let value = try passPlainValue(),
      remainingByteCount == 0
    else { return nil }
    return value
  }

  /// Passes a value over that is right whatever its bytes are, or a string that is one. Those have one form each, so
  /// that two of them are the same where their bytes are.
  ///
  /// - Returns: its bytes; nil where it is none of these, or there is none.
  fileprivate mutating func passPlainValue() throws(EventCodingError) -> UnsafeRawBufferPointer? {
    let start = offset
    switch try token() {
    case .null, .boolean, .integer, .real, .data, .date, .uuid, .counter, .reference: break
    case .string(let text):
      let characters = text.bindMemory(to: UInt8.self)
      guard (try? UTF8Span(validating: characters.span)) != nil else { return nil }
    case .absent, .decimal, .url, .array, .dictionary, .set: return nil
    }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }
}

extension CommitReader {
  /// Passes a commit over; false where there is more behind its changes.
  fileprivate mutating func passCommit() throws(EventCodingError) -> Bool {
    let head = try head()
    try forEachChange(of: head.number) { (reader, _, object, _) throws(EventCodingError) in
      try reader.passChange(of: object)
    }
    return try reader.count(ofAtLeast: 2) == 0 && reader.remainingByteCount == 0
  }

  private mutating func passChange(of object: ObjectID) throws(EventCodingError) {
    let (kind, count) = try kindAndCount()
    var next: UInt64 = 0
    for _ in 0..<count {
      let (key, form) = try keyAndForm(&next)
      let (place, edits) = (reader.offset, self.edits)
      if try passPlainChange(in: form, of: object, key, kind) { continue }
      reader.goBack(to: place)
      self.edits = edits
      let change = try change(in: form, of: object, key)
      if let problem = change.problem(in: kind) { throw reader.error(problem, at: place) }
    }
  }

  /// Passes a change of a value over; false where it is no plain one, or does not fit what becomes of the object.
  private mutating func passPlainChange(
    in form: UInt8, of object: ObjectID, _ key: KeyNumber, _ kind: ObjectChange.Kind
  ) throws(EventCodingError) -> Bool {
    let fits =
      switch form {
      case CommitForm.added, CommitForm.addedByEdit: kind != .deleted
      case CommitForm.removed: kind != .inserted
      case CommitForm.replaced, CommitForm.replacedByEdit: kind == .updated
      default: false
      }
    guard fits else { return false }
    var old: UnsafeRawBufferPointer?
    if form != CommitForm.added, form != CommitForm.addedByEdit {
      old = try reader.passPlainValue()
      if old == nil { return false }
      if form == CommitForm.removed { return true }
    }
    let isNamed = form == CommitForm.addedByEdit || form == CommitForm.replacedByEdit
    let new = isNamed ? try passValueSet(object, key) : try reader.passPlainValue()
    guard let new else { return false }
    return old.map { !$0.hasSameBytes(as: new) } ?? true
  }

  /// Passes the naming of an edit over, and the value that the edit sets; nil where that is no plain one.
  private mutating func passValueSet(
    _ object: ObjectID, _ key: KeyNumber
  ) throws(EventCodingError) -> UnsafeRawBufferPointer? {
    guard let bytes = editBytes(try position()) else { return nil }
    var edit = EventReader(bytes, of: reader.store)
    return try edit.passPlainValue(setFor: object, key)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && elementsEqual(other)
  }
}
