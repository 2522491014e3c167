// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that what it measures against burdens nobody who uses the library. It measures
// the rooms themselves, and so compiles them as its own, since their interfaces are for their package
// alone: through the link `Rooms`, which Tools/bench/run makes.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: imports, path: "Rooms/\(name)", swiftSettings: strict)
}

let package = Package(
  name: "bench",
  targets: [
    .systemLibrary(name: "CLZ4", path: "Rooms/CLZ4", pkgConfig: "liblz4"),
    .systemLibrary(name: "CXXHash", path: "Rooms/CXXHash", pkgConfig: "libxxhash"),
    .systemLibrary(name: "CLinux", path: "Rooms/CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb"),
    .systemLibrary(name: "CRocksDB", pkgConfig: "rocksdb"),
    .target(name: "CSyncCount"),
    .target(name: "CThreadLocal", path: "Rooms/CThreadLocal"),
    room("ByteCoding"),
    room("ObjectModel"),
    room("DiskAccess", imports: ["CLinux"]),
    room("PropertyListCoding", imports: ["ByteCoding", "ObjectModel"]),
    room("EventCoding", imports: ["ByteCoding", "ObjectModel"]),
    room("EventFold", imports: ["ObjectModel"]),
    room("ObjectQuery", imports: ["ObjectModel"]),
    room("Journaling", imports: ["ByteCoding", "CLZ4", "CXXHash", "DiskAccess"]),
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
    .executableTarget(
      name: "Bench",
      dependencies: [
        "ByteCoding", "CLZ4", "CXXHash", "CSQLite", "CLMDB", "CRocksDB", "CSyncCount",
        "ObjectModel", "DiskAccess", "EventFold", "Journaling", "ManagedObjects",
        "ObjectPatching", "ObjectQuery", "ObjectStore",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
