import StrandlineModels

/// The commands by which a server's data is kept safe.
enum KeepingCommands {
  static var all: [ServerCommand] {
    [
      ServerCommand(
        name: "backup", form: "FILE",
        summary: "Copies everything to a new file, also while the "
          + "server runs.",
        details: "Make backups regularly: from the first one on, zones remember what died until a "
          + "newer backup holds it too.",
        example: "strandline-server backup /backups/monday.sqlite", words: 1...1, run: backup),
      ServerCommand(
        name: "restore", form: "FILE [--yes]",
        summary: "Puts a backup in the place of the data; the server must be stopped.",
        details:
          "The replaced data is kept beside it. Every zone begins a new incarnation: devices "
          + "compare everything they hold with it and send what it lacks, by themselves.",
        example: "strandline-server restore /backups/monday.sqlite", words: 1...1,
        options: [.init("--yes")], run: restore),
      ServerCommand(
        name: "check", form: "[--json]", summary: "Looks for anything wrong with the data.",
        details: "It reads everything, and holds up nobody.", example: "strandline-server check",
        words: 0...0, run: check),
    ]
  }

  private static func backup(_ context: CommandContext) throws {
    let data = try context.open()
    var authority = context.authority(data.storage)
    let summary = try Backup.make(of: data.storage, to: context.words[0], with: &authority)
    if context.isJSON {
      let object = JSONValue.object([
        "backup": .string(summary.path), "zones": .integer(Int64(summary.zones)),
        "bytes": .integer(Int64(summary.bytes)),
      ])
      return context.console.print(object.text)
    }
    context.console.note(
      "Wrote \(summary.zones.of("zone")) to '\(summary.path)', \(summary.bytes.of("byte")).")
  }

  private static func restore(_ context: CommandContext) throws {
    try context.console.confirm(
      "This puts the backup '\(context.words[0])' in the place of the data in "
        + "'\(context.folder)'. What devices have sent since the backup, and what they still "
        + "hold, they send again; access tokens made since it open nothing.",
      "Restore?", isConfirmed: context.isConfirmed)
    let restore = Restore(folder: context.folder, clock: context.clock)
    let summary = try restore.restore(from: context.words[0])
    var text =
      "Restored \(summary.zones.of("zone")); this is incarnation \(summary.incarnation) of the server. "
      + "Devices compare everything with it when they next sync and send what it lacks."
    if summary.revokedTokens > 0 {
      text += " \(summary.revokedTokens.of("token")) revoked since the backup stay revoked."
    }
    if let kept = summary.keptIn { text += " The replaced data is in '\(kept)'." }
    context.console.note(text)
  }

  private static func check(_ context: CommandContext) throws {
    let data = try context.open()
    let findings = try ServerCheck(storage: data.storage).run()
    if context.isJSON {
      let object = JSONValue.object([
        "zones": .integer(Int64(findings.zones)), "records": .integer(Int64(findings.records)),
        "faults": .array(findings.faults.map { .string($0) }),
      ])
      context.console.print(object.text)
    } else {
      for fault in findings.faults { context.console.print(fault) }
    }
    guard findings.faults.isEmpty else {
      throw CommandFailure(
        "faultsFound",
        "Could not find the data in order, \(findings.faults.count) faults are in "
          + "it.",
        advice: "Keep the folder, and restore a backup with 'strandline-server restore FILE'.")
    }
    context.console.note(
      "Looked at \(findings.zones.of("zone")) and \(findings.records.of("record")); nothing is wrong."
    )
  }
}
