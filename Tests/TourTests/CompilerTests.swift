import Foundation
import Testing

/// What the compiler refuses, so that nobody has to find it out at run time.
@Suite struct CompilerTests {
  /// What the compiler says of a program that uses the library; empty where it takes it.
  private func refusal(_ program: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "compiler-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "program.swift")
    try "import XJournal\n\(program)\n".write(to: source, atomically: true, encoding: .utf8)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    var arguments = [
      "swiftc", "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", "6", "-I",
      products.appending(path: "Modules").path,
    ]
    for name in ["CLZ4", "CXXHash", "CLinux"] {
      let map = root.appending(path: "Sources/\(name)/module.modulemap").path
      arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
    }
    let threads = products.appending(path: "CThreadLocal.build/module.modulemap").path
    arguments += ["-Xcc", "-fmodule-map-file=\(threads)", source.path]
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? "" : String(decoding: said, as: UTF8.self)
  }

  @Test func `a context and its objects do not cross threads, a store and IDs do`() throws {
    let fine = try refusal(
      """
      func work(_ store: JournaledStore, _ id: ObjectID) {
        Task.detached {
          let context = ManagedObjectContext(store)
          _ = try context.existingObject(with: id)
        }
      }
      """)
    #expect(fine.isEmpty, "\(fine)")
    let context = try refusal(
      """
      func work(_ context: ManagedObjectContext) {
        Task.detached { try context.save() }
      }
      """)
    #expect(context.contains("data race"), "\(context)")
    let object = try refusal(
      """
      func work(_ object: ManagedObject) {
        Task.detached { object["key"] = 1 }
      }
      """)
    #expect(object.contains("data race"), "\(object)")
  }
}
