public import ObjectModel

/// What an observer is told of.
public struct ObservingOptions: OptionSet, Sendable {
  /// One bit for each.
  public let rawValue: Int

  /// The options of some bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The value before the change.
  public static let old = ObservingOptions(rawValue: 1)
  /// The value after the change.
  public static let new = ObservingOptions(rawValue: 2)
  /// The value there is, at once, when the observing begins.
  public static let initial = ObservingOptions(rawValue: 4)
  /// Also before each change.
  public static let prior = ObservingOptions(rawValue: 8)
}

/// A change of a value, as an observer is told of it.
public struct ObservedChange {
  /// The object.
  public let object: ManagedObject
  /// The key.
  public let key: String
  /// What the value was, where `.old` was asked for; nil for none.
  public let old: Value?
  /// What the value is, where `.new` was asked for; nil for none.
  public let new: Value?
  /// Whether the value is only about to change.
  public let isPrior: Bool
}
