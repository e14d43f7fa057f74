import Dispatch

/// Runs an actor's jobs on a queue of its own, for calls that block: SQLite's and those of files.
///
/// The cooperative pool has as many threads as the machine has cores; a few blocked actors on it
/// would hold up every other task of the process.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
