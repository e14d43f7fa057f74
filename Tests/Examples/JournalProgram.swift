import Strandline
import StrandlineREPL

// What the guide "Write your own transport" shows: a program with a transport of one's own.

enum JournalProgram {
  /// Runs the prompt with the journal as the transport that it offers.
  @MainActor static func run() async -> Int32 {
    await StrandlineProgram.run(Registry([.journal]))
  }
}
