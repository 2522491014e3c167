import Foundation
import Testing
import XJournal

final class Chapter: ManagedObject {
  @Attribute("title", .indexed) var title: String = "Untitled"
  @Attribute("text") var text: String?
  @Counter("views") var views: Int
}

/// What the page on time travel shows, and what it says of it.
@Suite struct TimeTravelTests {
  /// A chapter that was saved twice: with its first title, tagged, and with its second.
  private struct Stage {
    let path: String
    let store: JournaledStore
    let context: ManagedObjectContext
    let chapter: Chapter

    init(in folder: URL) throws {
      path = folder.appending(path: "Chapters.xjournal").path
      store = try JournaledStore(at: path, model: try ManagedObjectModel(Chapter.self))
      context = ManagedObjectContext(store)
      context.name = "editor"
      chapter = context.insert(Chapter.self)
      chapter.title = "First"
      try context.save(author: "bob")

      try store.tag("v1")

      chapter.title = "Second"
      chapter.views += 2

      try context.save(author: "ann", message: "a better title", userInfo: ["ticket": 7])
    }
  }

  private func withStage(_ body: (Stage) throws -> Void) throws {
    try Toolchain.withFolder { try body(try Stage(in: $0)) }
  }

  @Test func `a tag shows what was, under it and by itself`() throws {
    try withStage { stage in
      let (store, chapter) = (stage.store, stage.chapter)

      let past = try store.asOf(.tag("v1"))
      let titles = try past.fetch(Chapter.self, sortedBy: ["title"]).map(\.title)
      let then = try past.existingObject(with: chapter.objectID, as: Chapter.self)

      #expect(titles == ["First"] && then.title == "First" && past.isReadOnly)
      let before = try store.asOf(.head(-1))
      #expect(try before.count(FetchRequest("Chapter", where: "title == 'First'")) == 1)
      #expect(throws: ContextError.readOnly) { try past.save() }
    }
  }

  @Test func `history, blame, commits and events tell who, when and what`() throws {
    try withStage { stage in
      let (store, chapter) = (stage.store, stage.chapter)
      var said: [String] = []
      func print(_ items: Any...) { said.append(items.map { "\($0)" }.joined(separator: " ")) }

      for value in try store.history(of: chapter.objectID, key: "title") {
        print(value.commit, value.author ?? "somebody", value.old ?? .null, value.new ?? .null)
      }
      let author = try store.blame(chapter.objectID)["title"]?.author

      #expect(said == ["1 bob null \"First\"", "2 ann \"First\" \"Second\""] && author == "ann")
      #expect(try store.commit(2).userInfo == ["ticket": 7])
      said = []
      let lastSeen: CommitNumber = 1

      for commit in try store.commits(since: lastSeen) {
        for change in commit.changes {
          print(commit.number, change.kind, change.values.keys.sorted())
        }
      }

      #expect(said == ["2 updated [\"title\", \"views\"]"])
      said = []

      for event in try store.events() {
        guard case .set(_, let key, let value) = event.kind else { continue }
        print(event.context?.name ?? "", "set", key, "to", value ?? .null)
      }

      #expect(said.contains("editor set title to \"First\""))
    }
  }

  @Test func `a commit is taken back, and everything, by commits of their own`() throws {
    try withStage { stage in
      let (store, context, chapter) = (stage.store, stage.context, stage.chapter)
      chapter.text = "It was a dark night."
      chapter.views += 5
      try context.save()

      try context.revert(.commit(2))
      try context.save(author: "bob", message: "the first title was better")

      #expect(chapter.title == "First" && chapter.text != nil && chapter.views == 5)
      #expect(store.lastCommit == 4)
      chapter.title = "Fourth"
      #expect(throws: ContextError.self) { try context.revert(.commit(4)) }

      try context.revert(to: .tag("v1"))
      try context.save()

      #expect(chapter.title == "First" && chapter.text == nil && chapter.views == 0)
    }
  }

  @Test func `an older step is taken back by itself, and that can be undone`() throws {
    try withStage { stage in
      let (context, chapter) = (stage.context, stage.chapter)

      context.setActionName("Retitle")
      chapter.title = "Third"
      context.processPendingChanges()
      chapter.text = "It was a dark night."
      context.processPendingChanges()
      try context.undo(stepNamed: "Retitle")

      #expect(chapter.title == "Second" && chapter.text == "It was a dark night.")
      context.undo()
      #expect(chapter.title == "Third")
    }
  }

  @Test func `a draft comes back with its base, and a session with its undo history`() throws {
    try withStage { stage in
      let chapter = stage.chapter
      stage.chapter.text = "Never saved"
      stage.context.processPendingChanges()
      let copy = stage.path + ".killed"
      try FileManager.default.copyItem(atPath: stage.path, toPath: copy)
      let store = try JournaledStore(at: copy, model: try ManagedObjectModel(Chapter.self))
      let rival = ManagedObjectContext(store)
      try rival.existingObject(with: chapter.objectID, as: Chapter.self).title = "Meanwhile"
      try rival.save()
      var said: [String] = []
      func print(_ items: Any...) { said.append(items.map { "\($0)" }.joined(separator: " ")) }

      for draft in store.unsavedDrafts {
        let recovered = try ManagedObjectContext(recovering: draft, in: store)
        let conflicts = try recovered.conflicts
        print(draft.contextName, draft.editCount, conflicts.count)
        try recovered.save(retrying: 3)
      }

      #expect(said == ["editor 1 1"] && store.unsavedDrafts.isEmpty)
      let context = ManagedObjectContext(store)
      let found = try context.existingObject(with: chapter.objectID, as: Chapter.self)
      #expect(found.text == "Never saved" && found.title == "Meanwhile")
      found.title = "Last"
      try context.save()

      context.close()
      if let session = try store.sessions.last(where: { $0.hasAllEdits }) {
        let again = try ManagedObjectContext(resuming: session, in: store)
        again.undo()
        try again.save()
      }

      #expect(try store.history(of: chapter.objectID, key: "title").last?.new == "Meanwhile")
    }
  }

  @Test func `a reader looks on, and compaction drops what is not to be kept`() throws {
    try withStage { stage in
      let (path, store, context, chapter) = (stage.path, stage.store, stage.context, stage.chapter)

      let reader = try StoreReader(at: path)
      let visitor = ManagedObjectContext(reading: reader)
      let seen = try visitor.fetch(FetchRequest("Chapter")).map { $0["title"] }

      #expect(seen == ["Second"])
      chapter.title = "Third"
      try context.save()
      #expect(try reader.refresh() && reader.lastCommit == 3)
      context.close()

      try store.compact(keeping: .commits(since: 3))

      #expect(throws: StoreError.self) { try store.asOf(.commit(1)) }
      let other = ManagedObjectContext(store)
      try other.existingObject(with: chapter.objectID, as: Chapter.self).title = "Fourth"
      try other.save()
      other.close()

      let kept = try store.sessions.filter(\.hasAllEdits)
      try store.compact(keeping: .latest.keepingUndo(of: kept))

      let session = try #require(try store.sessions.last(where: { $0.hasAllEdits }))
      let again = try ManagedObjectContext(resuming: session, in: store)
      again.undo()
      #expect(again.hasChanges)

      let findings = try store.verify(deep: true)

      #expect(findings.isEmpty)
    }
  }
}
