// Whoever looks into a value of any type, as a test does that tells what it has compared, would follow an object to
// its context and from there to all others.
extension ManagedObject: CustomReflectable {
  /// Nothing: an object says what it is by `description`.
  public var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}

extension ManagedObjectContext: CustomReflectable {
  /// Nothing, as all objects would be in it.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
