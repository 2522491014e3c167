/// Why there is no patch, or why one cannot be applied, inverted or joined with another. Nothing has changed then.
public struct PatchError: Error, Hashable, Sendable {
  /// What kind of failure it is.
  public enum Code: Hashable, Sendable, CaseIterable {
    /// It is no JSON, or is not of the shape of a patch.
    case malformed
    /// It is of a version of the shape that is not known here.
    case unknownVersion
    /// A name stands twice in one object, or twice but for how its characters are composed.
    case repeatedName
    /// It is larger, or nested deeper, than is accepted.
    case tooLarge
    /// The model has no such entity, or one that has no objects of its own.
    case unknownEntity
    /// The entity has no such attribute or relationship.
    case unknownKey
    /// A value is not of the type that the model says.
    case wrongType
    /// An object is not named by what its entity has for that.
    case wrongIdentifier
    /// An object is of another entity than the relationship leads to.
    case wrongEntity
    /// The changes of one object stand in several places.
    case repeatedObject
    /// Several objects have the identifier that names one.
    case ambiguousObject
    /// An object is named that is nowhere.
    case missingObject
    /// An object is named by its ID in a store of another lineage.
    case otherLineage
    /// Commits are given that are none of the store.
    case otherStore
    /// What there was before is not said, so that it cannot be brought back.
    case notInvertible
    /// A patch does not begin where the one before it ends.
    case doesNotFollow
    /// A test that stands in a JSON Patch found another value.
    case testFailed
    /// The two things to be compared have nothing to do with each other.
    case notComparable
    /// What a delegate makes can be taken back only where no undo group is open.
    case openUndoGroup
    /// The context, or its store, is for looking only.
    case readOnly
    /// The delegate could not do what it was asked.
    case delegateFailed
  }

  /// What kind of failure it is.
  public let code: Code
  /// Where in the patch it is.
  public let path: PatchPath
  /// What happened, and what to do.
  public let reason: String

  package init(_ code: Code, at path: PatchPath = PatchPath(), _ reason: String) {
    self.code = code
    self.path = path
    self.reason = reason
  }
}

extension PatchError: CustomStringConvertible {
  /// Where, what happened, and what to do.
  public var description: String {
    path.components.isEmpty ? "The patch: \(reason)" : "The patch at \(path.words): \(reason)"
  }
}
