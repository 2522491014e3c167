internal import ManagedObjects
internal import ObjectModel
public import ObjectStore

extension Patch {
  /// Patches that follow each other, of which each value and each relationship to one is said once: by the last that
  /// says it, with what it was before the first. One that comes to be as it was is not said at all.
  ///
  /// Whoever merges what two stores have done needs to be told the comings and goings of members one by one, as `steps`
  /// does, and all else as a whole: a value that went there and back is as it was, for the other store as well, which may
  /// have set it meanwhile. What belongs to members, counters and relationships whose both ends hold them, stays as it is.
  ///
  /// - Parameters:
  ///   - patches: the patches, in their order.
  ///   - others: what came from elsewhere between each patch and the next, where something did: what that says is
  ///     said before it and after it.
  ///   - store: has the model.
  /// - Throws: where the changes of one object stand in several places of a patch.
  ///
  /// Costs: what the patches and the others say is read once.
  public static func settled(
    _ patches: [Patch], between others: [[Patch]] = [], in store: ReadableStore
  ) throws(PatchError) -> [Patch] {
    var settling = PatchSettling(store)
    for (index, patch) in patches.enumerated() {
      try settling.follow(patch)
      if index < others.count { for other in others[index] { try settling.part(from: other) } }
    }
    return zip(patches, settling.edits).map { patch, edits in
      if edits.isEmpty { return patch }
      var freed: [ObjectPatch] = []
      let objects = patch.objects.compactMap { $0.edited(edits, &freed) }
      return Patch(objects: objects + freed)
    }
  }
}

/// What a patch is to say otherwise, by the objects as it names them.
private typealias PatchEdits = [PatchIdentity: ObjectEdits]

private struct ObjectEdits {
  /// What is said by a later patch, or not at all.
  var left: Set<String> = []
  /// What values were before the first patch that says them.
  var old: [String: Value] = [:]
  /// What relationships to one led to before that.
  var removed: [String: PatchIdentity?] = [:]
}

/// Follows patches, and finds what is said of one thing several times.
private struct PatchSettling {
  /// What a value is, or a relationship to one leads to.
  private enum Content: Hashable {
    case value(Value)
    /// The object's number.
    case object(Int?)

    var target: Int? { if case .object(let number) = self { number } else { nil } }
  }

  /// What was said of a thing until now, by one patch.
  private struct Said {
    /// The patch, and the object as that names it.
    let place: Int
    let identity: PatchIdentity
    var first: Content
    var last: Content
  }

  private let schema: Schema
  private let model: ManagedObjectModel?
  private var numbers = ObjectNumbers()
  /// What was said, by the objects' numbers.
  private var said: [Int: [String: Said]] = [:]
  /// The objects that the patch at hand deletes.
  private var going: Set<Int> = []
  private(set) var edits: [PatchEdits] = []

  init(_ store: ReadableStore) { (schema, model) = (Schema.of(store), store.model) }

  mutating func follow(_ patch: Patch) throws(PatchError) {
    edits.append([:])
    let entries = try FlatPatch(patch, model).entries.map(\.patch)
    let change = numbers.change(by: entries)
    let deletions = entries.filter { $0.kind == .deletion }
    going = Set(deletions.map { numbers.number(of: $0.identity) })
    for entry in entries where entry.kind != .creation { say(entry, change) }
    numbers.apply(change)
    for number in going { said[number] = nil }
  }

  /// Has what a patch from elsewhere says be said before it and after it.
  mutating func part(from patch: Patch) throws(PatchError) {
    let entries = try FlatPatch(patch, model).entries.map(\.patch)
    for entry in entries {
      let number = numbers.number(of: entry.identity)
      if entry.kind != .update { said[number] = nil }
      for key in entry.newValues.keys { said[number]?[key] = nil }
      for key in entry.relationships.keys { said[number]?[key] = nil }
    }
    numbers.apply(numbers.change(by: entries))
  }

  /// Whether it did not lead to what has gone since: that was led elsewhere before, or it may go with it.
  private func lasts(_ content: Content) -> Bool {
    content.target.map { numbers.name(of: $0) != nil && !going.contains($0) } ?? true
  }

