import Foundation
import Testing
import XJournal

final class Page: ManagedObject {
  @Attribute("title", .indexed) var title: String = "Untitled"
  @Attribute("text") var text: String?
  @Counter("views") var views: Int
  @ValueSet("tags") var tags: Set<String>
}

/// What the first page of the catalogue shows.
@Suite struct LandingPageTests {
  @Test func `a page is made, saved, taken back and made again`() throws {
    try Toolchain.withFolder { folder in
      let url = folder.appending(path: "Pages.xjournal")

      let store = try JournaledStore(at: url, model: try ManagedObjectModel(Page.self))
      let context = ManagedObjectContext(store)

      let page = context.insert(Page.self)
      page.title = "Hello"
      page["mood"] = "sunny"
      try context.save(author: "ann", message: "first page")
      context.undo()
      context.redo()

      #expect(page.title == "Hello" && page["mood"] == "sunny" && !page.isDeleted)
      #expect(try store.commit(1).author == "ann")
    }
  }
}
