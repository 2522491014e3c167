import EventFold
import Foundation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

/// A random session that does all there is to do, and of which it is kept what its contexts were after each thing, and
/// what was unsaved and could be undone before each event.
///
/// A context of its own marks the moments in the journal, by what it is called from then on.
final class WatchedSession {
  let session: RandomSession
  private let marker: ManagedObjectContext
  /// What the contexts were when the journal came to each mark.
  private(set) var moments: [String: [ContextMoment]] = [:]
  /// What contexts that have begun were when an event was about to be written, by its time.
  private(set) var folds: [Date: [ContextFold]] = [:]
  private var store: JournaledStore { session.stage.store }

  init(seed: UInt64) throws {
    var watched: WatchedDisk?
    let stage = try Stage(PaintedPost.model()) { disk in
      let wrapped = WatchedDisk(disk)
      watched = wrapped
      return wrapped
    }
    session = RandomSession(seed: seed, contextCount: 2, on: stage)
    marker = stage.context()
    marker.insert("Blog")
    watched?.onEvent = { [weak self] date in
      guard let self else { return }
      folds[date] = session.contexts.map(\.fold).filter { $0.number.rawValue > 0 }
    }
  }

  /// Does one thing, and keeps what the contexts are.
  func step() {
    let number = session.dice.pick(session.contexts.count)
    change(session.contexts[number], number)
    let seen = session.contexts.map { ContextMoment($0) }
    marker.name = "moment \(moments.count)"
    moments[marker.name] = seen
  }

  private func change(_ context: ManagedObjectContext, _ number: Int) {
    func tell(_ what: String) { session.tell("\(number): \(what)") }
    switch session.dice.pick(36) {
    case 0:
      guard setSomething(in: context) else { return }
      context.setActionName("step \(session.dice.pick(4))")
      tell("name it")
      context.processPendingChanges()
    case 1:
      tell("group")
      context.beginUndoGrouping()
      for _ in 0..<3 { _ = setSomething(in: context) }
      context.endUndoGrouping()
    case 2:
      tell("what cannot be undone")
      context.disableUndoRegistration()
      for _ in 0..<2 { _ = setSomething(in: context) }
      context.enableUndoRegistration()
    case 3:
      context.name = "context \(number) \(session.dice.pick(3))"
      tell("is called \(context.name)")
    case 4:
      guard session.dice.pick(3) == 0 else { return }
      tell("reset")
      context.reset()
    case 5, 6:
      guard let post = session.pick("Post", in: context) else { return }
      let color = session.dice.pick(5) == 0 ? nil : Color(red: session.dice.pick(3))
      let key = ["cover", "paint"][session.dice.pick(2)]
      tell("set \(post).\(key) = \(String(describing: color))")
      for _ in 0..<2 { post.setTransformedValue(color, forKey: key) }
    case 7:
      guard let post = session.pick("Post", in: context) else { return }
      tell("undo \(post)")
      try? context.undo(post)
    case 8:
      let count = context.undoSteps.count
      guard count > 0 else { return }
      let index = session.dice.pick(count)
      tell("undo step \(index) of \(count)")
      try? context.undo(step: index)
    case 9:
      guard let moment = commit() else { return }
      tell("take back \(moment)")
      try? context.revert(moment)
    case 10:
      guard session.dice.pick(3) == 0, let moment = commit() else { return }
      tell("revert to \(moment)")
      try? context.revert(to: moment)
    case 11:
      context.automaticallyMergesChanges.toggle()
      tell("merges by itself: \(context.automaticallyMergesChanges)")
    case 12:
      guard let commit = try? store.commits(since: 0).last else { return }
      tell("merge \(commit.number)")
      context.merge(from: commit)
    default: session.step()
    }
  }

  private func commit() -> Moment? {
    let last = Int(store.lastCommit.rawValue)
    return last == 0 ? nil : .commit(CommitNumber(rawValue: UInt64(1 + session.dice.pick(last))))
  }

  /// Sets, inserts or deletes something.
  private func setSomething(in context: ManagedObjectContext) -> Bool {
    guard let post = session.pick("Post", in: context), session.dice.pick(6) > 0 else {
      session.tell("  insert \(context.insert("Post"))")
      return true
    }
    switch session.dice.pick(5) {
    case 0:
      session.tell("  delete \(post)")
      context.delete(post)
    case 1:
      let mood = session.dice.pick(3)
      session.tell("  set \(post)[mood] = \(mood)")
      post["mood"] = .integer(mood)
    default:
      let title = Value.string("t\(session.dice.pick(4))")
      session.tell("  set \(post).title = \(title)")
      post.setValue(title, forKey: "title")
    }
    return true
  }
}

/// A post with colours, one that is stored at once and one that is stored later.
final class PaintedPost: ManagedObject {
  override class var entityName: String { "Post" }

  @Attribute("cover", .transformed(by: ColorTransformer())) var cover: Color?
  @Attribute("paint", .transformed(by: ColorTransformer(), writing: .beforeSave)) var paint: Color?

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: Stage.model().descriptions, classes: [PaintedPost.self])
  }
}
