internal import EventFold
internal import ObjectModel
internal import ObjectStore

extension ManagedObjectContext {
  /// What others have changed since this context has seen it, of what is not saved here: what a save would tell now
  /// if the policy were to tell it. Nothing is saved or changed.
  ///
  /// - Throws: where the store cannot be read.
  public var conflicts: [MergeConflict] {
    get throws {
      settleSave()
      if let parent = view.parent { return conflicts(with: parent) }
      let (snapshot, names) = (view.snapshot, KeyNaming(store: store))
      let kindOf = mergeKinds
      var conflicts: [MergeConflict] = []
      for unsaved in fold.unsaved() {
        guard let stored = try snapshot.stored(unsaved.object), stored.changed > unsaved.base else {
          continue
        }
        let sides = ObjectConflict(
          unsaved.object, base: unsaved.baseRow, ours: unsaved.row, theirs: stored.row)
        let merge = ObjectMerge(sides, .tell) { kindOf(unsaved.object, $0) }
        if case .conflict(let conflict) = merge {
          conflicts.append(MergeConflict(conflict, schema, name: names.name))
        }
      }
      return conflicts
    }
  }

  /// What becomes of values that are changed here, where a function of the program's merges them with those that a
  /// refresh brings. Where the function throws, ours stays as with values that are merged by nothing.
  func valuesMergedByFunction(
    on rows: [ObjectID: Row?]
  ) -> [(object: ObjectID, key: KeyNumber, value: Value?)] {
    if schema.program.merges.isEmpty { return [] }
    let kindOf = mergeKinds
    var merged: [(object: ObjectID, key: KeyNumber, value: Value?)] = []
    for case (let object, let theirs?) in rows.sorted(by: { $0.key < $1.key }) {
      guard let draft = fold.objects[object], draft.isThere, let base = draft.baseRow else {
        continue
      }
      for (key, ours) in draft.delta.sorted(by: { $0.key < $1.key }) {
        let kind = kindOf(object, key)
        guard case .custom = kind,
          case .merged(let value) = ValueMerge(
            base: base[key], ours: ours, theirs: theirs[key], kind), value != ours
        else { continue }
        merged.append((object, key, value))
      }
    }
    return merged
  }

  /// How the values of objects' keys merge, with the program's own functions.
  var mergeKinds: @Sendable (ObjectID, KeyNumber) -> MergeKind {
    guard let kinds = store.mergeKinds else { return { _, _ in .asWhole } }
    let (schema, merges) = (schema, schema.program.merges)
    return { object, key in
      kinds.kind(of: key, in: object) { name in
        guard let merge = merges[name] else { return .asWhole }
        return .custom { base, ours, theirs in
          let merged: Value?
          do { merged = try merge(base, ours, theirs) } catch { return nil }
          // What the model does not admit is as if it had thrown: only a person can merge these.
          guard let property = schema.entity(object.entity)?.property(key),
            case .success(let admitted) = property.admitted(merged, schema)
          else { return nil }
          return MergeKind.Merged(admitted)
        }
      }
    }
  }
}
