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
  public static func settled(
    _ patches: [Patch], between others: [[Patch]] = [], in store: ReadableStore
  ) throws(PatchError) -> [Patch] {
    var settling = PatchSettling(Schema.of(store))
    for (index, patch) in patches.enumerated() {
      try settling.follow(patch)
      if index < others.count { for other in others[index] { try settling.part(from: other) } }
    }
    return zip(patches, settling.edits).map { patch, edits in
      edits.isEmpty ? patch : Patch(objects: patch.objects.compactMap { $0.edited(edits) })
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
    case object(PatchIdentity?)

    var target: PatchIdentity? { if case .object(let identity) = self { identity } else { nil } }

    func renamed(_ names: [PatchIdentity: PatchIdentity]) -> Content {
      target.flatMap { names[$0] }.map { .object($0) } ?? self
    }
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
  /// What was said, by the names that objects have by now.
  private var said: [PatchIdentity: [String: Said]] = [:]
  private(set) var edits: [PatchEdits] = []

  init(_ schema: Schema) { self.schema = schema }

  mutating func follow(_ patch: Patch) throws(PatchError) {
    edits.append([:])
    let entries = try FlatPatch(patch, nil).entries.map(\.patch)
    let gone = Set(entries.lazy.filter { $0.kind == .deletion }.map(\.identity))
    part(fromThoseThatLedTo: gone)
    for entry in entries where entry.kind != .creation { say(entry) }
    rename(entries)
  }

  /// Has what a patch from elsewhere says be said before it and after it.
  mutating func part(from patch: Patch) throws(PatchError) {
    let entries = try FlatPatch(patch, nil).entries.map(\.patch)
    for entry in entries {
      if entry.kind != .update { said[entry.identity] = nil }
      for key in (entry.new ?? [:]).keys { said[entry.identity]?[key] = nil }
      for key in entry.relationships.keys { said[entry.identity]?[key] = nil }
    }
    part(fromThoseThatLedTo: Set(entries.lazy.filter { $0.kind == .deletion }.map(\.identity)))
    rename(entries)
  }

  /// What led to objects that go was led elsewhere before, or it may go with them.
  private mutating func part(fromThoseThatLedTo gone: Set<PatchIdentity>) {
    if gone.isEmpty { return }
    for (identity, keys) in said {
      for (key, each) in keys where each.first.target.map(gone.contains) ?? false {
        said[identity]?[key] = nil
      }
    }
  }

  private mutating func say(_ entry: ObjectPatch) {
    guard let info = schema.entity(named: entry.entityName) else {
      said[entry.identity] = nil
      return
    }
    let isDeletion = entry.kind == .deletion
    for (key, old) in entry.old ?? [:] {
      guard let new = isDeletion ? old : entry.new?[key] else { continue }
      guard isPlain(key, info), !old.hasMembers, !new.hasMembers else {
        said[entry.identity]?[key] = nil
        continue
      }
      if let first = say(entry, key, .value(old), .value(new)), case .value(let value) = first {
        edits[edits.count - 1][entry.identity, default: ObjectEdits()].old[key] = value
      }
    }
    for (key, relationship) in entry.relationships where relationship.kind == .toOne {
      guard info.property(key)?.relationship?.isSaidAtOneEnd ?? false else {
        said[entry.identity]?[key] = nil
        continue
      }
      let old = Content.object(relationship.removed.first?.identity)
      let new = isDeletion ? old : .object(relationship.added.first?.identity)
      if let first = say(entry, key, old, new) {
        edits[edits.count - 1][entry.identity, default: ObjectEdits()].removed[key] = first.target
      }
    }
  }

  /// - Returns: what it was before it was first said, where that is another than the patch says; nil where it is not.
  private mutating func say(
    _ entry: ObjectPatch, _ key: String, _ old: Content, _ new: Content
  ) -> Content? {
    var now = Said(place: edits.count - 1, identity: entry.identity, first: old, last: new)
    var before: Content?
    if let earlier = said[entry.identity]?[key], earlier.last == old {
      edits[earlier.place][earlier.identity, default: ObjectEdits()].left.insert(key)
      now.first = earlier.first
      before = earlier.first
    }
    if entry.kind == .update, now.first == new {
      edits[now.place][entry.identity, default: ObjectEdits()].left.insert(key)
      said[entry.identity]?[key] = nil
      return nil
    }
    said[entry.identity, default: [:]][key] = now
    return before
  }

  /// Whether it is a value that is not what objects are named by.
  private func isPlain(_ key: String, _ info: EntityInfo) -> Bool {
    info.property(key)?.attribute.map { !$0.isIdentifier } ?? true
  }

  /// Has objects, and what leads to them, be known by the names that entries give them.
  private mutating func rename(_ entries: [ObjectPatch]) {
    var names: [PatchIdentity: PatchIdentity] = [:]
    var gone: [PatchIdentity] = []
    for entry in entries where entry.kind != .creation && entry.identityAfter != entry.identity {
      if let name = entry.identityAfter { names[entry.identity] = name }
      gone.append(entry.identity)
    }
    if gone.isEmpty { return }
    let renamed = names.map { ($1, said[$0]) }
    for identity in gone { said[identity] = nil }
    for (identity, keys) in renamed { said[identity] = keys }
    if names.isEmpty { return }
    said = said.mapValues { keys in
      keys.mapValues { each in
        var each = each
        each.first = each.first.renamed(names)
        each.last = each.last.renamed(names)
        return each
      }
    }
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
  /// Nil where nothing is left.
  fileprivate func edited(_ edits: PatchEdits) -> ObjectPatch? {
    var patch = self
    for (key, relationship) in relationships where !relationship.patches.isEmpty {
      patch.relationships[key]?.patches = relationship.patches.compactMap { $0.edited(edits) }
    }
    if kind != .creation, let own = edits[identity] {
      for key in own.left {
        patch.new?[key] = nil
        patch.old?[key] = nil
        patch.relationships[key]?.removed = []
        patch.relationships[key]?.added = []
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
