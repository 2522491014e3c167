// swift-tools-version: 6.3
import PackageDescription

// A package of its own, because all of it is built for the fuzzer. Like Tools/bench it compiles the rooms
// through the link `Rooms`. Tools/fuzz/run builds and runs it.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: imports, path: "Rooms/\(name)", swiftSettings: strict)
}

func fuzzer(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name, dependencies: ["ByteCoding", "DiskAccess", "FuzzSupport", "Journaling"] + imports,
    swiftSettings: strict)
}

let package = Package(
  name: "fuzz",
  targets: [
    .systemLibrary(name: "CLZ4", path: "Rooms/CLZ4", pkgConfig: "liblz4"),
    .systemLibrary(name: "CXXHash", path: "Rooms/CXXHash", pkgConfig: "libxxhash"),
    .systemLibrary(name: "CLinux", path: "Rooms/CLinux"),
    .target(name: "CThreadLocal", path: "Rooms/CThreadLocal"),
    room("ByteCoding"),
    room("ObjectModel"),
    room("DiskAccess", imports: ["CLinux"]),
    room("DiskSimulation", imports: ["DiskAccess"]),
    room("PropertyListCoding", imports: ["ByteCoding", "ObjectModel"]),
    room("EventCoding", imports: ["ByteCoding", "ObjectModel"]),
    room("Journaling", imports: ["ByteCoding", "CLZ4", "CXXHash", "DiskAccess"]),
    room("EventFold", imports: ["ObjectModel"]),
    room("ObjectQuery", imports: ["ObjectModel"]),
    room(
      "ObjectStore",
      imports: [
        "ByteCoding", "ObjectModel", "DiskAccess", "PropertyListCoding", "EventCoding",
        "EventFold", "ObjectQuery", "Journaling",
      ]),
    room(
      "ManagedObjects",
      imports: [
        "CThreadLocal", "ObjectModel", "EventCoding", "EventFold", "ObjectQuery", "ObjectStore",
      ]),
    room(
      "ObjectPatching",
      imports: ["ObjectModel", "EventFold", "ObjectQuery", "ObjectStore", "ManagedObjects"]),
    .target(
      name: "FuzzSupport",
      dependencies: [
        "ByteCoding", "DiskAccess", "EventCoding", "EventFold", "Journaling", "ObjectModel",
        "ObjectStore", "PropertyListCoding",
      ],
      swiftSettings: strict),
    fuzzer("FuzzFrames"),
    fuzzer("FuzzPieces"),
    fuzzer("FuzzManifest"),
    fuzzer("FuzzOpening", imports: ["DiskSimulation"]),
    fuzzer("FuzzHistory", imports: ["DiskSimulation", "ObjectModel", "ObjectStore"]),
    fuzzer("FuzzEdits"),
    fuzzer("FuzzPropertyList", imports: ["ObjectModel", "PropertyListCoding"]),
    fuzzer("FuzzEvents", imports: ["EventCoding", "ObjectModel"]),
    fuzzer("FuzzRun", imports: ["ObjectModel", "ObjectStore"]),
    fuzzer(
      "FuzzIndexRun",
      imports: [
        "DiskSimulation", "ObjectModel", "ObjectQuery", "ObjectStore", "PropertyListCoding",
      ]),
    fuzzer("FuzzCheckpoint", imports: ["ObjectStore"]),
    fuzzer("FuzzQuery", imports: ["ObjectQuery"]),
    fuzzer(
      "FuzzPatch",
      imports: [
        "DiskSimulation", "ManagedObjects", "ObjectModel", "ObjectPatching", "ObjectStore",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
