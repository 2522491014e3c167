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
  /// Where the entry of a key is, if they are too many to look through each time.
  private var places: [KeyNumber: Int] = [:]
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
      if let index = index(of: entry.key) {
        entries[index].new = new
      } else {
        entries.append(Entry(key: entry.key, old: old, new: new))
      }
    }
  }

  private mutating func index(of key: KeyNumber) -> Int? {
    guard entries.count > 16 else { return entries.firstIndex { $0.key == key } }
    for index in places.count..<entries.count { places[entries[index].key] = index }
    return places[key]
  }

  /// What takes it back.
  package var inverse: NetChange {
    var inverse = self
    inverse.entries = entries.map { Entry(key: $0.key, old: $0.new, new: $0.old) }
    return inverse
  }
}
