import Foundation
import Testing

/// A program that others have written, which reads what the tool has written.
enum ForeignProgram {
  /// Runs it.
  ///
  /// - Returns: what it says, and the status that it ends with.
  static func run(_ words: [String]) throws -> (said: String, status: Int32) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = BuiltTool.environment
    process.standardOutput = pipe
    try process.run()
    let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: said, as: UTF8.self), process.terminationStatus)
  }

  /// Has Python make something of a text.
  static func python(_ script: String, of text: String, in folder: String) throws -> String {
    let path = "\(folder)/text"
    try Data(text.utf8).write(to: URL(filePath: path))
    let answer = try run(["python3", "-c", script, path])
    try #require(answer.status == 0, "\(answer.said)")
    return answer.said
  }
}
