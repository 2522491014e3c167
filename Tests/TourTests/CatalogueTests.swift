import Foundation
import Testing

/// The pages of DocC, and what they lead to.
@Suite struct CatalogueTests {
  private let catalogue = Toolchain.root.appending(path: "Sources/XJournal/XJournal.docc")

  @Test func `the catalogue converts without a warning, and with one for each link to nothing`()
    throws
  {
    try Toolchain.withFolder { folder in
      let symbols = folder.appending(path: "symbols")
      try FileManager.default.createDirectory(at: symbols, withIntermediateDirectories: true)
      // As programs see the library: all of it by one import.
      let extracted = try Toolchain.run(
        "swift-symbolgraph-extract",
        [
          "-module-name", "XJournal", "-minimum-access-level", "public", "-output-dir",
          symbols.path,
        ]
          + [
            "-experimental-allowed-reexported-modules="
              + "ManagedObjects,ObjectModel,ObjectPatching,ObjectQuery,ObjectStore"
          ] + Toolchain.moduleArguments())
      #expect(extracted.status == 0, "\(extracted.said)")

      func convert(_ catalogue: URL) throws -> Toolchain.Outcome {
        try Toolchain.run(
          "docc",
          [
            "convert", catalogue.path, "--additional-symbol-graph-dir", symbols.path,
            "--output-path", folder.appending(path: "converted").path, "--warnings-as-errors",
          ])
      }
      let whole = try convert(catalogue)
      #expect(whole.status == 0 && whole.said.allSatisfy(\.isWhitespace), "\(whole.said)")

      let broken = folder.appending(path: "XJournal.docc")
      try FileManager.default.copyItem(at: catalogue, to: broken)
      let page = broken.appending(path: "Merging.md")
      let text = try String(contentsOf: page, encoding: .utf8)
      let links = "\n<doc:NoPage>, ``NoSymbol``, ``ManagedObject/noMember``\n"
      try (text + links).write(to: page, atomically: true, encoding: .utf8)
      let refused = try convert(broken)
      #expect(refused.status != 0)
      for name in ["NoPage", "NoSymbol", "noMember"] {
        #expect(refused.said.contains("'\(name)' doesn't exist"), "\(refused.said)")
      }
    }
  }

  @Test func `the pieces of getting started are a program, one after the other`() throws {
    let page = catalogue.appending(path: "GettingStarted.md")
    var (program, isOpen, count) = ([Substring](), false, 0)
    for line in try String(contentsOf: page, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") {
        isOpen = line == "```swift"
        if isOpen { count += 1 }
      } else if isOpen {
        program.append(line)
      }
    }
    let refusal = try Toolchain.refusal(
      of: program.joined(separator: "\n") + "\n", asLibrary: false)
    #expect(count == 4 && refusal.isEmpty, "\(refusal)")
  }
}
