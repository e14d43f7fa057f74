import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTransport
import Synchronization

// Publishes transactions into a folder, and may end itself at a step of that, as a power cut would:
//
//     PublisherFixture STORE FOLDER COUNT [STEP OCCURRENCE]
//
// Each transaction saves four items with one note, and is synced by itself. A later run goes on.

/// Ends the process when a step has been reached so often.
final class Ending: Sendable {
  private let step: String
  private let remaining: Mutex<Int>

  init(step: String, occurrence: Int) {
    self.step = step
    remaining = Mutex(occurrence)
  }

  func observe(_ reached: WriteStep, _ path: String) {
    // The text for people is nobody's data, and stands under its own name from the start.
    guard "\(reached)" == step, !path.hasSuffix("/README.txt") else { return }
    let isNow = remaining.withLock { count in
      count -= 1
      return count == 0
    }
    if isNow { kill(getpid(), SIGKILL) }
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4 || arguments.count == 6, let count = Int(arguments[3]) else {
  print("Usage: PublisherFixture STORE FOLDER COUNT [STEP OCCURRENCE]")
  exit(2)
}
let ending =
  arguments.count == 6
  ? Ending(step: arguments[4], occurrence: Int(arguments[5]) ?? 1) : nil
let synced = try await SyncedStore.open(
  .file(arguments[1]), schema: try SampleSchema.todo(), registry: Registry([]),
  options: SyncEngine.Options(deviceName: "writer"))
try await synced.use(
  DirectoryTransport(
    path: arguments[2], limits: DirectoryLimits(partBytes: 400),
    observe: { step, path in ending?.observe(step, path) }))
for _ in 0..<count {
  try await synced.store.write { write in
    let number = try write.count(Query("TodoItem")) / 4 + 1
    for item in 1...4 {
      var new = TodoItem("item \(item)")
      new.note = "transaction \(number)"
      try write.save(new)
    }
  }
  let report = try await synced.syncNow()
  if let error = report.error {
    print(error)
    exit(1)
  }
}
await synced.close()
