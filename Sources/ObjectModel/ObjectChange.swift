/// What a commit does to one object.
///
/// Costs: of an object that comes to be, or is gone, the row is kept as it is.
package struct ObjectChange: Hashable, Sendable {
  /// What becomes of the object itself.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// It comes to be; every value is new.
    case inserted
    /// It was there, and still is.
    case updated
    /// It is gone; every value it had is old.
    case deleted
  }

  /// A key and the change of its value.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package let change: ValueChange

    package init(_ key: KeyNumber, _ change: ValueChange) {
      self.key = key
      self.change = change
    }
  }

  /// What is changed. Entries that say no more than a row are always kept as the row.
  package enum Content: Hashable, Sendable {
    /// All that the object has when it comes to be, or had when it is gone.
    case row(Row)
    case entries([Entry])
  }

  package let object: ObjectID
  package let kind: Kind
  package let content: Content
  /// The commit that changed the object before; none for the first, and for a change that is in no commit.
  package var previous: CommitNumber

  /// - Parameter entries: the changed values, sorted by key, no key twice.
  package init(
    _ object: ObjectID, _ kind: Kind, _ entries: [Entry], after previous: CommitNumber = .none
  ) {
    let row = kind == .updated ? nil : Row(of: entries, kind)
    self.init(object, kind, row.map(Content.row) ?? .entries(entries), previous)
  }

  /// An object that comes to be, or is gone, with the values it then has, or had, sorted by key.
  package init(
    _ object: ObjectID, _ kind: Kind, values: [Row.Entry], after previous: CommitNumber
  ) {
    precondition(kind != .updated, "what is updated has values before and after")
    if let row = Row(sorted: values) {
      self.init(object, kind, .row(row), previous)
      return
    }
    let entries = values.map { entry in
      kind == .inserted
        ? Entry(entry.key, .replaced(old: .none, new: entry.value))
        : Entry(entry.key, .replaced(old: entry.value, new: .none))
    }
    self.init(object, kind, .entries(entries), previous)
  }

  /// An object that comes to be.
  package init(
    inserting object: ObjectID, _ row: Row, after previous: CommitNumber = .none
  ) {
    self.init(object, .inserted, .row(row), previous)
  }

  /// An object that is gone.
  package init(
    deleting object: ObjectID, _ row: Row, after previous: CommitNumber = .none
  ) {
    self.init(object, .deleted, .row(row), previous)
  }

  private init(
    _ object: ObjectID, _ kind: Kind, _ content: Content, _ previous: CommitNumber
  ) {
    self.object = object
    self.kind = kind
    self.content = content
    self.previous = previous
  }

  /// The changed values, sorted by key, no key twice.
  package var entries: [Entry] {
    switch content {
    case .entries(let entries): entries
    case .row(let row):
      row.entries.map { entry in
        kind == .inserted
          ? Entry(entry.key, .replaced(old: .none, new: entry.value))
          : Entry(entry.key, .replaced(old: entry.value, new: .none))
      }
    }
  }

  /// The change of a key's value.
  package subscript(key: KeyNumber) -> ValueChange? {
    entries.first { $0.key == key }?.change
  }
}

extension Row {
  /// The row of an object of which entries tell that it comes to be, or is gone; nil where they tell more, or
  /// are not in order.
  fileprivate init?(of entries: [ObjectChange.Entry], _ kind: ObjectChange.Kind) {
    var values: [Entry] = []
    values.reserveCapacity(entries.count)
    for entry in entries {
      switch (kind, entry.change) {
      case (.inserted, .replaced(nil, let value?)), (.deleted, .replaced(let value?, nil)):
        values.append(Entry(entry.key, value))
      default: return nil
      }
    }
    self.init(sorted: values)
  }
}
