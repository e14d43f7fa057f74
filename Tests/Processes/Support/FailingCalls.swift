import Foundation
import StrandlineTestSupport

/// Calls of the system that libfiu lets fail in a program.
enum FailingCalls {
  /// The words of a program under which another one's calls fail as commands of libfiu's say.
  static func wrapper(_ commands: String..., pipes: String? = nil) throws -> [String] {
    [try BuiltProgram.tool("fiu-run", package: "fiu-utils"), "-x"]
      + (pipes.map { ["-f", $0] } ?? []) + commands.flatMap { ["-c", $0] }
  }

  /// The calls of reading, writing, opening and syncing, each of which fails at a chance.
  static func random(_ chance: Double) throws -> [String] {
    try wrapper(
      "enable_random name=posix/io/rw/pwrite,probability=\(chance)",
      "enable_random name=posix/io/rw/pread,probability=\(chance)",
      "enable_random name=posix/io/oc/open,probability=\(chance)",
      "enable_random name=posix/io/sync/*,probability=\(chance * 4)")
  }

  /// Gives a running program that was started with pipes a command of libfiu's.
  static func command(
    _ command: String, process: Int32, pipes: String, in folder: TemporaryFolder
  ) async throws {
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("fiu-ctrl", package: "fiu-utils"),
      arguments: ["-f", pipes, "-c", command, String(process)]
    ).run()
    guard outcome.code == 0 else { throw SetupError(description: outcome.error) }
  }
}
