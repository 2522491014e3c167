// swift-tools-version: 6.3
import Foundation
import PackageDescription

// Every target is a room of the house (docs/map.md). A room may import rooms of a lower rank only;
// `Tests/TidyTests` checks the imports, because the package manager does not.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// With XJ_COVERED, what the tests run of the rooms is counted. Not of the tests: nobody asks what was run of them, and
// counting takes its time. The counters are atomic: of code that many threads run, a count is the difference of others
// that must be exact.
let isCovered = Context.environment["XJ_COVERED"] != nil
let covered: [SwiftSetting] = [
  .unsafeFlags([
    "-profile-generate", "-profile-coverage-mapping",
    "-Xllvm", "-instrprof-atomic-counter-update-all",
  ])
]

func room(_ name: String, imports: [String] = []) -> Target {
  .target(
    name: name, dependencies: imports.map { .target(name: $0) }, path: "Sources/\(name)",
    swiftSettings: isCovered ? strict + covered : strict,
    linkerSettings: isCovered ? [.unsafeFlags(["-profile-generate"])] : [])
}

// The tests that are built: all, or what XJ_TESTS names, targets or folders in them (`A B/Laws B/Support`), so that
// campaigns need not build all tests in release.
let wantedTests = Context.environment["XJ_TESTS"].map { names in
  let paths = names.split(whereSeparator: \.isWhitespace).map { $0.split(separator: "/") }
  return Dictionary(grouping: paths) { $0[0] }.mapValues { $0.flatMap { $0.dropFirst() } }
}

func tests(of name: String, imports: [String]) -> Target {
  let folder = "Tests/\(name)"
  let wanted = (wantedTests?[name[...]] ?? []).map(String.init)
  let unwanted = wanted.isEmpty ? [] : files(in: folder).filter { !wanted.contains($0) }
  return .testTarget(
    name: name, dependencies: imports.map { .target(name: $0) }, path: folder, exclude: unwanted,
    swiftSettings: strict)
}

func files(in folder: String) -> [String] {
  // Where it cannot be read, the build says so.
  (try? FileManager.default.contentsOfDirectory(atPath: Context.packageDirectory + "/" + folder))
    ?? []
}

