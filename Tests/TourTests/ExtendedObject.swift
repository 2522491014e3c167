import Foundation
import XJournal

/// An object with keys that no model has, kept by hand in two attributes: what was saved, as a binary property list,
/// and what has changed since, in a transient one. It does what built-in dynamic attributes do, by hooks and
/// primitive values alone.
final class ExtendedObject: ManagedObject {
  /// What was saved last, where it has been read.
  private var savedValues: [String: Value]?

  /// What was saved last. It is what is committed, as `extendedData` has what a failed save has prepared.
  private var extendedSnapshot: [String: Value] {
    if let savedValues { return savedValues }
    let data = committedValues(forKeys: ["extendedData"])["extendedData"]?.data
    let values = data.flatMap { Self.values(from: $0) } ?? [:]
    savedValues = values
    return values
  }

  private var extendedChanges: [String: Value] {
    value(forKey: "extendedChanges")?.dictionary ?? [:]
  }

  func value(forExtendedKey key: String) -> Value? {
    guard let changed = extendedChanges[key] else { return extendedSnapshot[key] }
    return changed.isNull ? nil : changed
  }

  func setValue(_ value: Value?, forExtendedKey key: String) {
    var changes = extendedChanges
    changes.updateValue(value ?? .null, forKey: key)
    setValue(.dictionary(changes), forKey: "extendedChanges")
  }

  override func willSave() {
    let changes = extendedChanges
    if !changes.isEmpty {
      let values = extendedSnapshot.merging(changes) { $1 }.filter { !$0.value.isNull }
      let data = values.isEmpty ? nil : Self.data(of: values).map { Value.data($0) }
      setPrimitiveValue(data, forKey: "extendedData")
    }
    super.willSave()
  }

  override func didSave() {
    super.didSave()
    savedValues = nil
    setPrimitiveValue(nil, forKey: "extendedChanges")
  }

  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    savedValues = nil
  }

  private static func data(of values: [String: Value]) -> Data? {
    let plain = values.compactMapValues {
      $0.integer.map { $0 as Any } ?? $0.string.map { $0 as Any }
    }
    return try? PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0)
  }

  private static func values(from data: Data) -> [String: Value]? {
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    return (list as? [String: Any])?.compactMapValues { value in
      if let text = value as? String { return .string(text) }
      if let number = value as? Int { return .integer(number) }
      return nil
    }
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [
        EntityDescription(
          "ExtendedObject",
          attributes: [
            AttributeDescription("name", .string, validation: [.maxLength(8)]),
            AttributeDescription("extendedData", .data),
            AttributeDescription(
              "extendedChanges", .transformed(by: "Changes"), isTransient: true),
          ])
      ], classes: [ExtendedObject.self])
  }
}
