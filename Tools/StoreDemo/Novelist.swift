import Foundation
import XJournal

/// The process that is killed in the midst of its work: it types a text word by word, each a step of undo, and never saves.
struct Novelist {
  private static let words =
    "Call me Ishmael. Some years ago, never mind how long precisely, I went to sea"
  private static let sentence = words.split(separator: " ").map(String.init)

  /// Types until it is killed, and says each word that is in the journal.
  static func type(in path: String) throws {
    let store = try Library.open(path)
    let context = ManagedObjectContext(store)
    context.name = "novel"
    let book = try context.fetch(Book.self, where: #Predicate { $0.title == "Moby-Dick" }).first
    guard let book else { throw DemoFailure("there is no book to go on with") }
    for count in 1...sentence.count {
      book.text = sentence[..<count].joined(separator: " ")
      context.processPendingChanges()
      FileHandle.standardOutput.write(Data("\(sentence[count - 1])\n".utf8))
      if count == 12 { while true { pause() } }
    }
  }

  /// Has another process type, and kills it.
  ///
  /// - Returns: the words that it had said were in the journal.
  static func killOne(at path: String) throws -> [String] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["novelist", path]
    process.standardOutput = output
    try process.run()
    var said = ""
    while said.split(separator: "\n").count < 12 {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw DemoFailure("the process that types has ended by itself") }
      said += String(decoding: data, as: UTF8.self)
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return said.split(separator: "\n").map(String.init)
  }
}

/// Why the demo cannot go on.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
