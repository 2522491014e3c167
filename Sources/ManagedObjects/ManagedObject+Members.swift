internal import ObjectModel

extension ManagedObject {
  // MARK: Members

  /// Puts an object into a relationship to many, behind the others where they have an order, and has it lead back. One that
  /// is there already stays where it is.
  ///
  /// Where the inverse leads to one the other members are not read.
  public final func insert(_ member: ManagedObject, into key: String) {
    relate(key, with: member, isComing: true)
  }

  /// Takes an object out of a relationship to many, and has it lead back no more. One that is not there is left alone.
  ///
  /// Where the inverse leads to one the other members are not read.
  public final func remove(_ member: ManagedObject, from key: String) {
    relate(key, with: member, isComing: false)
  }

  private func relate(_ key: String, with member: ManagedObject, isComing: Bool) {
    let context = state.attached()
    guard let property = state.entity.property(key) else {
      precondition(
        state.entity.virtualAttributes[key] == nil,
        "\(state.entity.name).\(key) is computed and has no members of its own.")
      _ = misspelt(key)
      return
    }
    guard let relationship = property.relationship, relationship.isToMany else {
      preconditionFailure("\(state.entity.name).\(key) is no relationship to many.")
    }
    precondition(
      member.state.context === context,
      "\(state.entity.name).\(key) cannot lead to \(member), which is an object of another context; ask this context "
        + "for it by its objectID.")
    context.relate(state, property.key, relationship, with: member.state, isComing: isComing)
  }
}

/// What lets members be named by key paths of an object's own class: `post.insert(reader, into: \.readers)`. A property
/// whose setter is out of reach where the path is written is named by its key.
public protocol MemberKeeping: ManagedObject {}
extension ManagedObject: MemberKeeping {}

extension MemberKeeping {
  /// Puts an object into a relationship to many and has it lead back, as `insert(_:into:)` with a key does.
  public func insert<Member: ManagedObject>(_ member: Member, into path: KeyPath<Self, Set<Member>>)
  {
    insert(member, into: key(of: path))
  }

  /// Puts an object into a relationship to many, behind the others, and has it lead back.
  public func insert<Member: ManagedObject>(_ member: Member, into path: KeyPath<Self, [Member]>) {
    insert(member, into: key(of: path))
  }

  /// Takes an object out of a relationship to many and has it lead back no more.
  public func remove<Member: ManagedObject>(_ member: Member, from path: KeyPath<Self, Set<Member>>)
  {
    remove(member, from: key(of: path))
  }

  /// Takes an object out of a relationship to many and has it lead back no more.
  public func remove<Member: ManagedObject>(_ member: Member, from path: KeyPath<Self, [Member]>) {
    remove(member, from: key(of: path))
  }

  private func key(of path: PartialKeyPath<Self>) -> String {
    guard let key = state.attached().key(of: path) else {
      preconditionFailure(
        "\(path) leads to no relationship of \(state.entity.name) whose setter is in reach; name it by its key."
      )
    }
    return key
  }
}
