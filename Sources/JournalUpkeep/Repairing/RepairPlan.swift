internal import DiskAccess
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// What of a damaged journal is taken over byte by byte.
struct RepairPlan {
  var parts: ArraySlice<JournalSurvey.Part>
  var keepsCheckpoint = true
  /// The part with the first damage, behind which something may be salvaged.
  var hole: Int?
  /// Whether the damage lies before that part, so that it is looked at as a whole.
  var isHoleBefore = false
  /// Whether the past is lost, and only the state kept with its checkpoint and what came then.
  var isTail = false
  /// Where the journal begins anew of which there is nothing but the state that was kept: behind which frame, and with
  /// which edit.
  var start: (last: FrameNumber, edit: EditNumber)?
  /// What is sound of the state that the journal begins with, and a time before its commits; nil where that state is whole,
  /// or is not needed.
  var base: (state: SalvagedState, time: RecordedTime)?
  /// Whether the state that was kept is not to be read, as some of it is damaged.
  var isStateDamaged = false
  /// The first commit of those that compaction has kept, as far as that is known.
  var firstKept = CommitNumber(rawValue: 1)
  /// With which edits that begins which contexts had not saved when the state was kept.
  var unsaved: [ContextNumber: EditNumber] = [:]
  /// The last frame that the state has in it that was kept.
  var keptThrough = FrameNumber.none
  /// The edits that no frame has, where they are taken over.
  var edits: LeftoverEdits?

  /// Whether a frame is taken over as it is.
  func takesOver(_ frame: FrameNumber) -> Bool {
    parts.contains { $0.segment.firstFrame <= frame && frame <= $0.lastFrame }
  }

  /// Nothing is taken over as it is: all commits are made again that can be read, from the first on.
  static let anew = RepairPlan(
    parts: [], keepsCheckpoint: false, hole: 0, isHoleBefore: true,
    start: (.none, EditNumber(1)))
}
