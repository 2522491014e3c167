package import ObjectModel

/// What a context holds that is not saved, and what it can undo and redo. All of it follows from the
/// context's edits and from the rows of the store it stands on, and from nothing else.
///
/// An object stands on the commit that it was based on, refreshed at, merged to or saved as last, and where
/// there was none of these, on the one that the context began on. A save moves only what it saves.
///
/// Costs: memory in proportion to what is unsaved, to what can be undone, and, with a few words each, to the
/// objects that stand on another commit than the context; merging and resetting forget those.
package struct ContextFold: Equatable, Sendable {
  package let number: ContextNumber
  package let parent: ContextNumber?
  package internal(set) var name: String
  /// The commit that all objects stand on of which nothing else is known.
  package internal(set) var base: CommitNumber
  /// How many edits have changed objects since everything unsaved was last saved or given up. What undid and
  /// redid something is counted, too.
  package internal(set) var editCount = 0
  /// Whether what is changed can be undone.
  package internal(set) var registersUndo = true
  /// The objects that are not as in their bases, or were set as they were.
  package internal(set) var objects: Drafts
  /// What can be undone, the last step at the end.
  package internal(set) var undoSteps: [UndoStep] = []
  /// What can be redone, what was undone last at the end.
  package internal(set) var redoSteps: [UndoStep] = []

  /// Whether there may be steps from before the fold began, which it cannot tell of.
  var hasEarlierSteps: Bool
  /// What came since the last border.
  var recorder = StepRecorder()
  /// Where objects without changes stand that do not stand on the context's base.
  var ownBases = Places()
  var traits: [EntityNumber: KeyTraits]
  /// Whether a context can go on from here: what can be undone is kept then.
  let isResumable: Bool

  /// Begins a context, or goes on with one that has nothing unsaved.
  ///
  /// - Parameters:
  ///   - traits: what the model says of the keys of each entity.
  ///   - isResumable: whether a context is to go on from the fold. Where only what it saves is of interest,
  ///     nothing is kept of what can be undone: undoing says what it brings back.
  ///   - hasEarlierSteps: whether it goes on, and may undo and redo what it did before.
  package init(
    _ number: ContextNumber, name: String, on base: CommitNumber, parent: ContextNumber? = nil,
    traits: [EntityNumber: KeyTraits] = [:], isResumable: Bool = true,
    hasEarlierSteps: Bool = false
  ) {
    self.number = number
    self.name = name
    self.base = base
    objects = Drafts(on: base)
    self.parent = parent
    self.traits = traits
    self.isResumable = isResumable
    self.hasEarlierSteps = hasEarlierSteps
  }

  /// Whether there is something to be saved: a context is a draft then.
  ///
  /// Costs: time in proportion to the objects that only have values set without notification since the last save.
  package var hasChanges: Bool { objects.mayBeDirty.contains { $0.value.isDirty } }

  /// The commit that an object stands on.
  package func base(of object: ObjectID) -> CommitNumber {
    objects.base(of: object) ?? base(ofUnchanged: object)
  }

  /// The commit that an object stands on, and whether that is with what is changed of it.
  package func standing(of object: ObjectID) -> (changed: CommitNumber?, any: CommitNumber) {
    let changed = objects.base(of: object)
    return (changed, changed ?? base(ofUnchanged: object))
  }

  /// The commit that an object stands on of which nothing is in memory.
  func base(ofUnchanged object: ObjectID) -> CommitNumber { ownBases[object] ?? base }

  /// What a save without rivals would commit, in the order of IDs. An object that is as it was in its base
  /// is not among it, nor is one that came to be and is gone again.
  package func changes() -> [ObjectChange] {
    unsaved().compactMap { .difference(of: $0.object, from: $0.baseRow, to: $0.row) }
  }

  /// What a save would take, in the order of IDs: also what is as it was.
  package func unsaved() -> [Unsaved] {
    var unsaved: [Unsaved] = []
    for (object, draft) in objects.mayBeDirty where draft.isDirty {
      let transient = traits[object.entity]?.transient ?? []
      unsaved.append(
        Unsaved(
          object: object, base: draft.base, baseRow: draft.baseRow,
          row: draft.row { !transient.contains($0) }))
    }
    return unsaved.sorted { $0.object < $1.object }
  }

  /// The objects that a save would take, in their order.
  package var dirtyObjects: [ObjectID] {
    var dirty: [ObjectID] = []
    for (object, draft) in objects.mayBeDirty where draft.isDirty { dirty.append(object) }
    return dirty.sorted()
  }

  /// Whether something came since the last border.
  package var hasOpenStep: Bool { !recorder.isEmpty }

  /// What came since the last border and will be undone before all steps; nil where nothing came.
  package var openStep: UndoStep? {
    recorder.isEmpty ? nil : recorder.step(named: nil, leaving: objects)
  }

  /// What of an object came since the last border; nil where nothing came.
  package func openStep(of object: ObjectID) -> UndoStep.Object? {
    recorder.ofStep(object, leaving: objects[object])
  }

  /// The keys of an object that were changed since the last border.
  package func keysOfOpenStep(of object: ObjectID) -> Set<KeyNumber> { recorder.keys(of: object) }

  func isTransient(_ key: KeyNumber, of object: ObjectID) -> Bool {
    traits[object.entity]?.transient.contains(key) ?? false
  }
}

/// An object that a save would take.
package struct Unsaved: Hashable, Sendable {
  package let object: ObjectID
  /// The commit that the object stands on.
  package let base: CommitNumber
  /// What it was there; nil where it was not.
  package let baseRow: Row?
  /// What it is to be; nil where it is to be gone.
  package let row: Row?
}
