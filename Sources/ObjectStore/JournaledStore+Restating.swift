internal import EventFold
internal import Journaling
internal import ObjectModel

extension JournaledStore {
  /// Has a context go on as another, which holds what is whole of the work that the first has left.
  ///
  /// Of a context with an edit that does not fit, nothing that comes after the edit is read: what it does from now
  /// on would not be found again. So what it holds is said anew, and what it could undo is given up. The first is ended
  /// when all of that is in the journal.
  ///
  /// - Returns: nil where what it holds cannot be said so.
  func restate(
    _ left: ContextFold
  ) throws(StoreError) -> (context: LiveContext, content: ContextFold)? {
    let edits = left.restatement(on: left.base)
    func content(_ number: ContextNumber) -> ContextFold? {
      var fold = ContextFold(
        number, name: left.name, on: left.base, parent: left.parent,
        traits: head.era.map { traits(of: $0) } ?? [:])
      do throws(ContextFoldError<Never>) {
        for edit in edits { try fold.apply(edit) { object, _ in left.objects[object]?.baseRow } }
      } catch {
        return nil
      }
      return fold.unsaved() == left.unsaved() ? fold : nil
    }
    guard content(left.number) != nil else { return nil }
    let context = try beginContext(name: left.name, on: left.base, withinNumber: left.parent)
    do throws(StoreError) {
      for edit in edits { try record(edit, by: context) }
      if let content = content(context.number) { return (context, content) }
      giveUp(context)
      return nil
    } catch {
      // The first still has everything.
      giveUp(context)
      throw error
    }
  }
}
