/// Something that happened, as the journal has it: the smallest thing it remembers.
///
/// Events of all contexts stand in one order. Those that are about a context carry its number. Nothing in an
/// event says what time it was: a `timePassed` stands before the first event of a new moment.
package enum Event: Hashable, Sendable {
  /// A key has a number from here on.
  case keyNamed(KeyNumber, String)
  /// The store has this model from here on; entities with the numbers that their objects' IDs have.
  case modelAdopted([NumberedEntity])
  /// The time of what follows.
  case timePassed(RecordedTime)
  /// Numbers of objects up to and with this one may have been given; none of them is given again.
  case numbersReserved(origin: UInt16, EntityNumber, through: UInt64)
  /// A context stands on a commit, and within a parent where it has one.
  case contextBegan(ContextNumber, name: String, on: CommitNumber, parent: ContextNumber?)
  /// A context did something.
  case edited(ContextNumber, Edit)
  /// A context ended in order; what it had not saved is given up.
  case contextEnded(ContextNumber)
  /// The unsaved work of a context that ended in disorder is given up.
  case draftDiscarded(ContextNumber)
  /// A context that had ended goes on: it stands on a commit, never stood on an older one than another, and
  /// began with an edit of this number.
  case contextResumed(
    ContextNumber, name: String, on: CommitNumber, oldest: CommitNumber, firstEdit: UInt64)
  /// A name stands for a commit from here on, or for nothing any more.
  case tagged(String, CommitNumber?)
  /// An event of a kind that newer code writes: kept as it is.
  case unknown(kind: UInt8, bytes: [UInt8])
}

/// An entity with the number it has in a store.
package struct NumberedEntity: Hashable, Sendable {
  package let number: EntityNumber
  package let description: EntityDescription

  package init(_ number: EntityNumber, _ description: EntityDescription) {
    self.number = number
    self.description = description
  }
}

/// What a context did.
package enum Edit: Hashable, Sendable {
  /// The context has another name.
  case renamed(String)
  /// An object was first touched as it was at this commit.
  case based(ObjectID, on: CommitNumber)
  /// An object came to be.
  case inserted(ObjectID)
  /// A value was set; nil where it was removed.
  case set(ObjectID, KeyNumber, Value?)
  /// A long value was set that has much in common with the one before: its middle became another.
  case spliced(ObjectID, KeyNumber, Splice)
  /// A value was set without notification, undo or inverse.
  case setPrimitive(ObjectID, KeyNumber, Value?)
  /// Destinations of a relationship to many came and went.
  case membersChanged(ObjectID, KeyNumber, inserted: [ObjectID], removed: [ObjectID])
  /// An object was deleted.
  case deleted(ObjectID)
  /// What came before it since the last such border is one step to be undone, of this name where it has one.
  case stepEnded(name: String?)
  /// Whether what follows can be undone.
  case undoSwitched(isOn: Bool)
  /// The last step was taken back, which restored this.
  case undone([Restoration])
  /// The step taken back last was made again, which restored this.
  case redone([Restoration])
  /// Objects were read again as they were at a commit, keeping what was changed or giving it up.
  case refreshed([ObjectID], keepingChanges: Bool, at: CommitNumber)
  /// What another context saved was brought in.
  case merged(CommitNumber)
  /// Everything unsaved was given up.
  case rolledBack
  /// All objects were forgotten, with everything unsaved.
  case wasReset
  /// Everything unsaved was saved.
  case saved(CommitNumber)
  /// A save failed, for this reason; everything stayed as it was.
  case saveFailed(String)
  /// Values of an object that are as in its base do not count as changed any more.
  case reconciled(ObjectID, [KeyNumber])
}

/// What undoing or redoing brought back to one object.
package struct Restoration: Hashable, Sendable {
  /// What became of the object itself, or again of its values.
  package typealias Kind = ObjectChange.Kind

  /// A key and what it has again.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package let content: Content

    package init(_ key: KeyNumber, _ value: Value?) { self.init(key, .value(value)) }

    package init(_ key: KeyNumber, _ content: Content) {
      self.key = key
      self.content = content
    }
  }

  /// What a key has again.
  package enum Content: Hashable, Sendable {
    /// This value; nil for none.
    case value(Value?)
    /// The value that it has, with another middle: only where the object was there, and is.
    case splice(Splice)
  }

  package let object: ObjectID
  package let kind: Kind
  package let entries: [Entry]

  package init(_ object: ObjectID, _ kind: Kind, _ entries: [Entry]) {
    self.object = object
    self.kind = kind
    self.entries = entries
  }
}
