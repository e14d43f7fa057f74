// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

/// A library target: `Modules/Models` holds the target `StrandlineModels`.
func module(
  _ name: String, at path: String, _ dependencies: [Target.Dependency] = []
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// The folders of tests that are built: all of them, or those that `STRANDLINE_TESTS` lists, as in
/// `STRANDLINE_TESTS=Models,Storage swift build --build-tests`.
let chosenTests = Context.environment["STRANDLINE_TESTS"]?.split(separator: ",").map(String.init)

/// A test target: `Tests/Models` holds the target `StrandlineModelsTests`.
func tests(
  of name: String, at path: String, exclude: [String] = [], _ dependencies: [Target.Dependency]
) -> Target? {
  if let chosenTests, !chosenTests.contains(path) { return nil }
  return .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(path)", exclude: exclude,
    swiftSettings: strict)
}

let package = Package(
  name: "strandline",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11)],
  products: [
    .library(name: "Strandline", targets: ["Strandline"]),
    .library(name: "StrandlineMemoryTransport", targets: ["StrandlineMemoryTransport"]),
    .library(name: "StrandlineDirectoryTransport", targets: ["StrandlineDirectoryTransport"]),
    .library(name: "StrandlineHTTPTransport", targets: ["StrandlineHTTPTransport"]),
    .library(name: "StrandlineTesting", targets: ["StrandlineTesting"]),
    .library(name: "StrandlineREPL", targets: ["StrandlineREPL"]),
    .library(name: "StrandlineServer", targets: ["StrandlineServer"]),
    .executable(name: "strandline", targets: ["StrandlineCommand"]),
    .executable(name: "strandline-server", targets: ["StrandlineServerCommand"]),
    .executable(name: "strandline-bench", targets: ["StrandlineBenchCommand"]),
  ],
  targets: ([
    .systemLibrary(
      name: "CSQLite", path: "Modules/System/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CEdit", path: "Modules/System/CEdit", pkgConfig: "libedit",
      providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
    .systemLibrary(
      name: "CCBOR", path: "Modules/System/CCBOR", pkgConfig: "libcbor",
      providers: [.apt(["libcbor-dev"]), .brew(["libcbor"])]),
    .systemLibrary(
      name: "CSodium", path: "Modules/System/CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CMicroHTTPD", path: "Modules/System/CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CCurl", path: "Modules/System/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CArchive", path: "Modules/System/CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),

    .systemLibrary(name: "CFileFlags", path: "Modules/System/CFileFlags"),

    module("StrandlineModels", at: "Modules/Models"),
    module("StrandlineStorage", at: "Modules/Storage", ["StrandlineModels", "CSQLite"]),
    module("StrandlineHistory", at: "Modules/History", ["StrandlineModels", "StrandlineStorage"]),
    module("StrandlineTransport", at: "Modules/Transport", ["StrandlineModels"]),
    module("StrandlineWireFormat", at: "Modules/WireFormat", ["StrandlineModels", "CCBOR"]),
    module(
      "StrandlineAuthority", at: "Modules/Authority", ["StrandlineModels", "StrandlineTransport"]),
    module(
      "StrandlineHTTPProtocol", at: "Modules/HTTPProtocol",
      ["StrandlineModels", "StrandlineTransport", "StrandlineWireFormat"]),
    module(
      "StrandlineSettings", at: "Modules/Settings",
      ["StrandlineModels", "StrandlineStorage", "CFileFlags"]),
    module(
      "StrandlineSyncEngine", at: "Modules/SyncEngine",
      [
        "StrandlineModels", "StrandlineStorage", "StrandlineHistory", "StrandlineTransport",
        "StrandlineSettings",
      ]),
    module(
      "StrandlineStatus", at: "Modules/Status",
      ["StrandlineModels", "StrandlineStorage", "StrandlineHistory"]),
    module(
      "Strandline", at: "Modules/Strandline",
      [
        "StrandlineModels", "StrandlineStorage", "StrandlineHistory", "StrandlineTransport",
        "StrandlineWireFormat", "StrandlineAuthority", "StrandlineSettings",
        "StrandlineSyncEngine", "StrandlineStatus", "CArchive",
      ]),
    module(
      "StrandlineFaults", at: "Modules/StrandlineFaults",
      ["StrandlineModels", "StrandlineTransport"]),
    module(
      "StrandlineTesting", at: "Modules/StrandlineTesting",
      [
        "Strandline", "StrandlineModels", "StrandlineTransport", "StrandlineStorage",
        "StrandlineStatus", "StrandlineSyncEngine", "StrandlineFaults", "StrandlineAuthority",
        "StrandlineHistory", "StrandlineSettings", "StrandlineMemoryTransport", "CSQLite",
      ]),

    module(
      "StrandlineMemoryTransport", at: "Plugins/MemoryTransport",
      ["StrandlineModels", "StrandlineTransport", "StrandlineAuthority"]),
    module(
      "StrandlineDirectoryTransport", at: "Plugins/DirectoryTransport",
      ["StrandlineModels", "StrandlineTransport", "StrandlineWireFormat", "CSodium"]),
    module(
      "StrandlineHTTPTransport", at: "Plugins/HTTPTransport",
      ["StrandlineModels", "StrandlineTransport", "StrandlineHTTPProtocol", "CCurl"]),

    module(
      "StrandlineREPL", at: "Apps/strandline/REPL",
      [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineHistory",
        "StrandlineTransport", "StrandlineSettings", "StrandlineSyncEngine", "StrandlineStatus",
        "StrandlineFaults", "CEdit", "CSQLite", "CCBOR", "CArchive",
      ]),
    .executableTarget(
      name: "StrandlineCommand",
      dependencies: [
        "StrandlineREPL", "StrandlineTransport", "StrandlineMemoryTransport",
        "StrandlineDirectoryTransport", "StrandlineHTTPTransport",
      ],
      path: "Apps/strandline/Main", swiftSettings: strict),
    module(
      "StrandlineServer", at: "Apps/strandline-server/Server",
      [
        "StrandlineModels", "StrandlineTransport", "StrandlineAuthority", "StrandlineStorage",
        "StrandlineWireFormat", "StrandlineHTTPProtocol", "CMicroHTTPD", "CSodium", "CSQLite",
      ]),
    .executableTarget(
      name: "StrandlineServerCommand", dependencies: ["StrandlineServer"],
      path: "Apps/strandline-server/Main", swiftSettings: strict),
    module(
      "StrandlineBench", at: "Apps/strandline-bench/Bench",
      [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineHistory",
        "StrandlineTransport", "StrandlineSyncEngine", "StrandlineMemoryTransport",
        "StrandlineDirectoryTransport", "StrandlineHTTPTransport", "CSQLite", "CCurl",
      ]),
    .executableTarget(
      name: "StrandlineBenchCommand", dependencies: ["StrandlineBench"],
      path: "Apps/strandline-bench/Main", swiftSettings: strict),

    .target(
      name: "StrandlineTestSupport",
      dependencies: ["StrandlineModels"], path: "Tests/Support",
      exclude: ["EditorFixture", "PublisherFixture", "StepperFixture"], swiftSettings: strict),
    .executableTarget(
      name: "StarterApp",
      dependencies: ["Strandline", "StrandlineDirectoryTransport", "StrandlineHTTPTransport"],
      path: "Examples/StarterApp/Sources/StarterApp", swiftSettings: strict),
    tests(
      of: "StrandlineExamples", at: "Examples",
      [
        "StarterApp",
        "Strandline", "StrandlineModels", "StrandlineTransport", "StrandlineWireFormat",
        "StrandlineREPL", "StrandlineTesting", "StrandlineTestSupport",
        "StrandlineMemoryTransport", "StrandlineDirectoryTransport", "StrandlineHTTPTransport",
      ]),
    tests(of: "StrandlineModels", at: "Models", ["StrandlineModels"]),
    tests(
      of: "StrandlineApp", at: "App",
      [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineHistory",
        "StrandlineTransport", "StrandlineSettings", "StrandlineSyncEngine", "StrandlineStatus",
        "StrandlineFaults", "StrandlineMemoryTransport", "StrandlineREPL",
        "StrandlineTestSupport", "CSQLite",
      ]),
    tests(
      of: "StrandlineStorage", at: "Storage", exclude: ["Fixtures", "Writers/writers.md"],
      ["StrandlineModels", "StrandlineStorage", "StrandlineTestSupport", "CSQLite"]),
    .executableTarget(
      name: "EditorFixture", dependencies: ["StrandlineREPL"],
      path: "Tests/Support/EditorFixture", swiftSettings: strict),
    tests(
      of: "StrandlineREPL", at: "REPL",
      [
        "StrandlineREPL", "StrandlineModels", "StrandlineStatus", "StrandlineTransport",
        "StrandlineMemoryTransport", "StrandlineTestSupport", "StrandlineCommand",
        "EditorFixture",
      ]),
    tests(
      of: "StrandlineAuthority", at: "Authority",
      ["StrandlineAuthority", "StrandlineModels", "StrandlineTransport"]),
    tests(
      of: "StrandlineMemoryTransport", at: "MemoryTransport",
      ["StrandlineMemoryTransport", "StrandlineModels", "StrandlineTransport"]),
    tests(
      of: "StrandlineFaults", at: "Faults",
      [
        "StrandlineFaults", "StrandlineMemoryTransport", "StrandlineModels",
        "StrandlineTransport",
      ]),
    tests(
      of: "StrandlineContract", at: "Contract",
      [
        "StrandlineTesting", "StrandlineFaults", "StrandlineMemoryTransport",
        "StrandlineDirectoryTransport", "StrandlineModels", "StrandlineTransport",
        "StrandlineTestSupport",
      ]),
    tests(
      of: "StrandlineSyncEngine", at: "SyncEngine",
      [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineTransport",
        "StrandlineSettings", "StrandlineSyncEngine", "StrandlineStatus", "StrandlineHistory",
        "StrandlineFaults", "StrandlineMemoryTransport", "StrandlineDirectoryTransport",
        "StrandlineTestSupport",
      ]),
    tests(
      of: "StrandlineFolderRules", at: "FolderRules",
      [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineTransport",
        "StrandlineSyncEngine", "StrandlineStatus", "StrandlineDirectoryTransport",
        "StrandlineTestSupport",
      ]),
    tests(
      of: "StrandlinePeers", at: "Peers",
      [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineTransport",
        "StrandlineSyncEngine", "StrandlineStatus", "StrandlineHistory", "StrandlineFaults",
        "StrandlineMemoryTransport", "StrandlineDirectoryTransport", "StrandlineTesting",
        "StrandlineREPL", "StrandlineTestSupport",
      ]),
    tests(
      of: "StrandlineStatus", at: "Status",
      [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineHistory",
        "StrandlineTransport", "StrandlineSettings", "StrandlineSyncEngine", "StrandlineStatus",
        "StrandlineFaults", "StrandlineMemoryTransport", "StrandlineDirectoryTransport",
        "StrandlineTestSupport",
      ]),
    tests(
      of: "StrandlineHistory", at: "History",
      ["StrandlineModels", "StrandlineStorage", "StrandlineHistory", "StrandlineTestSupport"]),
    tests(
      of: "StrandlineSettings", at: "Settings",
      ["StrandlineModels", "StrandlineStorage", "StrandlineSettings", "StrandlineTestSupport"]),
    tests(
      of: "StrandlineWireFormat", at: "WireFormat",
      ["StrandlineModels", "StrandlineWireFormat", "StrandlineTestSupport"]),
    tests(
      of: "StrandlineDirectoryTransport", at: "DirectoryTransport",
      exclude: ["Failures/failures.md"],
      [
        "StrandlineModels", "StrandlineTransport", "StrandlineDirectoryTransport",
        "StrandlineTestSupport", "CSodium",
      ]),
    tests(
      of: "StrandlineHTTPProtocol", at: "HTTPProtocol",
      [
        "StrandlineModels", "StrandlineTransport", "StrandlineWireFormat",
        "StrandlineHTTPProtocol", "StrandlineTestSupport",
      ]),
    tests(
      of: "StrandlineHTTPTransport", at: "HTTPTransport",
      [
        "StrandlineModels", "StrandlineTransport", "StrandlineHTTPProtocol",
        "StrandlineHTTPTransport", "StrandlineTestSupport",
      ]),
    tests(
      of: "StrandlineServer", at: "Server", exclude: ["Load", "hostility.md"],
      [
        "Strandline", "StrandlineModels", "StrandlineTransport", "StrandlineAuthority",
        "StrandlineStorage", "StrandlineWireFormat", "StrandlineHTTPProtocol",
        "StrandlineHTTPTransport", "StrandlineServer", "StrandlineServerCommand",
        "StrandlineTesting", "StrandlineTestSupport", "CSQLite",
      ]),
    tests(
      of: "StrandlineSimulation", at: "Simulation",
      [
        "Strandline", "StrandlineTesting", "StrandlineModels", "StrandlineDirectoryTransport",
        "StrandlineTestSupport",
      ]),
    .executableTarget(
      name: "PublisherFixture",
      dependencies: [
        "Strandline", "StrandlineModels", "StrandlineTransport", "StrandlineDirectoryTransport",
        "StrandlineTestSupport",
      ],
      path: "Tests/Support/PublisherFixture", swiftSettings: strict),
    tests(
      of: "StrandlineFolder", at: "Folder",
      [
        "Strandline", "StrandlineModels", "StrandlineTransport", "StrandlineStorage",
        "StrandlineSyncEngine", "StrandlineStatus", "StrandlineWireFormat", "StrandlineTesting",
        "StrandlineDirectoryTransport", "StrandlineTestSupport", "StrandlineCommand",
        "PublisherFixture", "CSQLite",
      ]),
    .executableTarget(
      name: "StepperFixture",
      dependencies: [
        "Strandline", "StrandlineModels", "StrandlineStorage", "StrandlineTransport",
        "StrandlineSettings", "StrandlineSyncEngine", "StrandlineDirectoryTransport",
        "StrandlineHTTPTransport", "StrandlineTestSupport",
      ],
      path: "Tests/Support/StepperFixture", swiftSettings: strict),
    tests(
      of: "StrandlineProcesses", at: "Processes",
      [
        "Strandline", "StrandlineModels", "StrandlineTransport", "StrandlineStorage",
        "StrandlineSyncEngine", "StrandlineStatus", "StrandlineDirectoryTransport",
        "StrandlineHTTPTransport", "StrandlineTestSupport", "StrandlineCommand",
        "StrandlineServerCommand", "StepperFixture",
      ]),
    tests(
      of: "StrandlineBench", at: "Bench",
      ["StrandlineBench", "StrandlineBenchCommand", "StrandlineModels", "StrandlineTestSupport"]),
    tests(
      of: "StrandlineCommand", at: "Command", exclude: ["Fixtures", "Transcripts"],
      [
        "StrandlineCommand", "StrandlineServerCommand", "StrandlineModels", "StrandlineTestSupport",
      ]),
  ] as [Target?]).compactMap(\.self)
)
