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
    room("ByteCoding"),
    room("DiskAccess", imports: ["CLinux"]),
    room("Journaling", imports: ["ByteCoding", "CLZ4", "CXXHash", "DiskAccess"]),
    .executableTarget(
      name: "Bench", dependencies: ["ByteCoding", "CLZ4", "CXXHash", "DiskAccess", "Journaling"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
