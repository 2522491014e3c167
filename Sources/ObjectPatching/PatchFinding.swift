public import ManagedObjects
public import ObjectModel

/// Something that keeps what a patch makes from being saved.
public struct PatchFinding: Hashable, Sendable {
  /// Where it is in the patch: an object's path, or that of one of its keys; empty where the patch does not speak of the
  /// object.
  public let path: PatchPath
  /// The object, as the patch names it; nil where it does not.
  public let identity: PatchIdentity?
  /// The object; nil where it would be made.
  public let objectID: ObjectID?
  /// The key it is about; nil where it is the object as a whole.
  public let key: String?
  /// What is wrong.
  public let kind: ValidationFailure.Kind
}

/// What a patch makes cannot be saved. Nothing has changed.
public struct InvalidPatch: Error, Hashable, Sendable {
  /// At least one.
  public let findings: [PatchFinding]
}

extension InvalidPatch {
  /// What a save has found, by the places in the patch of which that came.
  init(_ errors: ValidationErrors, _ report: PatchReport) {
    let objects = Dictionary(
      firstOf: report.objects.compactMap { object in object.objectID.map { ($0, object) } })
    findings = errors.failures.map { failure in
      let object = objects[failure.objectID]
      let path = object.map { object in
        failure.key.map { object.path.appending($0) } ?? object.path
      }
      return PatchFinding(
        path: path ?? PatchPath(), identity: object?.identity, objectID: failure.objectID,
        key: failure.key, kind: failure.kind)
    }
  }
}

extension InvalidPatch: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    let shown = findings.prefix(10).map(\.description).joined(separator: " ")
    let others = findings.count > 10 ? " There are \(findings.count - 10) more." : ""
    return "The patch makes what cannot be saved: \(shown)\(others)"
  }
}

extension PatchFinding: CustomStringConvertible {
  /// Where and what, in a sentence.
  public var description: String {
    let object = identity.map(\.description) ?? objectID.map(\.description) ?? ""
    let place = path.components.isEmpty ? key.map { "\($0) of" } : "\(path.words) of"
    return kind.sentence(of: place.map { "\($0) \(object)" } ?? object)
  }
}
