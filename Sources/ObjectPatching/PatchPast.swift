internal import ObjectModel

/// What others have done to names and to members since a patch was made: of several patches that follow each other
/// the first, and then each of the next.
struct PatchPast {
  /// What comes to a set or a relationship, or goes.
  enum Member: Hashable {
    case value(Value)
    case object(PatchIdentity)
  }

  struct Place: Hashable {
    let identity: PatchIdentity
    let key: String
    let member: Member
  }

  /// What objects are named by after all that others have done since, where that has changed.
  private var names: [PatchIdentity: PatchIdentity] = [:]
  /// Before how many of the patches each member has come or gone at most, by the names that objects have after all.
  private var touched: [Place: Int] = [:]
  /// For each patch what was put into `names` as nobody had known of it before that patch, with what was there.
  private var former: [[(name: PatchIdentity, then: PatchIdentity?)]] = []
  private var followed = FollowedNames()

  /// Takes in what was done before all that it knows, and after a patch.
  mutating func add(before patches: [Patch]) throws(PatchError) {
    former.append([])
    for patch in patches.reversed() { try add(FlatPatch(patch, nil).entries.map(\.patch)) }
  }

  private mutating func add(_ entries: [ObjectPatch]) {
    var renamed: [PatchIdentity: PatchIdentity] = [:]
    for entry in entries where entry.kind == .update {
      if let name = entry.identityAfter, name != entry.identity { renamed[entry.identity] = name }
    }
    func after(_ name: PatchIdentity) -> PatchIdentity { names[name] ?? name }
    func before(_ name: PatchIdentity) -> PatchIdentity { after(renamed[name] ?? name) }
    var places: [Place] = []
    for entry in entries where entry.kind != .deletion {
      let identity = entry.kind == .creation ? after(entry.identity) : before(entry.identity)
      for (key, relationship) in entry.relationships where relationship.kind != .toOne {
        let members =
          relationship.removed.map { before($0.identity) }
          + relationship.added.map { after($0.identity) }
        places += members.map { Place(identity: identity, key: key, member: .object($0)) }
      }
      for (key, new) in entry.newValues {
        places += Value.changedMembers(from: entry.old?[key], to: new)
          .map { Place(identity: identity, key: key, member: .value($0)) }
      }
    }
    for place in places where touched[place] == nil { touched[place] = former.count }
    let earlier = renamed.map { (name: $0, then: after($1)) }
    for given in renamed.values { name(given, nil) }
    for (name, then) in earlier { self.name(name, then) }
  }

  private mutating func name(_ name: PatchIdentity, _ then: PatchIdentity?) {
    former[former.count - 1].append((name, names[name]))
    names[name] = then
  }

  /// Goes on to the next patch, which knows of what was done before it; what the one before it renames is known by its
  /// new name.
  mutating func go(beyond entries: [ObjectPatch]) {
    for (name, then) in former.removeLast().reversed() { names[name] = then }
    followed.add(entries)
  }

  /// What an object is to be named by that the patch names so.
  func name(of name: PatchIdentity) -> PatchIdentity {
    followed.now[name] == nil ? names[name] ?? name : name
  }

  /// What others know an object by that the patch names so; nil for nothing.
  func origin(of name: PatchIdentity) -> PatchIdentity? {
    if let first = followed.former[name] { return names[first] ?? first }
    return followed.now[name] == nil ? names[name] ?? name : nil
  }

  /// The same of one that the patch makes.
  func originOfNew(_ name: PatchIdentity) -> PatchIdentity? {
    followed.now[name] == nil ? name : nil
  }

  /// Whether others have had a member come or go, by what they know objects by.
  func hasTouched(_ place: Place) -> Bool {
    touched[place].map { $0 <= former.count } ?? false
  }
}

/// What patches that follow each other rename.
private struct FollowedNames {
  /// The names after them, by those before the first; and the other way around.
  private(set) var now: [PatchIdentity: PatchIdentity] = [:]
  private(set) var former: [PatchIdentity: PatchIdentity] = [:]

  mutating func add(_ entries: [ObjectPatch]) {
    var renamed: [(first: PatchIdentity, now: PatchIdentity)] = []
    for entry in entries where entry.kind == .update {
      guard let now = entry.identityAfter, now != entry.identity else { continue }
      renamed.append((former.removeValue(forKey: entry.identity) ?? entry.identity, now))
    }
    for (first, now) in renamed {
      self.now[first] = now
      former[now] = first
    }
  }
}

extension Value {
  /// What comes to a set or goes from it; nothing where it is none.
  static func changedMembers(from old: Value?, to new: Value) -> Set<Value> {
    let values = [old ?? .null, new]
    guard values.contains(where: { $0.set != nil }),
      values.allSatisfy({ $0.isNull || $0.set != nil })
    else { return [] }
    return (old?.set ?? []).symmetricDifference(new.set ?? [])
  }
}
