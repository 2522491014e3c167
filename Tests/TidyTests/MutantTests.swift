import Foundation
import Testing

/// The lists of mutants fit the sources they change.
struct MutantTests {
  private struct Mutant {
    let name: String
    let file: String
    let old: String
    let new: String
  }

  private func mutants(_ list: String) throws -> [Mutant] {
    let text = try String(
      contentsOf: Repository.this.root.appending(path: "Tools/mutants/\(list).txt"), encoding: .utf8
    )
    return try text.components(separatedBy: "\n@ ").dropFirst().map { block in
      let head = block.components(separatedBy: "\n<\n")
      let names = head[0].components(separatedBy: "\n")
      let sides = try #require(head.last).components(separatedBy: "\n=\n")
      let new = try #require(sides.last).components(separatedBy: "\n>")
      return Mutant(name: names[0], file: names[1], old: sides[0] + "\n", new: new[0])
    }
  }

  @Test(arguments: ["protocol", "store"])
  func `every mutant changes lines that stand in their file once`(list: String) throws {
    let mutants = try mutants(list)
    #expect(mutants.count >= 30)
    #expect(Set(mutants.map(\.name)).count == mutants.count)
    for mutant in mutants {
      let source = try String(
        contentsOf: Repository.this.root.appending(path: mutant.file), encoding: .utf8)
      let count = source.components(separatedBy: mutant.old).count - 1
      #expect(count == 1, "“\(mutant.name)” finds its lines \(count) times in \(mutant.file)")
      #expect(mutant.new + "\n" != mutant.old, "“\(mutant.name)” changes nothing")
    }
  }

  @Test(arguments: ["protocol", "store"])
  func `no room that mutants are tried in imports what is left out meanwhile`(list: String) throws {
    let text = try #require(try Repository.this.text("Tools/mutants/\(list).txt"))
    let manifest = Manifest(try #require(try Repository.this.text("Package.swift")))
    func names(_ mark: String) -> [String] {
      text.split(separator: "\n").filter { $0.hasPrefix(mark) }
        .flatMap { $0.dropFirst(mark.count).split(separator: " ").map(String.init) }
    }
    let absent = Set(names("- "))
    var needed = Set(names("% ").map { String($0.prefix { $0 != "." }) })
    #expect(!needed.isEmpty)
    var count = 0
    while count < needed.count {
      count = needed.count
      for target in manifest.targets where needed.contains(target.name) {
        needed.formUnion(target.imports.subtracting(absent))
      }
    }
    for room in manifest.targets
    where needed.contains(room.name) && room.folder.hasPrefix("Sources/") {
      #expect(room.imports.isDisjoint(with: absent), "\(room.name)")
    }
  }
}
