import Foundation

/// Why a test cannot begin.
package struct SetupError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// Where the program that was built with these tests is, and what else they need.
package enum BuiltProgram {
  /// The path of a program of this package, beside the bundle of the running tests.
  package static func path(_ name: String = "strandline") throws -> String {
    let bundles = Bundle.allBundles.map(\.bundlePath).filter { $0.hasSuffix(".xctest") }
    let places = (bundles + [CommandLine.arguments[0], Bundle.main.bundlePath + "/."])
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: name) }
    guard
      let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else {
      throw SetupError(
        description: "Could not find \(name) beside the tests. Run swift build first. Looked "
          + "at: \(places.map(\.path).joined(separator: ", ")).")
    }
    return found.path
  }

  /// A program of the system.
  package static func tool(_ name: String, package: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for folder in path.split(separator: ":") {
      let candidate = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
    }
    throw SetupError(
      description: "Could not find the program \(name). Run apt-get install \(package).")
  }
}
