// What Tools/demo runs: a store from its first object to a draft that comes back after a kill.

import Foundation
import XJournal

@main
struct StoreDemo {
  private let folder: URL
  private let path: String
  private var stage = Stage()

  @MainActor
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case "novelist": try Novelist.type(in: arguments.dropFirst().first ?? "")
      case "--help", "-h": print("usage: Tools/demo [FOLDER]   works with a store in a new folder")
      default:
        var demo = try StoreDemo(in: arguments.first)
        try demo.run()
      }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private init(in path: String?) throws {
    let files = FileManager.default
    folder =
      path.map { URL(filePath: $0) }
      ?? files.temporaryDirectory.appending(
        path: "xjournal-demo-\(ProcessInfo.processInfo.processIdentifier)")
    self.path = folder.appending(path: "Library.xjournal").path
    guard !files.fileExists(atPath: self.path) else {
      throw DemoFailure("There is a store at \(self.path) already; name another folder.")
    }
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  @MainActor
  private mutating func run() throws {
    let book = try twoAuthors()
    try killAndRecover(book)
    try past(book)
    try tool()
    try farewell(book)
  }

  // MARK: Acts

  @MainActor
  private mutating func twoAuthors() throws -> ObjectID {
    stage.act("A store, and two who work with it")
    let store = try Library.open(path)
    let ann = ManagedObjectContext(store)
    let shelf = ann.insert(Shelf.self)
    shelf.name = "Sea stories"
    let book = ann.insert(Book.self)
    (book.title, book.copies, book.tags, book.shelf) = ("Moby Dick", 3, ["whale"], shelf)
    try ann.save(author: "ann", message: "the first book")
    try store.tag("v1")
    stage.code(#"try context.save(author: "ann", message: "the first book")"#)
    stage.cheer("“\(book.title)” is on the shelf “\(shelf.name)”, and that is durable.")

    stage.act("They change the same object")
    let ben = ManagedObjectContext(store)
    let same = try ben.existingObject(with: book.objectID, as: Book.self)
    (book.title, book.copies, book.tags) = ("Moby-Dick", book.copies + 2, ["whale", "classic"])
    (same.title, same.copies, same.tags) = ("MOBY DICK", same.copies + 5, ["whale", "1851"])
    try ann.save(author: "ann", message: "a hyphen, and two copies more")
    do {
      try ben.save(author: "ben")
      throw DemoFailure("two titles were saved, and nobody was told")
    } catch let conflicts as MergeConflicts {
      let title = conflicts.objects.first?.keys["title"]
      stage.show("Ben is told: the title is \(Self.words(title?.theirs)) in the store,")
      stage.show("and \(Self.words(title?.ours)) here.")
    }
    ben.refresh(same, mergeChanges: true)
    same.title = book.title
    try ben.save(author: "ben", message: "five copies more")
    ann.refresh(book, mergeChanges: true)
    stage.cheer("He takes her title. Copies were added by both: 3 + 2 + 5 is \(book.copies).")
    stage.cheer("So were tags: \(book.tags.sorted().joined(separator: ", ")).")
    try require(book.copies == 10 && book.tags == ["whale", "classic", "1851"])

    stage.act("Undo goes across a save")
    book.title = "The Whale"
    try ann.save(author: "ann", message: "the title it had in London")
    stage.code(#"book.title = "The Whale"; try context.save(); context.undo()"#)
    ann.undo()
    stage.cheer("The title is “\(book.title)” again, and waits to be saved.")
    try require(book.title == "Moby-Dick")
    try ann.save(author: "ann", message: "back to the title of New York")
    let object = book.objectID
    ben.close()
    ann.close()
    try store.close()
    return object
  }

  @MainActor
  private mutating func killAndRecover(_ book: ObjectID) throws {
    stage.act("A process is killed in the midst of its work")
    let words = try Novelist.killOne(at: path)
    stage.show("It had typed “\(words.joined(separator: " "))”,")
    stage.show("saved nothing, and was killed by signal 9.")

    stage.act("Nothing of that is lost")
    let store = try Library.open(path)
    guard let draft = store.unsavedDrafts.first else {
      throw DemoFailure("the draft is not there: this must never happen, please report it")
    }
    stage.show("A draft is offered: “\(draft.contextName)”, \(draft.editCount) edits.")
    let recovered = try ManagedObjectContext(recovering: draft, in: store)
    let novel = try recovered.existingObject(with: book, as: Book.self)
    stage.cheer("“\(novel.text)”")
    try require(novel.text == words.joined(separator: " "))
    recovered.undo()
    recovered.undo()
    stage.cheer("And its undo goes on: “\(novel.text)”")
    recovered.redo()
    try recovered.save(author: "ben", message: "what was never saved")
    stage.show("One word is redone, and all of it saved.")
    recovered.close()
    try store.close()
  }

  @MainActor
  private mutating func past(_ book: ObjectID) throws {
    stage.act("The past is there to be looked at")
    let store = try Library.open(path)
    let then = try store.asOf(.tag("v1")).existingObject(with: book, as: Book.self)
    stage.code(#"try store.asOf(.tag("v1"))"#)
    stage.cheer("It was “\(then.title)” then, in \(then.copies) copies.")
    for (key, value) in try store.blame(book).sorted(by: { $0.key < $1.key })
    where ["copies", "text", "title"].contains(key) {
      stage.show("\(key) is by \(value.author ?? "nobody"), in commit \(value.commit)")
    }
    try store.close()
  }

  private mutating func tool() throws {
    stage.act("People look by the tool, without the program")
    try show("log", "-n", "3")
    try show("blame", "Book/1")
    try show("compact", "-o", folder.appending(path: "Compacted.xjournal").path)
    try show("verify", "--deep")
    try writeReport()
  }

  @MainActor
  private mutating func farewell(_ book: ObjectID) throws {
    let store = try Library.open(path)
    let found = try ManagedObjectContext(reading: store).existingObject(with: book, as: Book.self)
    stage.heading("What was never saved, and is in commit \(store.lastCommit):")
    stage.quote(found.text)
    try store.close()
    let tool = Self.toolURL.path
    stage.heading("All of it is in \(folder.path):")
    for line in [
      "\(tool) log -p -s \(path)", "\(tool) events -s \(path)",
      "\(tool) history Book/1 title -s \(path)", "\(tool) diff v1 head -s \(path)",
      "a browser on \(folder.appending(path: "report.html").path)",
    ] {
      stage.show(line)
    }
  }

  // MARK: Means

  private static func words(_ value: Value?) -> String {
    value?.string.map { "“\($0)”" } ?? "nothing"
  }

  private func require(_ isKept: Bool) throws {
    guard isKept else {
      throw DemoFailure("that is not what was promised: this must never happen, please report it")
    }
  }

  private static let toolURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "xjournal")

  /// Has the tool do something with the store, and shows what it says.
  private func show(_ words: String...) throws {
    stage.code("xjournal \(words.joined(separator: " "))")
    stage.quote(String(decoding: try said(words), as: UTF8.self))
  }

  private func writeReport() throws {
    stage.code("xjournal report > report.html")
    let page = try said(["report"])
    try page.write(to: folder.appending(path: "report.html"))
    stage.cheer("A page of \(page.count / 1024) KB, with a slider that travels.")
  }

  private func said(_ words: [String]) throws -> Data {
    let (process, output) = (Process(), Pipe())
    process.executableURL = Self.toolURL
    process.arguments = words + ["-s", path]
    process.standardOutput = output
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw DemoFailure("xjournal \(words[0]) ends with \(process.terminationStatus)")
    }
    return said
  }
}
