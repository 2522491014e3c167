import Foundation
import XJournal

/// A figure whose colour and bounds are transient, each with a stored text beside it, by hand: read when they are
/// needed or when the object is, written when they are set or when the object is saved.
class FigureByHand: ManagedObject {
  class var readsAtFetch: Bool { false }
  class var writesAtOnce: Bool { true }

  /// How often something was made a text.
  private(set) var archiveCount = 0

  var color: Color? {
    get { shown("color").flatMap { Color(value: $0) } }
    set { show(newValue?.value, "color") }
  }

  var bounds: CGRect? {
    get { shown("bounds").flatMap { CGRect(value: $0) } }
    set { show(newValue?.value, "bounds") }
  }

  private func shown(_ key: String) -> Value? {
    willAccessValue(forKey: key)
    defer { didAccessValue(forKey: key) }
    if let value = primitiveValue(forKey: key) { return value }
    guard !Self.readsAtFetch, let value = unarchived(key) else { return nil }
    setPrimitiveValue(value, forKey: key)
    return value
  }

  private func show(_ value: Value?, _ key: String) {
    willChangeValue(forKey: key)
    setPrimitiveValue(value, forKey: key)
    didChangeValue(forKey: key)
    if Self.writesAtOnce { setValue(archived(value), forKey: "\(key)Text") }
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    guard Self.readsAtFetch else { return }
    for key in ["color", "bounds"] { setPrimitiveValue(unarchived(key), forKey: key) }
  }

  override func willSave() {
    if !Self.writesAtOnce {
      for key in ["color", "bounds"] {
        guard let value = primitiveValue(forKey: key) else { continue }
        setPrimitiveValue(archived(value), forKey: "\(key)Text")
      }
    }
    super.willSave()
  }

  private func archived(_ value: Value?) -> Value? {
    guard let parts = value?.array?.compactMap(\.real) else { return nil }
    archiveCount += 1
    return .string(parts.map { "\($0)" }.joined(separator: " "))
  }

  private func unarchived(_ key: String) -> Value? {
    guard let text = value(forKey: "\(key)Text")?.string else { return nil }
    return .array(text.split(separator: " ").compactMap { Double($0) }.map { .real($0) })
  }

  static func description(_ name: String) -> EntityDescription {
    EntityDescription(
      name,
      attributes: [
        AttributeDescription("colorText", .string), AttributeDescription("boundsText", .string),
        AttributeDescription("color", .transformed(by: "Color"), isTransient: true),
        AttributeDescription("bounds", .transformed(by: "Bounds"), isTransient: true),
      ])
  }
}

final class NeededDirect: FigureByHand {}

final class FetchedDirect: FigureByHand {
  override class var readsAtFetch: Bool { true }
}

final class NeededLate: FigureByHand {
  override class var writesAtOnce: Bool { false }
}

final class FetchedLate: FigureByHand {
  override class var readsAtFetch: Bool { true }
  override class var writesAtOnce: Bool { false }
}

/// The same, built in.
final class Figure: ManagedObject {
  @Attribute("c1", .transformed(by: ColorTransformer())) var c1: Color?
  @Attribute("c2", .transformed(by: ColorTransformer(), reading: .atFetch)) var c2: Color?
  @Attribute("c3", .transformed(by: ColorTransformer(), writing: .beforeSave)) var c3: Color?
  @Attribute("c4", .transformed(by: ColorTransformer(), reading: .atFetch, writing: .beforeSave))
  var c4: Color?
  @Attribute("b1", .transformed(by: BoundsTransformer())) var b1: CGRect?
  @Attribute("b2", .transformed(by: BoundsTransformer(), reading: .atFetch)) var b2: CGRect?
  @Attribute("b3", .transformed(by: BoundsTransformer(), writing: .beforeSave)) var b3: CGRect?
  @Attribute("b4", .transformed(by: BoundsTransformer(), reading: .atFetch, writing: .beforeSave))
  var b4: CGRect?
}

/// Stores rectangles as text.
struct BoundsTransformer: ValueTransformer {
  struct NoBounds: Error {}

  func encode(_ bounds: CGRect) -> Value {
    .string("\(bounds.origin.x) \(bounds.origin.y) \(bounds.width) \(bounds.height)")
  }

  func decode(_ value: Value) throws -> CGRect {
    let parts = (value.string ?? "").split(separator: " ").compactMap { Double($0) }
    guard let bounds = CGRect(value: .array(parts.map { .real($0) })) else { throw NoBounds() }
    return bounds
  }
}

extension CGRect {
  /// The rectangle as a value that a transient attribute can have.
  var value: Value { [.real(origin.x), .real(origin.y), .real(width), .real(height)] }

  /// Nil for what is no rectangle.
  init?(value: Value) {
    let parts = value.array?.compactMap(\.real) ?? []
    guard parts.count == 4 else { return nil }
    self.init(x: parts[0], y: parts[1], width: parts[2], height: parts[3])
  }
}
