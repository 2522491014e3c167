internal import EventFold
internal import ObjectModel

/// How a context stands to changes that those make who are told that something was undone or redone.
enum FollowUp {
  /// Nothing was undone just now: they are changes as any.
  case none
  /// They are being told, and the first change is to have none be registered.
  case expected
  /// None is registered, until all have been told.
  case unregistered
}

extension ManagedObjectContext {
  /// What follows is a change again that can be undone.
  func endFollowingUp() {
    if followUp == .unregistered, undoDisabledDepth == 0 { perform(.undoSwitched(isOn: true)) }
    followUp = .none
  }

  /// Has what is about to be changed be no step, where it follows from what was undone or redone just now: it is made
  /// anew by whoever makes it, and what can be redone is to stay.
  func noteFollowUp() {
    followUp = .none
    if fold.registersUndo {
      perform(.undoSwitched(isOn: false))
      followUp = .unregistered
    }
  }
}
