import Foundation

/// The tool that is built with the tests.
enum BuiltTool {
  static let path =
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "xjournal")
    .path

  /// What whatever may run the tool is run with. Where coverage is measured the tool was built for that too, and
  /// would add megabytes to what is measured with each run, cut off where the length of files has a limit.
  static let environment = ProcessInfo.processInfo.environment
    .merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
}
