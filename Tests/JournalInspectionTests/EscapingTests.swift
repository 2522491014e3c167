import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What texts hold does not get out of its quotes, whatever marks make one character with these.
@Suite struct EscapingTests {
  private static let texts = ["\u{0600}", "\u{0301}", "\u{200D}"].flatMap { mark in
    ["<", ">", "\"", "'", "&", ",", "\n"].flatMap { ["a\(mark)\($0)b", "a\($0)\(mark)b"] }
  }

  /// A journal whose values, author and message are these texts.
  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Note", attributes: [AttributeDescription("text", .string)])
      ]))
    let context = ManagedObjectContext(store, isolation: nil)
    for text in texts { context.insert("Note").setValue(.string(text), forKey: "text") }
    try context.save(author: texts.joined(), message: texts.joined())
    context.close()
    try store.close()
    return disk
  }

  /// The text between quotes, with those in it doubled.
  private func quoted(_ text: String, _ quote: Unicode.Scalar) -> [UInt8] {
    let byte = UInt8(ascii: quote)
    return [byte] + text.utf8.flatMap { $0 == byte ? [byte, byte] : [$0] } + [byte]
  }

  private func contains(_ output: String, _ bytes: some Collection<UInt8>) -> Bool {
    output.utf8.firstRange(of: bytes) != nil
  }

  @Test func `a page has no angle bracket of a text`() throws {
    let run = Run("report", on: try Self.disk())
    #expect(run.status == .fine && contains(run.output, "a\u{0600}&lt;b".utf8))
    for text in Self.texts where text.unicodeScalars.contains("<") {
      #expect(!contains(run.output, text.utf8))
    }
  }

  @Test func `a statement of SQL has every quote of a text twice`() throws {
    let run = Run("export --format sql", on: try Self.disk())
    #expect(run.status == .fine)
    for text in Self.texts { #expect(contains(run.output, quoted(text, "'"))) }
  }

  @Test func `a cell has every quote of a text twice`() throws {
    let run = Run("export --format csv", on: try Self.disk())
    #expect(run.status == .fine)
    for text in Self.texts
    where text.unicodeScalars.contains(where: { "\",\n".unicodeScalars.contains($0) }) {
      #expect(contains(run.output, quoted(text, "\"")))
    }
  }
}
