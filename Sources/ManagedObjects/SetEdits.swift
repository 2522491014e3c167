internal import ObjectModel
internal import ObjectStore

/// The edits that set an object's values last: a commit names them, and does not repeat the values.
///
/// Costs: a few words for each key that was set. Objects have few keys, so that they are searched in order.
struct SetEdits {
  private struct Entry {
    let key: KeyNumber
    var edit: RecordedEdit
    var value: Value?
  }

  /// What else has changed values since is not known here: the edits count no more then.
  private var stretch: UInt32 = 0
  private var entries: [Entry] = []

  /// Notes that an edit has set a value.
  ///
  /// - Parameters:
  ///   - stretch: a number that is another after every edit that brings values back.
  ///   - count: how many values will be set, as far as is known.
  mutating func note(
    _ edit: RecordedEdit, _ key: KeyNumber, _ value: Value?, in stretch: UInt32, of count: Int
  ) {
    if self.stretch != stretch {
      self.stretch = stretch
      entries.removeAll(keepingCapacity: true)
      entries.reserveCapacity(count)
    }
    for index in entries.indices where entries[index].key == key {
      entries[index].edit = edit
      entries[index].value = value
      return
    }
    entries.append(Entry(key: key, edit: edit, value: value))
  }

  /// The edit that set just this value last; nil where none is known.
  func edit(of key: KeyNumber, _ value: Value?, in stretch: UInt32) -> RecordedEdit? {
    guard self.stretch == stretch, let value else { return nil }
    for index in entries.indices where entries[index].key == key {
      return entries[index].value == value ? entries[index].edit : nil
    }
    return nil
  }
}
