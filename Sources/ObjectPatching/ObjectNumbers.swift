internal import ObjectModel

/// Numbers for objects that patches which follow each other speak of, whatever those have them be named.
struct ObjectNumbers {
  /// What a patch makes of names.
  struct Change {
    /// The names that objects have no more.
    fileprivate var leaving: Set<PatchIdentity> = []
    /// The objects that get names.
    fileprivate var coming: [PatchIdentity: Int] = [:]
  }

  private var numbers: [PatchIdentity: Int] = [:]
  /// What each object is named by now; nil where it is gone, or has lost its name.
  private var names: [PatchIdentity?] = []

  /// The number of what is named so now.
  mutating func number(of name: PatchIdentity) -> Int {
    if let number = numbers[name] { return number }
    let number = names.count
    names.append(name)
    numbers[name] = number
    return number
  }

  /// What an object is named by now; nil where it is gone, or has lost its name.
  func name(of number: Int) -> PatchIdentity? { names[number] }

  /// What the changes of objects make of names, before they do.
  mutating func change(by entries: [ObjectPatch]) -> Change {
    var change = Change()
    for entry in entries where entry.kind != .creation && entry.identityAfter != entry.identity {
      change.leaving.insert(entry.identity)
      if let name = entry.identityAfter { change.coming[name] = number(of: entry.identity) }
    }
    for entry in entries where entry.kind == .creation && change.leaving.contains(entry.identity) {
      change.coming[entry.identity] = newNumber()
    }
    return change
  }

  private mutating func newNumber() -> Int {
    names.append(nil)
    return names.count - 1
  }

  /// The number of what is named so once a patch is applied.
  mutating func number(of name: PatchIdentity, after change: Change) -> Int {
    if let number = change.coming[name] { return number }
    return change.leaving.contains(name) ? newNumber() : number(of: name)
  }

  mutating func apply(_ change: Change) {
    for name in change.leaving { numbers.removeValue(forKey: name).map { names[$0] = nil } }
    for (name, number) in change.coming {
      if let other = numbers.updateValue(number, forKey: name) { names[other] = nil }
      names[number] = name
    }
  }
}
