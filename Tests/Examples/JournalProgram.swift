import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineREPL

// What the guide "Write your own transport" shows: a program with a transport of one's own.

enum JournalProgram {
  /// The transports that the program offers.
  static let registry = Registry([.memory, .directory, .journal])

  /// Runs the prompt; its answer is the process's exit code.
  @MainActor static func run() async -> Int32 {
    await StrandlineProgram.run(registry)
  }
}
