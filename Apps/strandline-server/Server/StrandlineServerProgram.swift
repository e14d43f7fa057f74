/// The program `strandline-server`.
public enum StrandlineServerProgram {
  /// Runs with the process's arguments and returns its exit code.
  public static func run() async -> Int32 { 0 }
}
