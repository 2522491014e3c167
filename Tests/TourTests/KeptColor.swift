import Foundation
import XJournal

/// An object that keeps what was saved of its colour and what has changed since apart: what was saved in a property
/// of the class, and the change in a transient attribute, whose saved value is always nothing.
final class KeptColor: ManagedObject {
  /// Stands for a colour that was taken away, as nothing stands for one that was left alone.
  private static let takenAway = Value.string("none")

  /// The colour as it was read or saved last.
  private var savedColor: Color?
  /// How often a colour was made data.
  private(set) var archiveCount = 0

  var color: Color? {
    get {
      willAccessValue(forKey: "color")
      defer { didAccessValue(forKey: "color") }
      guard let change = primitiveValue(forKey: "color") else { return savedColor }
      return Color(value: change)
    }
    set {
      willChangeValue(forKey: "color")
      setPrimitiveValue(newValue?.value ?? Self.takenAway, forKey: "color")
      didChangeValue(forKey: "color")
    }
  }

  /// No longer counts the colour as changed where it is as it was saved.
  func reconcileColor() {
    guard let change = primitiveValue(forKey: "color"), Color(value: change) == savedColor else {
      return
    }
    setPrimitiveValue(nil, forKey: "color")
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    savedColor = value(forKey: "colorData")?.data.flatMap { Color(archive: $0) }
  }

  override func willSave() {
    if let change = primitiveValue(forKey: "color") {
      let color = Color(value: change)
      if color != nil { archiveCount += 1 }
      setPrimitiveValue(color.map { .data($0.archive) }, forKey: "colorData")
    }
    super.willSave()
  }

  override func didSave() {
    super.didSave()
    guard let change = primitiveValue(forKey: "color") else { return }
    savedColor = Color(value: change)
    setPrimitiveValue(nil, forKey: "color")
  }

  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    savedColor = nil
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [
        EntityDescription(
          "KeptColor",
          attributes: [
            AttributeDescription("name", .string, validation: [.maxLength(8)]),
            AttributeDescription("colorData", .data),
            AttributeDescription("color", .transformed(by: "Color"), isTransient: true),
          ])
      ], classes: [KeptColor.self])
  }
}

extension Color {
  /// The colour as a value that a transient attribute can have.
  var value: Value { [.real(red), .real(green), .real(blue)] }

  /// Nil for what is no colour.
  init?(value: Value) {
    let parts = value.array?.compactMap(\.real) ?? []
    guard parts.count == 3 else { return nil }
    self.init(red: parts[0], green: parts[1], blue: parts[2])
  }

  var archive: Data { Data("\(red) \(green) \(blue)".utf8) }

  init?(archive: Data) {
    let parts = String(decoding: archive, as: UTF8.self).split(separator: " ").compactMap {
      Double($0)
    }
    self.init(value: .array(parts.map { .real($0) }))
  }
}
