package import ObjectModel

/// What takes back, or makes again, what a context did between two borders.
package struct UndoStep: Hashable, Sendable {
  /// A key and what it had before.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package let before: ValueBefore
  }

  /// An object that the step changed.
  package struct Object: Hashable, Sendable {
    package let object: ObjectID
    /// What becomes of it again: `inserted`, where it was there and had just these values; `deleted`, where
    /// it was not there; `updated`, where it had these values among others.
    package let kind: Restoration.Kind
    /// Sorted by key, no key twice.
    package let entries: [Entry]
  }

  package let name: String?
  /// In the order of their IDs.
  package let objects: [Object]

  package init(name: String?, objects: [Object]) {
    self.name = name
    self.objects = objects
  }
}
