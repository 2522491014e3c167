internal import ObjectModel

/// Somebody who wants to be told of a key.
final class Observer {
  let key: String
  let options: ObservingOptions
  weak var state: ObjectState?
  private var handler: ((ObservedChange) -> Void)?

  init(
    _ key: String, _ options: ObservingOptions, of state: ObjectState,
    _ handler: @escaping (ObservedChange) -> Void
  ) {
    self.key = key
    self.options = options
    self.state = state
    self.handler = handler
  }

  func end() { handler = nil }

  func tell(_ object: ManagedObject, old: Value?, new: Value?, isPrior: Bool = false) {
    guard let handler else { return }
    // Not `?:`, which takes nil for the value null here.
    var (before, after): (Value?, Value?)
    if options.contains(.old) { before = old }
    if options.contains(.new), !isPrior { after = new }
    handler(
      ObservedChange(object: object, key: key, old: before, new: after, isPrior: isPrior))
  }
}
