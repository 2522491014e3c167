public import ObjectModel

/// Makes one value of what two contexts made of another; or throws where only a person can.
public typealias MergeFunction =
  @Sendable (_ base: Value?, _ ours: Value?, _ theirs: Value?) throws -> Value?
