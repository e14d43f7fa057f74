// swift-tools-version: 6.2
import PackageDescription

// Copy this folder, and put the address of Strandline in the place of the path.
let package = Package(
  name: "StarterApp",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "strandline", path: "../..")],
  targets: [
    .executableTarget(
      name: "StarterApp",
      dependencies: [
        .product(name: "Strandline", package: "strandline"),
        .product(name: "StrandlineDirectoryTransport", package: "strandline"),
        .product(name: "StrandlineHTTPTransport", package: "strandline"),
      ])
  ]
)
