package import ObjectModel

/// What commits that follow each other have done to an object together, as far as they say it themselves.
package struct NetChange {
  /// A key, with what it had before the first of the commits and after the last; nil for no value.
  package struct Entry {
    package let key: KeyNumber
    package let old: Value?
    package fileprivate(set) var new: Value?
  }

  /// The keys that were changed, in no order; a value may be again what it was.
  package private(set) var entries: [Entry] = []
  /// Whether that is all: the object was there all the time, and all values are said whole. Otherwise its rows tell.
  package private(set) var isWhole = true

  /// Of an object whose rows are to tell.
  package static var unknown: NetChange {
    var change = NetChange()
    change.isWhole = false
    return change
  }

  /// What comes after this is done too.
  mutating func add(_ change: ObjectChange) {
    guard isWhole else { return }
    guard change.kind == .updated else {
      self = .unknown
      return
    }
    for entry in change.entries {
      guard case .replaced(let old, let new) = entry.change else {
        self = .unknown
        return
      }
      if let index = entries.firstIndex(where: { $0.key == entry.key }) {
        entries[index].new = new
      } else {
        entries.append(Entry(key: entry.key, old: old, new: new))
      }
    }
  }

  /// What takes it back.
  package var inverse: NetChange {
    var inverse = self
    inverse.entries = entries.map { Entry(key: $0.key, old: $0.new, new: $0.old) }
    return inverse
  }
}
