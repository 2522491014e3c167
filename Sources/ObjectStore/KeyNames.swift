package import ObjectModel

/// The names of keys by their numbers, and the numbers by their names.
package struct KeyNames: Hashable, Sendable {
  /// The name of the key with the number of its place.
  package private(set) var names: [String] = []
  private var numbers: [String: KeyNumber] = [:]

  package init() {}

  /// The number that the next key gets.
  package var next: KeyNumber { KeyNumber(rawValue: UInt32(names.count)) }

  package subscript(name: String) -> KeyNumber? { numbers[name] }

  package subscript(number: KeyNumber) -> String? {
    let index = Int(number.rawValue)
    return index < names.count ? names[index] : nil
  }

  /// Gives a name the next number.
  ///
  /// - Returns: false where another number or name was due.
  mutating func add(_ name: String, _ number: KeyNumber) -> Bool {
    guard number == next, numbers[name] == nil, names.count < UInt32.max else { return false }
    names.append(name)
    numbers[name] = number
    return true
  }
}
