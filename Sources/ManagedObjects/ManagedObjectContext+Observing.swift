internal import EventFold
internal import ObjectModel

// Who observes which key, and what computed keys depend on.
extension ManagedObjectContext {
  /// How many objects somebody watches.
  package var watchedObjectCount: Int { watching.objectCount }

  // MARK: Observers

  func observe(
    _ object: ManagedObject, _ name: String, _ options: ObservingOptions,
    _ handler: @escaping (ObservedChange) -> Void
  ) -> ObservationToken {
    let state = object.state
    let observer = Observer(name, options, of: state, handler)
    let watch = watch(of: state)
    watch.add(observer)
    if let attribute = state.entity.virtualAttributes[name] ?? attribute(of: state, path: name),
      watch.computed[name] == nil
    {
      let computed = ComputedKey(attribute, of: state)
      watch.computed[name] = computed
      compute(computed)
    } else if options.contains(.old) {
      // What is answered from elsewhere has to be read before it changes, for it to be told what it was.
      _ = value(of: state, name)
    }
    let token = ObservationToken {
      observer.end()
      guard let state = observer.state else { return }
      state.context?.remove(observer, of: state)
    }
    if options.contains(.initial) {
      observer.tell(
        object, old: nil, new: watch.computed[name].map(\.value) ?? value(of: state, name))
    }
    return token
  }

  /// What a path across relationships to one leads to; nil for anything else, as a dynamic attribute of such a name.
  private func attribute(of state: ObjectState, path name: String) -> VirtualAttribute? {
    let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard path.count > 1, !path.contains(""),
      state.entity.property(path[0])?.relationship != nil
    else { return nil }
    var entity: EntityInfo? = state.entity
    for key in path.dropLast() {
      guard let info = entity, let relationship = info.property(key)?.relationship,
        !relationship.isToMany
      else {
        preconditionFailure(
          "\(state.entity.name).\(name) cannot be observed, as ‘\(key)’ is no relationship to one; observe a "
            + "computed key that reads what is wanted.")
      }
      entity = schema.entity(relationship.destination)
    }
    return VirtualAttribute(path: path)
  }

  private func remove(_ observer: Observer, of state: ObjectState) {
    guard let watch = state.watch else { return }
    if watch.remove(observer), let computed = watch.computed.removeValue(forKey: observer.key) {
      setSources(of: computed, Recording())
    }
    dropWatchIfIdle(of: state)
  }

  /// Who watches an object, from now on at least.
  func watch(of state: ObjectState) -> ObjectWatch {
    if let watch = state.watch { return watch }
    let watch = ObjectWatch()
    state.watch = watch
    watching.objectCount += 1
    return watch
  }

  func dropWatchIfIdle(of state: ObjectState) {
    guard let watch = state.watch, watch.isIdle else { return }
    state.watch = nil
    watching.objectCount -= 1
  }

  /// Nobody watches an object any more: it has come to its end.
  func endWatch(of state: ObjectState) {
    guard let watch = state.watch else { return }
    state.watch = nil
    if let left = watch.left(at: state.base) {
      watching.left[state.objectID] = left
    } else {
      watching.objectCount -= 1
    }
    for computed in watch.computed.values { setSources(of: computed, Recording()) }
  }

  /// Nobody watches any of the objects any more: the context has forgotten them.
  func endTelling(of states: [ObjectState]) {
    for state in states { state.watch = nil }
    // What its objects do when they end is not to meet the context while it forgets them.
    let kept = watching.told
    watching.forgetObjects()
    withExtendedLifetime(kept) {}
  }

  /// The value of a key that is not computed, as it is held.
  func value(of state: ObjectState, _ name: String) -> Value? {
    if let property = state.entity.property(name) { return primitiveValue(of: state, property) }
    guard let key = existingKey(name) else { return nil }
    return heldValue(of: state, key)
  }

  // MARK: Computed keys

  /// The value of a computed key, for a program that asks for it.
  func computed(_ attribute: VirtualAttribute, of object: ManagedObject) -> Value? {
    if isReadWatched {
      noteRead(of: object.state, attribute.name)
      readDeclared(attribute, of: object)
    }
    return attribute.read(object)
  }

