internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// What a comparison takes in.
public struct PatchOptions: Hashable, Sendable {
  /// The names of entities of whose objects all old attributes are given when anything of one differs, so that who
  /// patches can keep a value and its unit together. Objects of entities that inherit from them are among these. One that
  /// no model of what is compared has is refused.
  public var wholeEntities: Set<String>
  /// How many relationships away from two compared objects others are compared, too; nil for all that can be reached. What
  /// a deletion takes along is compared however far it is.
  public var depth: Int?

  /// Says what is taken in.
  public init(wholeEntities: Set<String> = [], depth: Int? = nil) {
    self.wholeEntities = wholeEntities
    self.depth = depth
  }
}

extension PatchOptions {
  /// The names of all entities of whose objects all old attributes are given, where those of some contexts are compared.
  ///
  /// - Throws: where neither what the contexts show nor their stores now have an entity that is named.
  func wholeNames(of sides: [PatchSide]) throws(PatchError) -> Set<String> {
    if wholeEntities.isEmpty { return [] }
    return try wholeNames(in: sides.flatMap { [$0.schema, Schema.of($0.store)] })
  }

  /// - Throws: where none of the schemas has an entity that is named.
  func wholeNames(in schemas: [Schema]) throws(PatchError) -> Set<String> {
    var names: Set<String> = []
    for name in wholeEntities.sorted() {
      let kinds = schemas.flatMap { schema in
        (schema.entity(named: name)?.kinds ?? []).compactMap { schema.entity($0)?.name }
      }
      guard !kinds.isEmpty else {
        throw PatchError(
          .unknownEntity,
          "all old attributes are asked for of ‘\(name)’, and no entity is called so; name one of the model."
        )
      }
      names.formUnion(kinds)
    }
    return names
  }
}
