import Foundation

/// The files of this repository, as they lie on the disk.
struct Repository {
  let root: URL

  /// The repository that this file belongs to.
  static let this = Repository(
    root: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().standardizedFileURL)

  /// The paths of all files that are tracked, or would be if everything were added, sorted.
  ///
  /// Where git is not to be had, all files but those that git would ignore by their folders.
  func paths() throws -> [String] {
    let listed = try output(of: "git", "ls-files", "-z", "-co", "--exclude-standard")
    let paths = listed.map { $0.split(separator: "\0").map(String.init) } ?? walk()
    return Set(paths).filter { isFile($0) }.sorted()
  }

  /// The paths below a folder that end as asked.
  func paths(in folder: String, endingWith ending: String = "") throws -> [String] {
    try paths().filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(ending) }
  }

  func data(_ path: String) throws -> Data {
    try Data(contentsOf: root.appending(path: path))
  }

  /// The text of a file; nil where it is no text.
  func text(_ path: String) throws -> String? {
    let data = try data(path)
    return data.contains(0) ? nil : String(data: data, encoding: .utf8)
  }

  /// The texts of some files by their paths.
  func texts(_ paths: [String]) throws -> [(path: String, text: String)] {
    try paths.compactMap { path in try text(path).map { (path, $0) } }
  }

  func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: root.appending(path: path).path)
  }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  private func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let found = FileManager.default.fileExists(
      atPath: root.appending(path: path).path, isDirectory: &isFolder)
    return found && !isFolder.boolValue
  }

  private func isLink(_ path: String) -> Bool {
    let place = root.appending(path: path).path
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: place)) != nil
  }

  private func walk() -> [String] {
    let ignored: Set<String> = [".build", ".git"]
    var found: [String] = []
    func visit(_ folder: String) {
      let place = root.appending(path: folder).path
      for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
      where !ignored.contains(name) {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        // The scripts' own links, made when something is built.
        if isLink(path) { continue }
        if isFile(path) { found.append(path) } else { visit(path) }
      }
    }
    visit("")
    return found
  }

  /// What a command prints in the root; nil where it is not there or fails.
  func output(of command: String...) throws -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = root
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }
}
