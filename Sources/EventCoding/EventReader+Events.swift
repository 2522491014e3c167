internal import ObjectModel

extension EventReader {
  /// All the bytes as one event.
  mutating func event() throws(EventCodingError) -> Event {
    let byte = try byte()
    guard byte != 0 else { throw error(.noKind, at: 0) }
    guard let kind = EventKind(rawValue: byte) else {
      return .unknown(kind: byte, bytes: try rest())
    }
    let event = try event(of: kind)
    try expectEnd()
    return event
  }

  /// The context of an edit that sets a value; nil where the bytes are another event.
  mutating func contextOfSet() throws(EventCodingError) -> ContextNumber? {
    switch EventKind(rawValue: try byte()) {
    case .set, .setPrimitive, .spliced: try context()
    default: nil
    }
  }

  private mutating func event(of kind: EventKind) throws(EventCodingError) -> Event {
    switch kind {
    case .keyNamed: return .keyNamed(try key(), try text())
    case .modelAdopted: return .modelAdopted(try entities())
    case .timePassed: return .timePassed(try time())
    case .numbersReserved:
      let last = try object()
      return .numbersReserved(origin: last.origin, last.entity, through: last.number)
    case .contextBegan:
      let (context, name, commit) = (try context(), try text(), try commit())
      let parent = try boolean() ? try self.context() : nil
      return .contextBegan(context, name: name, on: commit, parent: parent)
    case .contextEnded: return .contextEnded(try context())
    case .draftDiscarded: return .draftDiscarded(try context())
    case .contextResumed:
      return .contextResumed(
        try context(), name: try text(), on: try commit(), oldest: try commit(),
        firstEdit: try varint())
    case .tagged:
      let name = try text()
      return .tagged(name, try boolean() ? try commit() : nil)
    default:
      let context = try context()
      return .edited(context, try edit(of: kind))
    }
  }

  mutating func time() throws(EventCodingError) -> RecordedTime {
    RecordedTime(rawValue: Int64(bitPattern: try fixed()))
  }

  private mutating func edit(of kind: EventKind) throws(EventCodingError) -> Edit {
    switch kind {
    case .set, .setPrimitive, .spliced, .membersChanged:
      let (object, key) = (try object(), try key())
      do throws(EventCodingError) {
        return try edit(of: kind, object, key)
      } catch {
        throw error.within(object, key)
      }
    case .inserted: return .inserted(try object())
    case .deleted: return .deleted(try object())
    case .based: return .based(try object(), on: try commit())
    case .renamed: return .renamed(try text())
    case .stepEnded: return .stepEnded(name: try optionalText())
    case .undoSwitched: return .undoSwitched(isOn: try boolean())
    case .undone: return .undone(try restorations())
    case .redone: return .redone(try restorations())
    case .refreshed:
      let (keepingChanges, commit) = (try boolean(), try commit())
      return .refreshed(try objects(), keepingChanges: keepingChanges, at: commit)
    case .merged: return .merged(try commit())
    case .rolledBack: return .rolledBack
    case .wasReset: return .wasReset
    case .saved: return .saved(try commit())
    case .saveFailed: return .saveFailed(try text())
    case .reconciled:
      let object = try object()
      return .reconciled(
        object, try list(ofAtLeast: 1) { reader throws(EventCodingError) in try reader.key() })
    case .keyNamed, .modelAdopted, .timePassed, .numbersReserved, .contextBegan, .contextEnded,
      .draftDiscarded, .tagged, .contextResumed:
      preconditionFailure("events that are no edits are read before")
    }
  }

  private mutating func edit(
    of kind: EventKind, _ object: ObjectID, _ key: KeyNumber
  ) throws(EventCodingError) -> Edit {
    switch kind {
    case .set: .set(object, key, try optionalValue())
    case .setPrimitive: .setPrimitive(object, key, try optionalValue())
    case .spliced: .spliced(object, key, try checkedSplice())
    default: .membersChanged(object, key, inserted: try objects(), removed: try objects())
    }
  }

  private mutating func restorations() throws(EventCodingError) -> [Restoration] {
    try list(ofAtLeast: 4) { reader throws(EventCodingError) in
      let place = reader.offset
      let byte = try reader.byte()
      guard let kind = Restoration.Kind(rawValue: byte) else {
        throw reader.error(.choiceUnknown(byte), at: place)
      }
      let object = try reader.object()
      let entries = try reader.list(ofAtLeast: 2) { reader throws(EventCodingError) in
        let key = try reader.key()
        do throws(EventCodingError) {
          return Restoration.Entry(key, try reader.content(in: kind))
        } catch {
          throw error.within(object, key)
        }
      }
      return Restoration(object, kind, entries)
    }
  }

  private mutating func content(
    in kind: Restoration.Kind
  ) throws(EventCodingError) -> Restoration.Content {
    guard kind == .updated, next == ValueTag.splice else { return .value(try optionalValue()) }
    _ = try byte()
    return .splice(try checkedSplice())
  }

  private mutating func checkedSplice() throws(EventCodingError) -> Splice {
    let place = offset
    let splice = try splice()
    if let problem = splice.problem { throw error(problem, at: place) }
    return splice
  }

  /// What differs in the middle of two values.
  mutating func splice() throws(EventCodingError) -> Splice {
    let largest = UInt64(Int.max)
    let prefixCount = Int(try varint(through: largest))
    let suffixCount = Int(try varint(through: largest))
    var furtherCount = 0
    if next == ValueTag.splice {
      _ = try byte()
      furtherCount = try count(ofAtLeast: 3)
    }
    let (old, new) = (try value(), try value())
    var further: [Splice.Part] = []
    for _ in 0..<furtherCount {
      let kept = Int(try varint(through: largest))
      further.append(Splice.Part(keptCount: kept, old: try value(), new: try value()))
    }
    return Splice(
      prefixCount: prefixCount, suffixCount: suffixCount, old: old, new: new, further: further)
  }
}
