package import ObjectModel

extension ContextFold {
  /// The edits by which a context that begins on a commit comes to hold what is unsaved here. What was done to get
  /// there, and what can be undone of it, they do not tell.
  package func restatement(on base: CommitNumber) -> [Edit] {
    var edits: [Edit] = [.undoSwitched(isOn: false)]
    for (object, draft) in objects.sorted(by: { $0.key < $1.key }) {
      if draft.base != base, draft.base != .none { edits.append(.based(object, on: draft.base)) }
      switch (draft.baseRow != nil, draft.isThere) {
      case (false, false): continue
      case (true, false):
        edits.append(.deleted(object))
        continue
      case (false, true): edits.append(.inserted(object))
      case (true, true): break
      }
      // One that is to be saved for nothing that it still has is so for one of the values.
      let loud = draft.isDirty && !draft.asksForSave ? draft.delta.keys.first : nil
      for (key, value) in draft.delta {
        let isQuiet = draft.quietKeys.contains(key) && key != loud
        edits.append(isQuiet ? .setPrimitive(object, key, value) : .set(object, key, value))
      }
    }
    if registersUndo { edits.append(.undoSwitched(isOn: true)) }
    return edits
  }
}
