import Foundation

/// The tools of the Swift that the tests were built with, and what they need to know of the library.
enum Toolchain {
  /// The repository's folder.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// What a tool has said, and how it ended.
  struct Outcome {
    let said: String
    let status: Int32
  }

  /// What the compiler tells of itself.
  private struct Target: Decodable {
    struct Triple: Decodable {
      let unversionedTriple: String
    }

    struct Paths: Decodable {
      let runtimeResourcePath: String
    }

    let target: Triple
    let paths: Paths
  }

  /// Runs a tool that lies beside the compiler, which may be found by a link.
  static func run(_ name: String, _ arguments: [String]) throws -> Outcome {
    let resources = URL(filePath: try target().paths.runtimeResourcePath)
    let tools = resources.deletingLastPathComponent().deletingLastPathComponent()
    return try run([tools.appending(path: "bin/\(name)").path] + arguments)
  }

  /// The arguments by which a tool finds the library's modules.
  static func moduleArguments() throws -> [String] {
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    var arguments = [
      "-target", try target().target.unversionedTriple, "-I",
      products.appending(path: "Modules").path,
    ]
    for name in ["CLZ4", "CXXHash", "CLinux"] {
      let map = root.appending(path: "Sources/\(name)/module.modulemap").path
      arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
    }
    let threads = products.appending(path: "CThreadLocal.build/module.modulemap").path
    return arguments + ["-Xcc", "-fmodule-map-file=\(threads)"]
  }

  /// What the compiler says of a program that uses the library; empty where it takes it.
  static func refusal(of program: String, asLibrary isLibrary: Bool = true) throws -> String {
    try withFolder { folder in
      let source = folder.appending(path: "main.swift")
      try program.write(to: source, atomically: true, encoding: .utf8)
      let outcome = try run(
        "swiftc",
        ["-emit-sil", "-o", "/dev/null", "-swift-version", "6"]
          + (isLibrary ? ["-parse-as-library"] : []) + moduleArguments() + [source.path])
      return outcome.status == 0 ? "" : outcome.said
    }
  }

  /// A folder that is removed in the end.
  static func withFolder<Answer>(_ body: (URL) throws -> Answer) throws -> Answer {
    let folder = FileManager.default.temporaryDirectory.appending(path: "toolchain-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  private static func target() throws -> Target {
    let outcome = try run(["swiftc", "-print-target-info"])
    return try JSONDecoder().decode(Target.self, from: Data(outcome.said.utf8))
  }

  /// Runs a command. Some tools are one program, which goes by the name it is called by.
  private static func run(_ command: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(said: String(decoding: said, as: UTF8.self), status: process.terminationStatus)
  }
}
