internal import ByteCoding
internal import DiskAccess
package import DiskSimulation
internal import Foundation
internal import Journaling
internal import ManagedObjects
internal import ObjectModel
package import ObjectStore

/// Journals for the tool to look at, the same at every run: each on a disk of its own, as `Notes.xjournal`.
package enum Journals {
  package static let path = "Notes.xjournal"

  /// Some notes of three days, closed in order.
  package static func sound() throws -> SimulatedDisk { try sound(of: StoreOptions()) }

  package static func sound(of options: StoreOptions) throws -> SimulatedDisk {
    try MadeOnce.disk("sound \(options.journal.halfByteCount)") {
      let life = try NotesLife(options)
      try life.live()
      try life.store.close()
      return life.disk
    }
  }

  /// The same, of a program that was killed with an edit unsaved.
  package static func killed() throws -> SimulatedDisk { try killed(of: StoreOptions()) }

  package static func killed(of options: StoreOptions) throws -> SimulatedDisk {
    try MadeOnce.disk("killed \(options.journal.halfByteCount)") {
      let life = try NotesLife(options)
      try life.live()
      let context = life.context(named: "sketch")
      let post = try context.existingObject(with: life.posts[0])
      post["title"] = "Hello, moon"
      post["mood"] = "curious"
      context.insert("Blog")["name"] = "Never saved"
      context.processPendingChanges()
      return life.disk.imageAfterProcessDeath()
    }
  }

  /// The same, of which a byte in the midst of the journal has changed.
  package static func damaged() throws -> SimulatedDisk {
    let disk = try sound()
    let name = "\(path)/journal/0000000001.xj"
    guard var bytes = disk.contents(of: name) else { throw Missing(name: name) }
    // In the second half of what is written, behind the first commits.
    let length = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    bytes[length * 6 / 10] ^= 0x55
    try disk.setContents(name, bytes)
    return disk
  }

  /// The same, of a format that is newer than ours.
  package static func newer() throws -> SimulatedDisk {
    let disk = try sound()
    let name = "\(path)/journal/0000000001.xj"
    guard let bytes = disk.contents(of: name),
      case .header(var header) = bytes.withUnsafeBytes({ SegmentHeader.read($0) })
    else { throw Missing(name: name) }
    header.format += 1
    let newer = header.encoded().withBytes { Array($0) }
    try disk.setContents(name, newer + bytes.dropFirst(newer.count))
    return disk
  }

  /// A folder in which there is nothing.
  package static func missing() throws -> SimulatedDisk { SimulatedDisk(seed: 1) }

  /// Something that should be there is not.
  package struct Missing: Error {
    package let name: String

    package init(name: String) { self.name = name }
  }
}

/// Somebody who writes notes, at times of their own.
private final class NotesLife {
  let disk = SimulatedDisk(seed: 6)
  let store: JournaledStore
  private(set) var posts: [ObjectID] = []

  /// 2026-11-20T10:00:00Z
  private var seconds: Int64 = 1_795_168_800

  init(_ options: StoreOptions) throws {
    disk.setWallClock(1_795_168_800_000_000_000)
    store = try JournaledStore(
      on: disk, at: Journals.path, model: Self.model(), options: options)
  }

  func context(named name: String) -> ManagedObjectContext {
    let context = ManagedObjectContext(store)
    context.name = name
    return context
  }

  private func pass(_ seconds: Int64) {
    self.seconds += seconds
    disk.setWallClock(self.seconds * 1_000_000_000)
  }

  func live() throws {
    let editor = context(named: "editor")
    let blog = editor.insert("Blog")
    blog["name"] = "Notes"
    let hello = editor.insert("Post")
    hello["title"] = "Hello"
    hello["guid"] = .uuid(try uuid("00000000-0000-0000-0000-000000000001"))
    hello["blog"] = .reference(blog.objectID)
    posts = [hello.objectID]
    pass(60)
    try editor.save(author: "ann", message: "first post")

    pass(3600)
    let second = editor.insert("Post")
    second["title"] = "a \u{1B}[31mred\u{1B}[0m \u{202E}title"
    second["guid"] = .uuid(try uuid("00000000-0000-0000-0000-000000000002"))
    second["blog"] = .reference(blog.objectID)
    second["likes"] = .counter(2)
    second["size"] = .integer(9_007_199_254_740_993)
    try editor.save(author: "bob", message: "a post in colour\nwith a second line")

    pass(86_400)
    hello["title"] = "Hello, sun"
    hello["title"] = "Hello, world"
    hello["likes"] = .counter(5)
    hello["mood"] = "sunny"
    hello["tags"] = .set(["first", "warm"])
    try editor.save(
      author: "ann", message: "better words", userInfo: ["ticket": 17])
    try store.tag("v1")

    pass(86_400)
    let other = context(named: "")
    let removed = try other.existingObject(with: second.objectID)
    other.delete(removed)
    try other.save(author: "bob")

    pass(1800)
    editor.refreshAllObjects()
    hello["postDate"] = .date(Date(timeIntervalSince1970: 1_795_347_000.5))
    editor.processPendingChanges()
    hello["title"] = "Hello, stars"
    editor.processPendingChanges()
    editor.undo()
    try editor.save(author: "ann", message: "dated")
    pass(3600)
  }

  private func uuid(_ text: String) throws -> UUID {
    guard let uuid = UUID(uuidString: text) else { throw Journals.Missing(name: text) }
    return uuid
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("posts", to: "Post", inverse: "blog", isToMany: true)
        ]),
      EntityDescription(
        "Post", allowsAnyKey: true,
        attributes: [
          AttributeDescription(
            "title", .string, isOptional: false, defaultValue: "Untitled", isIndexed: true,
            validation: [.maxLength(200)]),
          AttributeDescription("guid", .uuid, isIdentifier: true),
          AttributeDescription("likes", .counter, isOptional: false),
          AttributeDescription("tags", .set, isOptional: false),
          AttributeDescription("postDate", .date),
          AttributeDescription("size", .integer),
          AttributeDescription("scratch", .string, isTransient: true),
        ],
        relationships: [RelationshipDescription("blog", to: "Blog", inverse: "posts")]),
    ])
  }
}
