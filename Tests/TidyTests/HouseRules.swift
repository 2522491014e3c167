/// A module that may be imported, with what it may import itself.
struct Room: Sendable {
  let name: String
  let rank: Int
  let imports: Set<String>

  init(_ rank: Int, _ name: String, imports: Set<String> = []) {
    self.name = name
    self.rank = rank
    self.imports = imports
  }
}

/// The house: who stands where and who may import whom.
struct House: Sendable {
  /// Modules of the system's libraries, and of C: rank 0, and they import nothing of ours.
  var libraries: Set<String>
  var rooms: [Room]
  /// What the toolchain brings, and the rooms that may import it.
  var toolchain: [String: Set<String>]
  /// Imports that no edit of the table may allow.
  var never: [String: Set<String>]

  private static let above: Set<String> = [
    "ObjectModel", "PropertyListCoding", "EventCoding", "EventFold", "ObjectQuery", "ObjectStore",
    "ManagedObjects", "JournalInspection", "ObjectPatching", "JournalUpkeep", "XJournal",
  ]

  /// The table of docs/decisions/0001-the-house-and-its-ranks.md.
  static let this = House(
    libraries: ["CLZ4", "CXXHash", "CLinux", "CThreadLocal"],
    rooms: [
      Room(0, "ByteCoding"),
      Room(0, "ObjectModel"),
      Room(0, "DiskAccess", imports: ["CLinux"]),
      Room(1, "DiskSimulation", imports: ["DiskAccess"]),
      Room(1, "PropertyListCoding", imports: ["ByteCoding", "ObjectModel"]),
      Room(1, "EventCoding", imports: ["ByteCoding", "ObjectModel"]),
      Room(1, "EventFold", imports: ["ObjectModel"]),
      Room(1, "ObjectQuery", imports: ["ObjectModel"]),
      Room(1, "Journaling", imports: ["ByteCoding", "CLZ4", "CXXHash", "DiskAccess"]),
      Room(
        2, "ObjectStore",
        imports: [
          "ByteCoding", "ObjectModel", "DiskAccess", "PropertyListCoding", "EventCoding",
          "EventFold", "ObjectQuery", "Journaling",
        ]),
      Room(
        3, "ManagedObjects",
        imports: [
          "CThreadLocal", "ObjectModel", "EventCoding", "EventFold", "ObjectQuery", "ObjectStore",
        ]),
      Room(
        4, "ObjectPatching",
        imports: ["ObjectModel", "EventFold", "ObjectQuery", "ObjectStore", "ManagedObjects"]),
      Room(
        5, "JournalInspection",
        imports: [
          "ByteCoding", "ObjectModel", "DiskAccess", "PropertyListCoding", "EventCoding",
          "EventFold", "ObjectQuery", "Journaling", "ObjectStore", "ObjectPatching",
        ]),
      Room(
        5, "XJournal",
        imports: ["ManagedObjects", "ObjectPatching", "ObjectModel", "ObjectQuery", "ObjectStore"]),
      Room(
        6, "JournalUpkeep",
        imports: [
          "ByteCoding", "ObjectModel", "DiskAccess", "Journaling", "ObjectQuery", "ObjectStore",
          "ManagedObjects", "ObjectPatching", "JournalInspection",
        ]),
    ],
    toolchain: [
      "Glibc": ["DiskAccess"],
      "Foundation": ["XJournal"],
      "FoundationEssentials": above,
      "Observation": ["ManagedObjects", "XJournal"],
      "Synchronization": above.union(["ByteCoding", "DiskAccess", "DiskSimulation", "Journaling"]),
    ],
    never: [
      "ManagedObjects": ["DiskAccess", "Journaling", "DiskSimulation"],
      "ObjectPatching": ["DiskAccess", "Journaling"],
      "XJournal": ["DiskAccess", "Journaling", "DiskSimulation"],
    ])

  func room(_ name: String) -> Room? { rooms.first { $0.name == name } }

  /// What is wrong with the table itself.
  func contradictions() -> [String] {
    var findings: [String] = []
    for room in rooms {
      for name in room.imports.sorted() where !libraries.contains(name) {
        guard let imported = self.room(name) else {
          findings.append("\(room.name) may import \(name), which is no room")
          continue
        }
        if imported.rank >= room.rank {
          findings.append(
            "\(room.name) (rank \(room.rank)) may not import \(name) (rank \(imported.rank))")
        }
      }
      for name in room.imports.intersection(never[room.name, default: []]).sorted() {
        findings.append("\(room.name) may never import \(name)")
      }
    }
    for library in libraries.sorted() {
      let importers = rooms.filter { $0.imports.contains(library) }.map(\.name)
      if importers.count != 1 {
        findings.append("\(library) must have one importer, not \(importers)")
      }
    }
    return findings
  }

