internal import ObjectModel

/// The commits that objects stand on, of as many objects as are known.
///
/// Costs: objects of neighbouring numbers lie together, as they mostly come and go together: a word and a half each
/// then, and a look-up finds what the last one has had in its hands. One by itself takes some ten words.
struct Places: Hashable, Sendable {
  /// By the first of eight objects.
  private var stretches: [ObjectID: SIMD8<UInt64>] = [:]

  private static let unknown = UInt64.max

  var isEmpty: Bool { stretches.isEmpty }

  /// The commit that an object stands on; nil where it is not known.
  subscript(object: ObjectID) -> CommitNumber? {
    get {
      guard let stretch = stretches[Self.first(object)] else { return nil }
      let commit = stretch[Self.place(object)]
      return commit == Self.unknown ? nil : CommitNumber(rawValue: commit)
    }
    set {
      let (first, place) = (Self.first(object), Self.place(object))
      if let newValue {
        stretches[first, default: SIMD8(repeating: Self.unknown)][place] = newValue.rawValue
      } else if let index = stretches.index(forKey: first) {
        stretches.values[index][place] = Self.unknown
        if stretches.values[index] == SIMD8(repeating: Self.unknown) { stretches.remove(at: index) }
      }
    }
  }

  private static func first(_ object: ObjectID) -> ObjectID {
    ObjectID(rawValue: object.rawValue & ~7, store: object.store)
  }

  private static func place(_ object: ObjectID) -> Int { Int(object.rawValue & 7) }
}
