import Foundation
import Testing
import XJournal

private final class Album: ManagedObject {
  @Relationship("photos", inverse: "album") var photos: Set<Photo>
}

private final class Photo: ManagedObject {
  @Relationship("album", inverse: "photos") var album: Album?
}

/// What the page on performance shows, and what it says of it.
@Suite struct PerformanceTests {
  @Test func `a key is looked up once, an index is asked, and a save asks for more`() throws {
    try Toolchain.withFolder { folder in
      let url = folder.appending(path: "Samples.xjournal")
      let model = try ManagedObjectModel(entities: [
        EntityDescription(
          "Sample", attributes: [AttributeDescription("rank", .integer, isIndexed: true)])
      ])

      var options = StoreOptions()
      options.durability = .written
      let store = try JournaledStore(at: url, model: model, options: options)

      let context = ManagedObjectContext(store)
      let samples = (0..<30).map { _ in context.insert("Sample") }

      if let rank = context.resolvedKey("rank", of: "Sample") {
        for (number, sample) in samples.enumerated() { sample[rank] = .integer(number) }
      }

      samples[12]["mood"] = "sunny"

      try context.save(durability: .synced)

      let plan = try context.explain(
        FetchRequest("Sample", where: "rank BETWEEN {10, 20} AND mood == 'sunny'"))

      #expect(plan == "index on rank from 10 to 20, then test mood == \"sunny\"")
      let found = try context.values(
        of: ["rank"], FetchRequest("Sample", where: "rank BETWEEN {10, 20} AND mood == 'sunny'"))
      #expect(found.map { $0["rank"] } == [12])
    }
  }

  @Test func `members are put in and taken out one by one`() throws {
    try Toolchain.withFolder { at in
      let url = at.appending(path: "Albums.xjournal")
      let store = try JournaledStore(at: url, model: ManagedObjectModel(Album.self, Photo.self))
      let context = ManagedObjectContext(store)
      let (album, photo) = (context.insert(Album.self), context.insert(Photo.self))
      var counts: [Int] = []

      let token = photo.observe("album") { _ in counts.append(album.photos.count) }

      album.insert(photo, into: \.photos)
      album.remove(photo, from: "photos")

      #expect(counts == [1, 0] && photo.album == nil)
      withExtendedLifetime(token) {}
    }
  }
}
