package import ObjectModel

/// The first byte of an event. Numbers are part of the format.
package enum EventKind: UInt8, Hashable, Sendable, CaseIterable {
  case set = 1
  case setPrimitive, inserted, deleted, membersChanged, based, renamed, stepEnded, undoSwitched
  case undone, redone, refreshed, merged, rolledBack, wasReset, saved, saveFailed
  case reconciled, spliced
  case keyNamed = 32
  case modelAdopted, timePassed, numbersReserved, contextBegan, contextEnded, draftDiscarded
  case tagged, contextResumed

  /// Whether who does not know a kind may go on without it: the highest bit says that he may not.
  package static func mayBePassedOver(_ kind: UInt8) -> Bool { kind < 0x80 }

  /// Whether a kind is none that this code knows, and may be one of newer code.
  static func isUnknown(_ kind: UInt8) -> Bool { kind != 0 && EventKind(rawValue: kind) == nil }
}

extension Event {
  /// Whether folding must not go on behind the event, because newer code wrote it and says so.
  package var forbidsGoingOn: Bool {
    if case .unknown(let kind, _) = self { !EventKind.mayBePassedOver(kind) } else { false }
  }
}