  private mutating func say(_ entry: ObjectPatch, _ change: ObjectNumbers.Change) {
    let number = numbers.number(of: entry.identity)
    guard let info = schema.entity(named: entry.entityName) else {
      said[number] = nil
      return
    }
    let isDeletion = entry.kind == .deletion
    for (key, old) in entry.oldValues {
      guard let new = isDeletion ? old : entry.new?[key] else { continue }
      guard isPlain(key, info), !old.hasMembers, !new.hasMembers else {
        said[number]?[key] = nil
        continue
      }
      if let first = say(entry, number, key, .value(old), .value(new)),
        case .value(let value) = first
      {
        edits[edits.count - 1][entry.identity, default: ObjectEdits()].old[key] = value
      }
    }
    for (key, relationship) in entry.relationships where relationship.kind == .toOne {
      guard info.property(key)?.relationship?.isSaidAtOneEnd ?? false else {
        said[number]?[key] = nil
        continue
      }
      let old = Content.object(
        relationship.removed.first.map { numbers.number(of: $0.identity) })
      let new = Content.object(
        relationship.added.first.map { numbers.number(of: $0.identity, after: change) })
      if let first = say(entry, number, key, old, isDeletion ? old : new) {
        edits[edits.count - 1][entry.identity, default: ObjectEdits()].removed[key] =
          .some(first.target.flatMap(numbers.name(of:)))
      }
    }
  }

  /// - Returns: what it was before it was first said, where that is another than the patch says; nil where it is not.
  private mutating func say(
    _ entry: ObjectPatch, _ number: Int, _ key: String, _ old: Content, _ new: Content
  ) -> Content? {
    var now = Said(place: edits.count - 1, identity: entry.identity, first: old, last: new)
    var before: Content?
    if let earlier = said[number]?[key], earlier.last == old, lasts(earlier.first) {
      edits[earlier.place][earlier.identity, default: ObjectEdits()].left.insert(key)
      now.first = earlier.first
      before = earlier.first
    }
    if entry.kind == .update, now.first == new {
      edits[now.place][entry.identity, default: ObjectEdits()].left.insert(key)
      said[number]?[key] = nil
      return nil
    }
    said[number, default: [:]][key] = now
    return before
  }

  /// Whether it is a value that is not what objects are named by.
  private func isPlain(_ key: String, _ info: EntityInfo) -> Bool {
    info.property(key)?.attribute?.isIdentifier != true
  }
}

extension RelationshipInfo {
  /// Whether no patch of commits says where it leads at the other end, too.
  fileprivate var isSaidAtOneEnd: Bool {
    storage == .one && (inverse.map { $0.storage == .inverse } ?? true)
  }
}

extension Value {
  /// Whether it is something of which patches say what comes and goes.
  fileprivate var hasMembers: Bool { self.set != nil || array != nil || counter != nil }
}

extension ObjectPatch {
  /// - Parameter freed: what comes to be under a relationship that is not said any more, and so stands nowhere else.
  /// - Returns: nil where nothing is left.
  fileprivate func edited(_ edits: PatchEdits, _ freed: inout [ObjectPatch]) -> ObjectPatch? {
    var patch = self
    for (key, relationship) in relationships.sorted(by: { $0.key < $1.key })
    where !relationship.patches.isEmpty {
      patch.relationships[key]?.patches = relationship.patches.compactMap {
        $0.edited(edits, &freed)
      }
    }
    if kind != .creation, let own = edits[identity] {
      for key in own.left.sorted() {
        patch.new?[key] = nil
        patch.old?[key] = nil
        guard let relationship = patch.relationships[key] else { continue }
        let isCreation = { (child: ObjectPatch) in child.kind == .creation }
        freed += relationship.patches.filter(isCreation)
        patch.relationships[key] = RelationshipPatch(
          relationship.kind, patches: relationship.patches.filter { !isCreation($0) })
      }
      for (key, value) in own.old where !own.left.contains(key) { patch.old?[key] = value }
      for (key, identity) in own.removed where !own.left.contains(key) {
        patch.relationships[key]?.removed = identity.map { [.init($0)] } ?? []
      }
    }
    patch.relationships = patch.relationships.filter {
      !$1.removed.isEmpty || !$1.added.isEmpty || !$1.patches.isEmpty
    }
    return patch.isEmpty ? nil : patch
  }
}
