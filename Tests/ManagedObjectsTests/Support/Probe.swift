import ManagedObjects
import ObjectModel

/// A post that tells which hooks were called, and does what a test asks it to do in them.
final class Probe: ManagedObject {
  override class var entityName: String { "Post" }

  var calls: [String] = []
  var onCall: [String: (Probe) -> Void] = [:]
  /// What new probes do in their hooks; set by one test on its own thread.
  @TaskLocal static var actions: Actions?

  final class Actions: @unchecked Sendable {
    var calls: [String] = []
    var onCall: [String: (Probe) -> Void] = [:]
  }

  private func call(_ name: String) {
    calls.append(name)
    Self.actions?.calls.append(name)
    onCall[name]?(self)
    Self.actions?.onCall[name]?(self)
  }

  override func awakeFromInsert() { call("awakeFromInsert") }
  override func awakeFromFetch() { call("awakeFromFetch") }
  override func awake(from reason: AwakeReason) { call("awake \(reason)") }
  override func willTurnIntoFault() { call("willTurnIntoFault") }
  override func didTurnIntoFault() { call("didTurnIntoFault") }
  override func prepareForDeletion() { call("prepareForDeletion") }
  override func willSave() { call("willSave") }
  override func didSave() { call("didSave") }
  override func validateForInsert() throws { call("validateForInsert") }
  override func validateForUpdate() throws { call("validateForUpdate") }
  override func validateForDelete() throws { call("validateForDelete") }

  /// A model whose posts are probes.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: Stage.model().descriptions, classes: [Probe.self])
  }
}
