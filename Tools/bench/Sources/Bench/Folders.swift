import DiskAccess
import Glibc

/// A folder of the benchmark's own, in which every store has its place.
struct Workplace {
  let disk = PosixDisk()
  let path: String

  /// A path in it.
  func place(_ name: String) -> String { path + "/" + name }

  /// A new folder in it, in the place of what was there.
  func emptyFolder(_ name: String) throws -> String {
    try remove(name)
    try disk.folder(at: path).makeFolder(name)
    return place(name)
  }

  /// Removes a file, or a folder with all that is in it.
  func remove(_ name: String) throws {
    guard try disk.folder(at: path).information(of: name) != nil else { return }
    try command(["rm", "-r", place(name)])
  }

  /// A file full of zeros that are on the disk already.
  func preallocatedFile(_ name: String, _ byteCount: Int) throws -> any DiskFile {
    let file = try disk.folder(at: path).file(name, .emptied)
    let zeros = [UInt8](repeating: 0, count: byteCount)
    try zeros.withUnsafeBytes { try file.write($0, at: 0) }
    try file.sync()
    return file
  }

  /// Copies a folder, as it is now, to a new one.
  func copy(_ name: String, to copy: String) throws {
    try remove(copy)
    try command(["cp", "-r", place(name), place(copy)])
  }

  /// How many bytes the files of a folder have, and of the folders in it.
  ///
  /// - Parameter ending: counts only the files whose names end like this.
  func byteCount(of name: String, ending: String = "") throws -> UInt64 {
    var sum: UInt64 = 0
    try forEachFile(in: place(name)) { folder, name in
      guard name.hasSuffix(ending) else { return }
      sum += try folder.information(of: name)?.byteCount ?? 0
    }
    return sum
  }

  /// Has the system forget what it holds of a folder's files, so that reading them asks the disk.
  func forgetPages(of name: String) throws {
    try forEachFile(in: place(name)) { folder, name in
      let file = try folder.file(name, .existing)
      try file.sync()
      try file.advise(.forget)
      try file.close()
    }
  }

  private func forEachFile(
    in path: String, _ body: (any DiskFolder, String) throws -> Void
  ) throws {
    let folder = try disk.folder(at: path)
    for name in try folder.names() {
      if try folder.information(of: name)?.kind == .folder {
        try forEachFile(in: path + "/" + name, body)
      } else {
        try body(folder, name)
      }
    }
  }

  private func command(_ words: [String]) throws {
    guard try output(of: quoted(words) + " && echo done") == "done" else {
      throw BenchError.wrongResult(words.joined(separator: " "))
    }
  }

  /// What a process of this program takes that does nothing but open something.
  func opening(_ what: String, _ name: String) throws -> Opening {
    let answer = try output(of: quoted([program, place(name), "--opening", what]))
    guard let opening = Opening(line: answer) else {
      throw BenchError.wrongResult("opening \(what): \(answer)")
    }
    return opening
  }

  private var program: String { CommandLine.arguments[0] }

  private func quoted(_ words: [String]) -> String {
    words.map { "'" + $0 + "'" }.joined(separator: " ")
  }

  private func output(of line: String) throws -> String {
    guard let pipe = popen(line, "r") else { throw BenchError.wrongResult(line) }
    defer { pclose(pipe) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, pipe)
    return String(String(decoding: bytes[..<count], as: UTF8.self).filter { $0 != "\n" })
  }
}
