import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The purge of a zone on a server, all as programs.
@Suite(.timeLimit(.minutes(30))) struct ServerPurgeTests {
  private let folder: TemporaryFolder
  private let server: ServerProcess

  init() throws {
    folder = try TemporaryFolder()
    server = ServerProcess(in: folder)
  }

  private func device(_ name: String, token: String) -> CommandDevice {
    CommandDevice(
      name, in: folder, transport: server.address, options: ["--token-file", token])
  }

  @Test func `only the account that was synced with is purged, and a server that is away waits`()
    async throws
  {
    try await server.start()
    let ann = try await server.signUp("ann")
    let bob = try await server.signUp("bob", file: "bob")
    let (phone, laptop) = (device("phone", token: ann), device("laptop", token: ann))
    try await phone.succeed("save", "TodoItem", "name=milk")
    try await phone.succeed("sync")
    try await laptop.succeed("sync")

    let wrong = try await device("phone", token: bob).object("--yes", "sync", "off", "--purge")
    let purges = wrong["switch"]?["purges"]?.elements
    #expect(purges?.first?["code"]?.string == "accountChanged")
    #expect(try await laptop.object("sync")["sync"]?["error"] == .null)
    _ = try await server.stop()
    let away = try await phone.run(["purge"])
    #expect(away.code == 4)
    #expect(try await phone.object("status")["status"]?["switch"]?["pendingPurge"]?.bool == true)
    try await server.start()

    let done = try await phone.run(["purge"])
    #expect(done.code == 0, "\(done.error)")
    #expect(try await laptop.run(["sync"]).error.contains("'phone' purged it"))
    try await laptop.succeed("--yes", "peer", "answer", "1", "upload")
    try await laptop.succeed("sync")
    try await phone.succeed("--yes", "sync", "on")
    for device in [phone, laptop] { try await device.succeed("sync") }
    #expect(try await phone.allRows() == laptop.allRows())
  }
}
