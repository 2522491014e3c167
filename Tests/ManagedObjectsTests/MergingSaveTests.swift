import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What is told of a save that merges what others have saved.
@Suite struct MergingSaveTests {
  /// A save that merges reads no object anew: only what it merges has changed.
  @Test func `S38, S63: a save that merges tells of the keys that are others by it`() throws {
    let stage = try Stage()
    let (first, second) = (stage.context(), stage.context())
    let theirs = first.insert("Post")
    try first.save()
    let ours = try second.existingObject(with: theirs.objectID)
    second.mergePolicy = .mergeByPropertyObjectTrump
    theirs.setValue(5, forKey: "score")
    try first.save()
    ours.setValue("ours", forKey: "author")
    var told: [String] = []
    let tokens = ["title", "author", "score"].map { key in
      ours.observe(key) { told.append($0.key) }
    }
    try second.save()
    #expect(told == ["score"])
    withExtendedLifetime(tokens) {}
  }

  /// In Core Data `awake(fromSnapshotEvents: .mergePolicy)`, which ComingFromCoreData.md says is `awake(from:)`.
  @Test(arguments: [true, false])
  func `S13: awake tells that a save has merged what another context has saved`(storeWins: Bool)
    throws
  {
    let stage = try Stage(Probe.model())
    let (first, second) = (stage.context(), stage.context())
    let theirs = first.insert(Probe.self)
    try first.save()
    let ours = try second.existingObject(with: theirs.objectID, as: Probe.self)
    second.mergePolicy =
      storeWins ? .mergeByPropertyStoreTrump : .mergeByPropertyObjectTrump
    theirs.setValue("theirs", forKey: "title")
    try first.save()
    ours.setValue("ours", forKey: "author")
    ours.calls = []
    try second.save()
    #expect(ours.value(forKey: "title") == "theirs" && ours.value(forKey: "author") == "ours")
    #expect(ours.calls.contains("awake merge"), "\(ours.calls)")
  }

  @Test @MainActor
  func `S42, S46: what a save has merged is told of in a turn, as any other change is`()
    async throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(on: MainActor.shared), stage.context(on: nil))
    context.mergePolicy = .mergeByPropertyObjectTrump
    let post = context.insert("Post")
    try save(context)
    post.setValue("ours", forKey: "author")
    await turn()
    try other.existingObject(with: post.objectID).setValue("theirs", forKey: "title")
    try save(other)
    var updated: [ObjectID] = []
    let token = context.onChange { updated += $0.updated.map(\.objectID) }
    try save(context)
    await turn()
    #expect(post.value(forKey: "title") == "theirs")
    #expect(updated == [post.objectID])
    withExtendedLifetime(token) {}
  }

  /// What was scheduled on the main actor has run when this returns.
  @MainActor private func turn() async {
    for _ in 0..<3 { await Task { @MainActor in }.value }
  }

  /// Saves, before anybody else has a turn.
  private func save(_ context: ManagedObjectContext) throws { try context.save() }
}
