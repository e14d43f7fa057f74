import Foundation

/// The program `strandline-server`.
public enum StrandlineServerProgram {
  /// Runs with the process's arguments and returns its exit code.
  ///
  /// The codes are 0 done, 1 a command failed, 2 usage, 3 data folder unusable, 130 interrupted.
  public static func run() async -> Int32 {
    let program = ServerProgram(
      variables: ProcessInfo.processInfo.environment, console: .standard)
    return await program.run(Array(CommandLine.arguments.dropFirst())).rawValue
  }
}
