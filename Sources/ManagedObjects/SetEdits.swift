internal import ObjectModel
internal import ObjectStore

/// The edits that set an object's values last: a commit names them, and does not repeat the values.
///
/// Costs: a few words for each key that was set. Objects have few keys, so that they are searched in order; where they
/// are many, as dynamic ones may be, their places are kept.
struct SetEdits {
  private struct Entry {
    let key: KeyNumber
    var edit: RecordedEdit
    var value: Value?
  }

  /// What else has changed values since is not known here: the edits count no more then.
  private var stretch: UInt32 = 0
  private var entries: [Entry] = []
  /// Where keys stand among the entries; none where these are few.
  private var places: [KeyNumber: Int] = [:]
  private static let largestSearchedCount = 64

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
      if !places.isEmpty { places = [:] }
      entries.reserveCapacity(count)
    }
    if let index = place(of: key) {
      entries[index].edit = edit
      entries[index].value = value
      return
    }
    entries.append(Entry(key: key, edit: edit, value: value))
    if !places.isEmpty {
      places[key] = entries.count - 1
    } else if entries.count > Self.largestSearchedCount {
      for (index, entry) in entries.enumerated() { places[entry.key] = index }
    }
  }

  /// The edit that set just this value last; nil where none is known.
  func edit(of key: KeyNumber, _ value: Value?, in stretch: UInt32) -> RecordedEdit? {
    guard self.stretch == stretch, let value else { return nil }
    guard let index = place(of: key), entries[index].value == value else { return nil }
    return entries[index].edit
  }

  private func place(of key: KeyNumber) -> Int? {
    if !places.isEmpty { return places[key] }
    for index in entries.indices where entries[index].key == key { return index }
    return nil
  }
}

/// The edits of many objects, asked for all keys of one, and then for those of another.
final class KnownEdits {
  private let states: [UInt64: Unmanaged<ObjectState>]
  private let stretch: UInt32
  private var last: (object: UInt64, edits: SetEdits) = (0, SetEdits())

  /// - Parameter states: of objects that stay as long as it is asked.
  init(of states: [UInt64: Unmanaged<ObjectState>], in stretch: UInt32) {
    self.states = states
    self.stretch = stretch
  }

  func edit(of object: ObjectID, _ key: KeyNumber, _ value: Value?) -> RecordedEdit? {
    if last.object != object.rawValue {
      let state = states[object.rawValue]?.takeUnretainedValue()
      last = (object.rawValue, state?.setEdits ?? SetEdits())
    }
    return last.edits.edit(of: key, value, in: stretch)
  }
}
