import Foundation
import Testing
import XJournal

final class Note: ManagedObject {
  @Attribute("text") var text: String = ""
}

func openNotes(at path: String) throws -> ManagedObjectContext {
  let store = try JournaledStore(at: path, model: try ManagedObjectModel(Note.self))
  guard let draft = store.unsavedDrafts.first else { return ManagedObjectContext(store) }
  print("Never saved, and here again: \(draft.objectIDs.count)")
  return try ManagedObjectContext(recovering: draft, in: store)
}

func obey(_ line: String, in context: ManagedObjectContext) throws {
  switch line {
  case "undo": context.undo()
  case "redo": context.redo()
  case "save": try context.save(author: "ann")
  default:
    context.insert(Note.self).text = line
    context.processPendingChanges()
  }
}

/// What the page on getting started shows, and what it says of it.
@Suite struct GettingStartedTests {
  private static func open(_ path: String) throws -> ManagedObjectContext {
    try openNotes(at: path)
  }

  /// What the program prints for some lines; it is killed after the last.
  private func session(_ lines: [String], in folder: URL, killedInto copy: URL) throws -> [String] {
    var said: [String] = []
    var left = lines[...]
    func readLine() -> String? { left.popFirst() }
    func print(_ items: String...) { said.append(items.joined(separator: " ")) }
    func openNotes(at name: String) throws -> ManagedObjectContext {
      try Self.open(folder.appending(path: name).path)
    }

    let context = try openNotes(at: "Notes.xjournal")
    while let line = readLine() {
      try obey(line, in: context)
      for note in try context.fetch(Note.self) { print("-", note.text) }
    }

    // What a process leaves that was killed: its folder, as it is.
    try FileManager.default.copyItem(at: folder, to: copy)
    return said
  }

  @Test func `the program goes on where it was killed, with what it can undo`() throws {
    try Toolchain.withFolder { folder in
      let lives = ["first", "second", "third"].map { folder.appending(path: $0) }
      try FileManager.default.createDirectory(at: lives[0], withIntermediateDirectories: true)
      let first = try session(
        ["Buy milk", "save", "Buy bread"], in: lives[0], killedInto: lives[1])
      #expect(first == ["- Buy milk", "- Buy milk", "- Buy milk", "- Buy bread"])
      let second = try session(["undo", "redo", "save"], in: lives[1], killedInto: lives[2])
      #expect(
        second == ["- Buy milk", "- Buy milk", "- Buy bread", "- Buy milk", "- Buy bread"])
      let store = try JournaledStore(
        at: lives[2].appending(path: "Notes.xjournal"), model: try ManagedObjectModel(Note.self))
      #expect(store.unsavedDrafts.isEmpty && store.lastCommit == 2)
    }
  }
}