  /// What is wrong with the imports of a source of a room.
  func findings(inSource text: String, of roomName: String, path: String) -> [String] {
    guard let room = room(roomName) else { return ["\(path): \(roomName) is no room"] }
    return ImportStatement.all(in: SourceText(text)).compactMap { statement in
      let place = "\(path):\(statement.line): \(roomName)"
      let name = statement.module
      if room.imports.contains(name) { return nil }
      if let imported = self.room(name) {
        return imported.rank >= room.rank
          ? "\(place) (rank \(room.rank)) imports \(name) (rank \(imported.rank)), which is not below"
          : "\(place) imports \(name), which is not among what it may import"
      }
      if let importers = toolchain[name] {
        return importers.contains(roomName) ? nil : "\(place) may not import \(name)"
      }
      return "\(place) may not import \(name)"
    }
  }
}

/// One import of a source.
struct ImportStatement: Hashable {
  let module: String
  let line: Int

  static func all(in source: SourceText) -> [ImportStatement] {
    // To look for the word first costs a hundredth of matching each line.
    source.codeLines.enumerated().filter { $0.element.contains("import") }.flatMap { index, line in
      line.matches(
        of:
          /(?:^|;)\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?(\w+)/
      ).map { ImportStatement(module: String($0.1), line: index + 1) }
    }
  }
}

/// What Package.swift says of its targets.
struct Manifest {
  struct Target: Hashable {
    let name: String
    let folder: String
    let imports: Set<String>
    let isLibrary: Bool
  }

  var targets: [Target] = []

  init(_ text: String) {
    let names = { (list: Substring?) in
      Set((list ?? "").matches(of: /"(\w+)"/).map { String($0.1) })
    }
    for match in text.matches(of: /room\(\s*"(\w+)"(?:,\s*imports:\s*\[([^\]]*)\])?\s*\)/) {
      let name = String(match.1)
      targets.append(
        Target(name: name, folder: "Sources/\(name)", imports: names(match.2), isLibrary: false))
    }
    for match in text.matches(of: /tests\(\s*of:\s*"(\w+)",\s*imports:\s*\[([^\]]*)\]\s*\)/) {
      let name = String(match.1)
      targets.append(
        Target(name: name, folder: "Tests/\(name)", imports: names(match.2), isLibrary: false))
    }
    for match in text.matches(
      of: /name:\s*"(\w+)",\s*dependencies:\s*\[([^\]]*)\],\s*path:\s*"([\w\/]+)"/)
    {
      targets.append(
        Target(
          name: String(match.1), folder: String(match.3), imports: names(match.2), isLibrary: false)
      )
    }
    for match in text.matches(
      of: /(?:systemLibrary|\.target)\(\s*name:\s*"(\w+)",\s*path:\s*"([\w\/]+)"/)
    {
      targets.append(
        Target(name: String(match.1), folder: String(match.2), imports: [], isLibrary: true))
    }
  }

  /// The target that a file belongs to.
  func target(of path: String) -> Target? {
    targets.first { path.hasPrefix($0.folder + "/") }
  }

  /// Where the manifest and the table of the house differ.
  func differences(from house: House) -> [String] {
    let rooms = targets.filter { $0.folder.hasPrefix("Sources/") && !$0.isLibrary }
    var findings: [String] = []
    for target in rooms {
      guard let room = house.room(target.name) else {
        findings.append("Package.swift: \(target.name) is not in the table of the house")
        continue
      }
      if target.imports != room.imports {
        let difference = target.imports.symmetricDifference(room.imports).sorted()
        findings.append("Package.swift and the table differ about \(target.name): \(difference)")
      }
    }
    for room in house.rooms where !rooms.contains(where: { $0.name == room.name }) {
      findings.append("Package.swift lacks \(room.name)")
    }
    if Set(targets.filter(\.isLibrary).map(\.name)) != house.libraries {
      findings.append("Package.swift and the table differ about the system's libraries")
    }
    return findings
  }

  /// The rooms that a source of a target imports and the target does not declare.
  func undeclaredImports(inSource text: String, path: String, house: House) -> [String] {
    guard let target = target(of: path) else { return [] }
    let ours = Set(targets.map(\.name))
    return ImportStatement.all(in: SourceText(text)).compactMap { statement in
      let name = statement.module
      guard ours.contains(name), name != target.name, !target.imports.contains(name) else {
        return nil
      }
      return "\(path):\(statement.line): \(target.name) imports \(name), which it does not declare"
    }
  }
}
