import Foundation
import Testing
import XJournal

/// A colour whose change is kept apart from what was saved: it merges as a stored attribute does.
@Suite struct KeptColorTests {
  private let red = Color(red: 1, green: 0, blue: 0)
  private let green = Color(red: 0, green: 1, blue: 0)
  private let blue = Color(red: 0, green: 0, blue: 1)

  /// Two contexts with the same object, whose colour is red.
  private func withTwo(
    _ body: (
      (context: ManagedObjectContext, object: KeptColor),
      (context: ManagedObjectContext, object: KeptColor)
    ) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try JournaledStore(at: folder, model: try KeptColor.model())
    let (context, other) = (ManagedObjectContext(store), ManagedObjectContext(store))
    let object = context.insert(KeptColor.self)
    #expect(object.color == nil)
    object.color = red
    try context.save()
    let same = try other.existingObject(with: object.objectID, as: KeptColor.self)
    try body((context, object), (other, same))
  }

  @Test func `S27: a colour kept by hand is set, undone, redone and saved`() throws {
    try withTwo { mine, theirs in
      #expect(mine.object.color == red && theirs.object.color == red && !mine.object.hasChanges)
      mine.object.color = green
      mine.context.processPendingChanges()
      mine.object.color = blue
      mine.context.undo()
      #expect(mine.object.color == green)
      mine.context.undo()
      #expect(mine.object.color == red && !mine.object.hasChanges)
      mine.context.redo()
      #expect(mine.object.color == green && mine.object.hasChanges)
      try mine.context.save()
      #expect(mine.object.color == green && !mine.object.hasChanges)
      theirs.context.refresh(theirs.object, mergeChanges: true)
      #expect(theirs.object.color == green)
    }
  }

  @Test func `S1: a colour that was taken away is another thing than one that was left alone`()
    throws
  {
    try withTwo { mine, theirs in
      mine.object.color = nil
      #expect(mine.object.color == nil && mine.object.hasChanges)
      theirs.object.color = blue
      try theirs.context.save()
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == nil)
      try mine.context.save()
      theirs.context.refresh(theirs.object, mergeChanges: true)
      #expect(theirs.object.color == nil && mine.object.color == nil)
      mine.object.color = red
      mine.context.undo()
      #expect(mine.object.color == nil && !mine.object.hasChanges)
    }
  }

  @Test
  func `S31: a refresh shows the fresh colour where it was left alone, and one's own where not`()
    throws
  {
    try withTwo { mine, theirs in
      theirs.object.color = blue
      try theirs.context.save()
      mine.object.setValue("mine", forKey: "name")
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == blue && mine.object.value(forKey: "name") == "mine")
      mine.object.color = green
      mine.context.undo()
      theirs.object.color = red
      try theirs.context.save()
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == red && !mine.object.changedValues().keys.contains("color"))
      mine.object.color = green
      theirs.object.color = blue
      try theirs.context.save()
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == green && mine.object.hasChanges)
      mine.context.refresh(mine.object, mergeChanges: false)
      #expect(mine.object.color == blue && !mine.object.hasChanges)
    }
  }

  @Test func `S24: where both set the colour, the second saves by refreshing and saving again`()
    throws
  {
    try withTwo { mine, theirs in
      mine.object.color = green
      theirs.object.color = blue
      try theirs.context.save()
      #expect(throws: MergeConflicts.self) { try mine.context.save() }
      #expect(mine.object.color == green)
      mine.context.refresh(mine.object, mergeChanges: true)
      try mine.context.save()
      theirs.context.refresh(theirs.object, mergeChanges: true)
      #expect(theirs.object.color == green)
    }
  }

  @Test
  func `S57: a failed save loses nothing, and a refresh after it begins with the store's data`()
    throws
  {
    try withTwo { mine, theirs in
      mine.object.color = green
      mine.object.setValue("far too long", forKey: "name")
      #expect(throws: ValidationErrors.self) { try mine.context.save() }
      #expect(mine.object.color == green)
      theirs.object.color = blue
      try theirs.context.save()
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == green)
      mine.object.setValue("short", forKey: "name")
      try mine.context.save()
      theirs.context.refresh(theirs.object, mergeChanges: true)
      #expect(theirs.object.color == green && theirs.object.value(forKey: "name") == "short")
    }
  }

  @Test func `S28: a colour is made data once for a save, and not at all where it was left alone`()
    throws
  {
    try withTwo { mine, _ in
      let before = mine.object.archiveCount
      for color in [green, blue, green] { mine.object.color = color }
      #expect(mine.object.archiveCount == before)
      try mine.context.save()
      #expect(mine.object.archiveCount == before + 1)
      mine.object.setValue("other", forKey: "name")
      try mine.context.save()
      #expect(mine.object.archiveCount == before + 1)
    }
  }

  @Test func `S3: a colour set as it was saved is a change until it is reconciled`() throws {
    try withTwo { mine, theirs in
      theirs.object.color = blue
      try theirs.context.save()
      mine.object.color = red
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == red)
      mine.context.refresh(mine.object, mergeChanges: false)
      #expect(mine.object.color == blue)
      mine.object.color = blue
      mine.object.reconcileColor()
      theirs.object.color = green
      try theirs.context.save()
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == green)
      mine.object.color = red
      mine.object.reconcileColor()
      mine.context.refresh(mine.object, mergeChanges: true)
      #expect(mine.object.color == red)
    }
  }
}