let package = Package(
  name: "XJournal",
  products: [
    .library(name: "XJournal", targets: ["XJournal"]),
    .library(name: "DiskSimulation", targets: ["DiskSimulation", "DiskAccess"]),
    .executable(name: "xjournal", targets: ["JournalTool"]),
  ],
  targets: [
    // Rank 0
    .systemLibrary(
      name: "CLZ4", path: "Sources/CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
    .systemLibrary(
      name: "CXXHash", path: "Sources/CXXHash", pkgConfig: "libxxhash",
      providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
    .target(name: "CThreadLocal", path: "Sources/CThreadLocal"),
    room("ByteCoding"),
    room("ObjectModel"),
    room("DiskAccess", imports: ["CLinux"]),
    // Rank 1
    room("DiskSimulation", imports: ["DiskAccess"]),
    room("PropertyListCoding", imports: ["ByteCoding", "ObjectModel"]),
    room("EventCoding", imports: ["ByteCoding", "ObjectModel"]),
    room("EventFold", imports: ["ObjectModel"]),
    room("ObjectQuery", imports: ["ObjectModel"]),
    room("Journaling", imports: ["ByteCoding", "CLZ4", "CXXHash", "DiskAccess"]),
    // Rank 2
    room(
      "ObjectStore",
      imports: [
        "ByteCoding", "ObjectModel", "DiskAccess", "PropertyListCoding", "EventCoding",
        "EventFold", "ObjectQuery", "Journaling",
      ]),
    // Rank 3
    room(
      "ManagedObjects",
      imports: [
        "CThreadLocal", "ObjectModel", "EventCoding", "EventFold", "ObjectQuery", "ObjectStore",
      ]),
    // Rank 4
    room(
      "ObjectPatching",
      imports: ["ObjectModel", "EventFold", "ObjectQuery", "ObjectStore", "ManagedObjects"]),
    // Rank 5
    room(
      "JournalInspection",
      imports: [
        "ByteCoding", "ObjectModel", "DiskAccess", "PropertyListCoding", "EventCoding",
        "EventFold", "ObjectQuery", "Journaling", "ObjectStore", "ObjectPatching",
      ]),
    room(
      "XJournal",
      imports: ["ManagedObjects", "ObjectPatching", "ObjectModel", "ObjectQuery", "ObjectStore"]),
    // Rank 6
    room(
      "JournalUpkeep",
      imports: [
        "ByteCoding", "ObjectModel", "DiskAccess", "Journaling", "ObjectQuery", "ObjectStore",
        "ManagedObjects", "ObjectPatching", "JournalInspection",
      ]),

    // The processes that tests, campaigns and measurements have write, and kill.
    .executableTarget(
      name: "JournalWriter",
      dependencies: ["DiskAccess", "EventFold", "Journaling", "ObjectModel", "ObjectStore"],
      path: "Tools/JournalWriter", swiftSettings: strict),

    // What Tools/demo runs.
    .executableTarget(
      name: "StoreDemo", dependencies: ["XJournal"], path: "Tools/StoreDemo", swiftSettings: strict),

    // The tool, under another name than the library's, as some file systems do not tell capitals apart.
    .executableTarget(
      name: "JournalTool",
      dependencies: ["DiskAccess", "JournalInspection", "JournalUpkeep"],
      path: "Tools/xjournal", swiftSettings: strict),

    .target(name: "CTrapProfile", dependencies: [], path: "Tests/CTrapProfile"),
    .target(
      name: "TestSupport",
      dependencies: [
        "CTrapProfile", "ByteCoding", "DiskAccess", "DiskSimulation", "EventCoding", "EventFold",
        "Journaling",
        "ObjectModel", "ObjectStore", "PropertyListCoding",
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "ToolSupport",
      dependencies: [
        "ByteCoding", "DiskAccess", "DiskSimulation", "JournalInspection", "Journaling",
        "ManagedObjects", "ObjectModel", "ObjectStore", "TestSupport",
      ],
      path: "Tests/ToolSupport", swiftSettings: strict),
    tests(of: "ByteCodingTests", imports: ["ByteCoding", "TestSupport"]),
    tests(of: "ObjectModelTests", imports: ["ObjectModel", "TestSupport"]),
    tests(of: "DiskAccessTests", imports: ["DiskAccess", "DiskSimulation", "TestSupport"]),
    tests(of: "DiskSimulationTests", imports: ["DiskAccess", "DiskSimulation", "TestSupport"]),
    tests(
      of: "PropertyListCodingTests",
      imports: ["ByteCoding", "ObjectModel", "PropertyListCoding", "TestSupport"]),
    tests(
      of: "EventCodingTests", imports: ["ByteCoding", "EventCoding", "ObjectModel", "TestSupport"]),
    tests(of: "ObjectQueryTests", imports: ["ObjectModel", "ObjectQuery", "TestSupport"]),
    tests(of: "EventFoldTests", imports: ["EventFold", "ObjectModel", "TestSupport"]),
    tests(
      of: "JournalingTests",
      imports: ["ByteCoding", "DiskAccess", "DiskSimulation", "Journaling", "TestSupport"]),
    tests(
      of: "CrashTests",
      imports: [
        "JournalWriter", "ByteCoding", "DiskAccess", "DiskSimulation", "EventFold", "Journaling",
        "ObjectModel", "ObjectStore", "TestSupport",
      ]),
    tests(
      of: "ObjectStoreTests",
      imports: [
        "ByteCoding", "DiskAccess", "DiskSimulation", "EventCoding", "EventFold", "Journaling",
        "ObjectModel", "ObjectQuery", "ObjectStore", "PropertyListCoding", "TestSupport",
      ]),
    tests(
      of: "ManagedObjectsTests",
      imports: [
        "DiskAccess", "DiskSimulation", "EventFold", "ManagedObjects", "ObjectModel", "ObjectQuery",
        "ObjectStore", "TestSupport", "XJournal",
      ]),
    tests(
      of: "ObjectPatchingTests",
      imports: [
        "DiskSimulation", "ManagedObjects", "ObjectModel", "ObjectPatching", "ObjectStore",
        "TestSupport", "XJournal",
      ]),
    tests(
      of: "JournalInspectionTests",
      imports: [
        "ByteCoding", "DiskAccess", "DiskSimulation", "JournalInspection", "Journaling",
        "ManagedObjects", "ObjectModel", "ObjectPatching", "ObjectStore", "TestSupport",
        "ToolSupport",
      ]),
    tests(
      of: "JournalUpkeepTests",
      imports: [
        "ByteCoding", "DiskAccess", "DiskSimulation", "EventCoding", "JournalInspection",
        "Journaling", "JournalUpkeep", "ManagedObjects",
        "ObjectModel", "ObjectPatching", "ObjectStore", "TestSupport", "ToolSupport",
      ]),
    tests(of: "TourTests", imports: ["DiskSimulation", "StoreDemo", "XJournal"]),
    tests(of: "TidyTests", imports: ["TestSupport"]),
  ].filter { $0.type != .test || wantedTests?.keys.contains($0.name[...]) ?? true },
  swiftLanguageModes: [.v6]
)
