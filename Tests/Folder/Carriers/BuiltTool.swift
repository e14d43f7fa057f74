import Foundation

/// Why a test cannot begin, or could not go on.
struct CarrierError: Error, CustomStringConvertible {
  let description: String
}

/// Where the programs are that tests run as processes of their own.
enum BuiltTool {
  /// The path of a program that was built with these tests, beside their bundle.
  static func path(_ name: String) throws -> String {
    let bundles = Bundle.allBundles.map(\.bundlePath).filter { $0.hasSuffix(".xctest") }
    let places = (bundles + [CommandLine.arguments[0], Bundle.main.bundlePath + "/."])
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: name).path }
    guard let found = places.first(where: FileManager.default.isExecutableFile) else {
      throw CarrierError(
        description: "Could not find \(name) beside the tests. Run swift build first.")
    }
    return found
  }

  /// The path of a program of the system.
  static func system(_ name: String, package: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for folder in path.split(separator: ":") {
      let candidate = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
    }
    throw CarrierError(
      description: "Could not find the program \(name). Run apt-get install \(package).")
  }
}