  /// Computes a key, and finds out what it depends on.
  func compute(_ computed: ComputedKey) {
    guard let object = computed.state?.object else { return }
    watching.recordings.append(Recording())
    computed.value = self.computed(computed.attribute, of: object)
    setSources(of: computed, watching.recordings.removeLast())
  }

  private func readDeclared(_ attribute: VirtualAttribute, of object: ManagedObject) {
    for path in attribute.keyPathsForValuesAffecting {
      read(path.split(separator: ".").map(String.init)[0...], of: object.state)
    }
  }

  /// Reads what a declared dependency leads to, for who watches reading.
  private func read(_ path: ArraySlice<String>, of state: ObjectState) {
    guard let name = path.first, let object = state.object else { return }
    noteRead(of: state, name)
    if let attribute = state.entity.virtualAttributes[name] {
      // One that depends on itself would have no end.
      let source = ComputedKey.Source(object: state.objectID, key: name)
      guard watching.declared.insert(source).inserted else { return }
      defer { watching.declared.remove(source) }
      _ = computed(attribute, of: object)
      return
    }
    let rest = path.dropFirst()
    guard !rest.isEmpty, let property = state.entity.property(name),
      let relationship = property.relationship
    else { return }
    for destination in destinations(of: state, property.key, relationship) {
      if let next = instance(of: destination) { read(rest, of: next.state) }
    }
  }

  /// Has a computed key depend on what was read for it.
  private func setSources(of computed: ComputedKey, _ recording: Recording) {
    let former = computed.objects
    for source in computed.sources.subtracting(recording.sources) {
      guard let state = former[source.object]?.state ?? ownState(of: computed, source) else {
        continue
      }
      state.watch?.remove(computed, from: source.key)
      dropWatchIfIdle(of: state)
    }
    for source in recording.sources.subtracting(computed.sources) {
      guard let state = recording.objects[source.object]?.state else { continue }
      watch(of: state).add(computed, to: source.key)
    }
    computed.sources = recording.sources
    computed.objects = recording.objects
    // An object that held itself would have no end.
    if let own = computed.state?.objectID { computed.objects[own] = nil }
    withExtendedLifetime(former) {}
  }

  private func ownState(of computed: ComputedKey, _ source: ComputedKey.Source) -> ObjectState? {
    guard let state = computed.state, state.objectID == source.object else { return nil }
    return state
  }

  // MARK: Accessors of the program's own

  func willChangeByHand(_ state: ObjectState, _ name: String) {
    watching.changesByHand[ComputedKey.Source(object: state.objectID, key: name), default: 0] += 1
    willChange(state, name)
  }

  func didChangeByHand(_ state: ObjectState, _ name: String) {
    let source = ComputedKey.Source(object: state.objectID, key: name)
    guard let depth = watching.changesByHand[source] else { return }
    watching.changesByHand[source] = depth > 1 ? depth - 1 : nil
    if depth == 1 { askForSave(of: state, name) }
    didChange(state, name)
  }

  /// Has an object be dirty of which an accessor has changed what the store does not know: what is stored of it may be
  /// made before the save. Nothing can be undone by that.
  private func askForSave(of state: ObjectState, _ name: String) {
    guard untrackedDepth == 0, writer.refusal == nil, state.standing == .unchanged,
      state.context === self, !state.isFault, state.presence == .there
    else { return }
    // By a value that is set as it is: that of the key itself, or a short one that no hook has given.
    let declared = [state.entity.property(name)].compactMap(\.self) + state.entity.properties
    let keys = declared.filter { $0.type != nil && state.untracked?[$0.key] == nil }.map(\.key)
    let isShort = { (key: KeyNumber) in !(self.heldValue(of: state, key)?.isLong ?? false) }
    guard let key = keys.first(where: isShort) ?? keys.first else { return }
    base(state)
    noteChanged(state)
    let registersUndo = fold.registersUndo
    if registersUndo { perform(.undoSwitched(isOn: false)) }
    performSet(state, key, heldValue(of: state, key))
    if registersUndo { perform(.undoSwitched(isOn: true)) }
    settle(state)
  }

  /// Whether an accessor of the program's own has said that it is changing a key.
  func isChangedByHand(_ state: ObjectState, _ name: String) -> Bool {
    !watching.changesByHand.isEmpty
      && watching.changesByHand[ComputedKey.Source(object: state.objectID, key: name)] != nil
  }
}
