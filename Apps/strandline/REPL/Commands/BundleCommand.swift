import Foundation
import Strandline

/// The command that writes what somebody who helps needs to know.
@MainActor enum BundleCommand {
  static let all: [Command] = [
    Command(
      name: "bundle", usage: "bundle FILE",
      summary: "Write a support bundle, without contents of records, as one archive.",
      example: "bundle support.tar.gz", group: .looking, words: [.file], run: bundle)
  ]

  private static func bundle(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    let token = try input.argument(0, "the file")
    try input.requireAtMost(1)
    let path = token.text
    try session.requireForeignFile(path, at: token)
    let isThere = FileManager.default.fileExists(atPath: path)
    if isThere {
      guard try await session.confirm("This replaces the file '\(path)'.") else { return }
    }
    let device = session.device
    let bundle = await SupportBundle.gather(
      from: device.store, deviceName: device.name, configuration: session.home.configuration,
      program: "strandline \(StrandlineProgram.version)")
    try await bundle.write(to: path, replacing: isThere)
    session.say(
      .object([
        "bundle": .object([
          "file": .string(path), "files": .array(bundle.files.map { .string($0.name) }),
        ])
      ]),
      "Wrote \(path), with \(Wording.count(bundle.files.count, "file")) and no record contents. "
        + "It goes nowhere by itself.")
  }
}
