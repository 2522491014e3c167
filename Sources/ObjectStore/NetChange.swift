internal import EventFold
package import ObjectModel

/// What commits that follow each other have done to an object together, as far as they say it themselves.
package struct NetChange {
  /// A key, with what it had before the first of the commits and after the last; nil for no value.
  package struct Entry {
    package let key: KeyNumber
    package let old: Value?
    package fileprivate(set) var new: Value?
  }

  /// What the object had or has then.
  package enum Side {
    /// It was not there.
    case absent
    /// All that it had.
    case whole(Row)
    /// Of what was changed, with nothing of the rest.
    case partial(Row)
  }

  /// The keys that were changed, in their order; a value may be again what it was.
  package private(set) var entries: [Entry] = []
  /// Whether all values are said whole. Otherwise the object's rows tell.
  package private(set) var isWhole = true
  /// Whether it was there before; nil while there is no change.
  private var wasThere: Bool?
  private var isThere = true
  /// Whether it came or went in between, so that the entries are all that it had then, and has now.
  private var cameOrWent = false

  /// Of an object whose rows are to tell.
  package static var unknown: NetChange {
    var change = NetChange()
    change.isWhole = false
    return change
  }

  /// Whether it is there on both sides, and values were set of it in between.
  package var isUpdate: Bool { isWhole && !cameOrWent }

  /// What the object had before the first of the commits.
  package var before: Side { side(isThere: wasThere ?? true, \.old) }
  /// What it has after the last.
  package var after: Side { side(isThere: isThere, \.new) }

  private func side(isThere: Bool, _ value: (Entry) -> Value?) -> Side {
    guard isThere else { return .absent }
    var values: [Row.Entry] = []
    values.reserveCapacity(entries.count)
    for entry in entries {
      if let value = value(entry), !value.isNull { values.append(Row.Entry(entry.key, value)) }
    }
    let row = Row(known: values)
    return cameOrWent ? .whole(row) : .partial(row)
  }

  /// What comes after this is done too.
  mutating func add(_ change: ObjectChange) {
    guard isWhole else { return }
    if wasThere == nil { wasThere = change.kind != .inserted }
    if change.kind != .updated {
      isThere = change.kind == .inserted
      cameOrWent = true
    }
    if case .row(let row) = change.content {
      for entry in row.entries {
        if isThere {
          set(entry.key, from: nil, to: entry.value)
        } else {
          set(entry.key, from: entry.value, to: nil)
        }
      }
      return
    }
    for entry in change.entries {
      if case .replaced(let old, let new) = entry.change {
        set(entry.key, from: old, to: new)
        continue
      }
      let index = place(of: entry.key)
      guard index < entries.count, entries[index].key == entry.key,
        let applied = entry.change.applied(to: entries[index].new)
      else {
        self = .unknown
        return
      }
      entries[index].new = applied.value
    }
  }

  private mutating func set(_ key: KeyNumber, from old: Value?, to new: Value?) {
    let index = place(of: key)
    if index < entries.count, entries[index].key == key {
      entries[index].new = new
    } else {
      entries.insert(Entry(key: key, old: old, new: new), at: index)
    }
  }

  /// Where the entry of a key stands, or would.
  private func place(of key: KeyNumber) -> Int {
    // What one change says comes in order.
    if let last = entries.last, last.key < key { return entries.count }
    return entries.indices.firstPlace(inOrder: { entries[$0].key >= key })
  }

  /// What takes it back.
  package var inverse: NetChange {
    var inverse = self
    inverse.entries = entries.map { Entry(key: $0.key, old: $0.new, new: $0.old) }
    (inverse.wasThere, inverse.isThere) = (isThere, wasThere ?? true)
    return inverse
  }
}
