import Foundation
import Testing

/// What Tools/demo runs, and what README.md shows of it.
@Suite struct DemoTests {
  private static let demo = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "StoreDemo")

  private static func run(_ words: [String]) throws -> (said: String, status: Int32) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = demo
    process.arguments = words
    // Where coverage is measured, what is killed would leave half a profile.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: said, as: UTF8.self), process.terminationStatus)
  }

  @Test func `the demo says what README.md shows of it, and leaves a store to go on with`() throws {
    let readme = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../README.md")
    let blocks = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "```")
    let shown = try #require(blocks.first { $0.hasPrefix("text\n") }).dropFirst("text\n".count)
    #expect(shown.split(separator: "\n").count > 10)
    try Toolchain.withFolder { folder in
      let run = try Self.run([folder.path])
      #expect(run.status == 0, "\(run.said)")
      #expect(run.said.contains(shown), "\(run.said)")
      #expect(!run.said.contains("\u{1B}"))
      let last = try #require(run.said.components(separatedBy: "\n\n").suffix(2).first)
      #expect(last.contains("What was never saved") && last.contains("Call me Ishmael"), "\(last)")
      for name in ["Library.xjournal", "Compacted.xjournal", "report.html"] {
        #expect(
          FileManager.default.fileExists(atPath: folder.appending(path: name).path), "\(name)")
      }
      let again = try Self.run([folder.path])
      #expect(again.status == 1 && again.said.contains("name another folder"), "\(again.said)")
    }
  }
}
