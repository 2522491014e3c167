internal import ObjectModel

// Events: a kind and its fields.
extension EventSink {
  mutating func put(_ event: Event) throws(Refusal) {
    switch event {
    case .edited(let context, let edit): try put(edit, context)
    case .keyNamed(let key, let name):
      begin(.keyNamed)
      put(varint: UInt64(key.rawValue))
      put(text: name)
    case .modelAdopted(let entities):
      begin(.modelAdopted)
      try put(entities)
    case .timePassed(let time):
      begin(.timePassed)
      put(fixed: UInt64(bitPattern: time.rawValue))
    case .numbersReserved(let origin, let entity, let last):
      guard entity <= .largest, last <= ObjectID.largestNumber else {
        throw refusal(.numberTooLarge)
      }
      begin(.numbersReserved)
      put(parts: ObjectID(origin: origin, entity: entity, number: last, store: store))
    case .contextBegan(let context, let name, let commit, let parent):
      try begin(.contextBegan, context)
      put(text: name)
      try put(commit)
      put(byte: parent == nil ? 0 : 1)
      if let parent { try put(parent) }
    case .contextEnded(let context): try begin(.contextEnded, context)
    case .draftDiscarded(let context): try begin(.draftDiscarded, context)
    case .contextResumed(let context, let name, let commit, let oldest, let firstEdit):
      try begin(.contextResumed, context)
      put(text: name)
      try put(commit)
      try put(oldest)
      put(varint: firstEdit)
    case .tagged(let name, let commit):
      begin(.tagged)
      put(text: name)
      put(byte: commit == nil ? 0 : 1)
      if let commit { try put(commit) }
    case .unknown(let kind, let bytes):
      guard EventKind.isUnknown(kind) else { throw refusal(.kindKnown(kind)) }
      put(byte: kind)
      put(raw: bytes)
    }
  }

  @inline(__always)
  private mutating func begin(_ kind: EventKind) { put(byte: kind.rawValue) }

  @inline(__always)
  private mutating func begin(
    _ kind: EventKind, _ context: ContextNumber
  ) throws(Refusal) {
    put(byte: kind.rawValue)
    try put(context)
  }

  private mutating func put(_ edit: Edit, _ context: ContextNumber) throws(Refusal) {
    switch edit {
    case .set(let object, let key, let value):
      try begin(.set, context, object, key, value)
    case .setPrimitive(let object, let key, let value):
      try begin(.setPrimitive, context, object, key, value)
    case .spliced(let object, let key, let splice):
      try begin(.spliced, context, object)
      put(varint: UInt64(key.rawValue))
      try putChecked(splice)
    case .inserted(let object): try begin(.inserted, context, object)
    case .deleted(let object): try begin(.deleted, context, object)
    case .based(let object, let commit):
      try begin(.based, context, object)
      try put(commit)
    case .membersChanged(let object, let key, let inserted, let removed):
      try begin(.membersChanged, context, object)
      put(varint: UInt64(key.rawValue))
      try put(inserted)
      try put(removed)
    case .undone(let restorations): try begin(.undone, context, restorations)
    case .redone(let restorations): try begin(.redone, context, restorations)
    case .refreshed(let objects, let keepingChanges, let commit):
      try begin(.refreshed, context)
      put(byte: keepingChanges ? 1 : 0)
      try put(commit)
      try put(objects)
    case .reconciled(let object, let keys):
      try begin(.reconciled, context, object)
      put(count: keys.count)
      for key in keys { put(varint: UInt64(key.rawValue)) }
    default: try putAboutContext(edit, context)
    }
  }

  /// Edits that name no object.
  private mutating func putAboutContext(
    _ edit: Edit, _ context: ContextNumber
  ) throws(Refusal) {
    switch edit {
    case .renamed(let name):
      try begin(.renamed, context)
      put(text: name)
    case .stepEnded(let name):
      try begin(.stepEnded, context)
      put(optionalText: name)
    case .undoSwitched(let isOn):
      try begin(.undoSwitched, context)
      put(byte: isOn ? 1 : 0)
    case .merged(let commit):
      try begin(.merged, context)
      try put(commit)
    case .rolledBack: try begin(.rolledBack, context)
    case .wasReset: try begin(.wasReset, context)
    case .saved(let commit):
      try begin(.saved, context)
      try put(commit)
    case .saveFailed(let reason):
      try begin(.saveFailed, context)
      put(text: reason)
    default: preconditionFailure("an edit that names an object is written elsewhere")
    }
  }

  @inline(__always)
  mutating func begin(
    _ kind: EventKind, _ context: ContextNumber, _ object: ObjectID, _ key: KeyNumber,
    _ value: Value?
  ) throws(Refusal) {
    try begin(kind, context, object)
    put(varint: UInt64(key.rawValue))
    try put(value)
  }

  @inline(__always)
  private mutating func begin(
    _ kind: EventKind, _ context: ContextNumber, _ object: ObjectID
  ) throws(Refusal) {
    try begin(kind, context)
    try put(object)
  }

  private mutating func begin(
    _ kind: EventKind, _ context: ContextNumber, _ restorations: [Restoration]
  ) throws(Refusal) {
    try begin(kind, context)
    put(count: restorations.count)
    for restoration in restorations {
      put(byte: restoration.kind.rawValue)
      try put(restoration.object)
      put(count: restoration.entries.count)
      for entry in restoration.entries {
        put(varint: UInt64(entry.key.rawValue))
        switch entry.content {
        case .value(let value): try put(value)
        case .splice(let splice):
          guard restoration.kind == .updated else { throw refusal(.changeUnfit) }
          put(byte: ValueTag.splice)
          try putChecked(splice)
        }
      }
    }
  }

  private mutating func putChecked(_ splice: Splice) throws(Refusal) {
    if let problem = splice.problem { throw refusal(problem) }
    try put(splice)
  }
}
