import Strandline

/// The command that tells what was observed.
@MainActor enum StatusCommands {
  static let all: [Command] =
    [
      Command(
        name: "status", usage: "status [--follow]",
        summary: "What was observed, and what waits; with --follow again whenever that changes.",
        example: "status --follow", group: .looking, run: status)
    ] + EventCommand.all + WaitingCommands.all + TraceCommand.all

  private static func status(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["follow"])
    try input.requireAtMost(0)
    if input.has(flag: "follow") { return try await follow(session) }
    let device = session.device
    let snapshots = try await device.store.status(deviceName: device.name)
    session.show(
      objects: snapshots.map { .object(["status": $0.json]) },
      text: snapshots.map(StatusText(session).text).joined(separator: "\n"))
  }

  /// Shows the status again and again, until Ctrl-C: on a terminal in its place, else as lines.
  private static func follow(_ session: Session) async throws {
    let device = session.device
    let monitor = StatusMonitor([device.name: device.store], deviceName: device.name)
    monitor.start()
    defer { monitor.stop() }
    session.streams.note("Following the status of \(device.name). Ctrl-C ends it.")
    var display = FollowedStatus(session: session)
    try await session.whileSyncing {
      for await stores in monitor.updates() {
        guard let store = stores.first else { continue }
        if let failure = store.failure {
          throw CommandError(failure.code, failure.message, advice: failure.advice)
        }
        display.show(store.snapshots)
        if session.streams.isBroken { break }
      }
    }
  }
}
