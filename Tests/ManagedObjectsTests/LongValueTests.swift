import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct LongValueTests {
  private static let long = String(repeating: "It was a dark and stormy night. ", count: 320)

  /// How often a store tells that the middle of a value became another, and how often that all of a long one was set.
  private static func splices(_ store: JournaledStore) throws -> (splices: Int, sets: Int) {
    var counts = (splices: 0, sets: 0)
    for event in try store.events() {
      switch event.kind {
      case .spliced: counts.splices += 1
      case .set(_, _, .string(let text)?) where text.utf8.count > 1_000: counts.sets += 1
      case .undone(let restored), .redone(let restored):
        for each in restored {
          counts.splices += each.splices.count
          counts.sets += each.values.values.filter { $0.string?.utf8.count ?? 0 > 1_000 }.count
        }
      default: break
      }
    }
    return counts
  }

  @Test
  func `S76: typing, undoing and redoing in a long text costs few bytes, and comes back whole`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post.setValue(.string(Self.long), forKey: "title")
    try context.save()
    let before = stage.store.journaledByteCount
    var dice = Dice(seed: 7)
    var texts = [Self.long]
    for _ in 0..<150 {
      var characters = Array(texts[texts.count - 1].utf8)
      let at = dice.pick(characters.count)
      if dice.chance(3) { characters.remove(at: at) } else { characters.insert(0x61, at: at) }
      texts.append(String(decoding: characters, as: UTF8.self))
      post.setValue(.string(texts[texts.count - 1]), forKey: "title")
      context.processPendingChanges()
      if texts.count % 20 == 0 { try context.save() }
    }
    for _ in 0..<60 { context.undo() }
    for _ in 0..<20 { context.redo() }
    let (splices, sets) = try Self.splices(stage.store)
    #expect(splices == 230 && sets == 1)
    let spent = stage.store.journaledByteCount - before
    #expect(spent < 230 * 64, "\(spent) bytes")

    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    let typed = try recovered.existingObject(with: post.objectID)
    for step in (0...110).reversed() {
      #expect(typed.value(forKey: "title")?.string == texts[step])
      recovered.undo()
    }
    _ = recovered
    _ = context
  }

  @Test func `S76: what is known only to the context is written whole`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    let other = context.insert("Post")
    post.setValue(.string(Self.long), forKey: "title")
    try context.save()
    // A save does not take either of these.
    post.setValue(.string(Self.long), forKey: "scratch")
    post.setPrimitiveValue(.string(Self.long + "a"), forKey: "title")
    other.setValue(.string("other"), forKey: "title")
    try context.save()
    post.setValue(.string(Self.long + "b"), forKey: "scratch")
    post.setValue(.string(Self.long + "ab"), forKey: "title")
    let draft = try #require(try stage.killed().store.unsavedDrafts.first)
    #expect(draft.problem == nil)
    let again = try stage.killed()
    let recovered = try ManagedObjectContext(
      recovering: try #require(again.store.unsavedDrafts.first), in: again.store)
    let found = try recovered.existingObject(with: post.objectID)
    #expect(found.value(forKey: "title")?.string == Self.long + "ab")
    #expect(found.value(forKey: "scratch")?.string == Self.long + "b")
    _ = context
  }

  @Test(arguments: [false, true])
  func
    `S76: a long value that is set to what it was, or to another of the same letters, comes back`(
      isCombined: Bool
    ) throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    let (one, other) = (Self.long + "\u{E9}", Self.long + "e\u{301}")
    post.setValue(.string(one), forKey: "title")
    try context.save()
    post.setValue(.string(isCombined ? other : one), forKey: "title")
    context.processPendingChanges()
    post.setValue(.string(one + "!"), forKey: "title")
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    let found = try recovered.existingObject(with: post.objectID)
    recovered.undo()
    let text = try #require(found.value(forKey: "title")?.string)
    #expect(Array(text.utf8) == Array((isCombined ? other : one).utf8))
    _ = context
  }
}
