import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// A store's file that was put back from a backup or copied, on a server, all of them programs
/// (C8, F15, F16).
@Suite(.timeLimit(.minutes(30))) struct RestoredDeviceTests {
  private let folder: TemporaryFolder
  private let server: ServerProcess

  init() throws {
    folder = try TemporaryFolder()
    server = ServerProcess(in: folder)
  }

  private func tags(_ device: CommandDevice) async throws -> Set<String> {
    Set(
      try await device.run(["--json", "list", "Tag"]).objects()
        .compactMap { ($0["record"] ?? $0)["fields"]?["name"]?.string })
  }

  @Test(arguments: [true, false])
  func `F15, F16: a restored store and a copy of it lose nothing on a server`(
    offlineFirst: Bool
  ) async throws {
    try await server.start()
    let token = try await server.signUp("ann")
    func device(_ name: String) -> CommandDevice {
      CommandDevice(
        name, in: folder, transport: server.address, options: ["--token-file", token])
    }
    let (phone, laptop) = (device("phone"), device("laptop"))
    let store = phone.store
    try await phone.succeed("save", "Tag", "name=before")
    try await phone.succeed("sync")
    // The program has ended, so the file is whole.
    try FileManager.default.copyItem(atPath: store, toPath: store + ".backup")
    for index in 0..<3 { try await phone.succeed("save", "Tag", "name=sent \(index)") }
    try await phone.succeed("sync")
    for suffix in ["", "-wal", "-shm"] {
      if FileManager.default.fileExists(atPath: store + suffix) {
        try FileManager.default.removeItem(atPath: store + suffix)
      }
    }
    try FileManager.default.copyItem(atPath: store + ".backup", toPath: store)
    // A copy lives on as another device, without the token.
    let copy = device("copy")
    try folder.makeFolder("copy/copy")
    try FileManager.default.copyItem(atPath: store + ".backup", toPath: copy.store)
    if offlineFirst {
      for index in 0..<5 {
        try await phone.succeed("--local", "save", "Tag", "name=after \(index)")
      }
    }

    try await phone.succeed("save", "Tag", "name=last")
    for one in [phone, copy] { try await one.succeed("sync") }
    try await copy.succeed("save", "Tag", "name=of the copy")
    for one in [copy, phone, laptop, copy] { try await one.succeed("sync") }

    let after = offlineFirst ? (0..<5).map { "after \($0)" } : []
    let all = Set(
      ["before", "last", "of the copy"] + (0..<3).map { "sent \($0)" } + after)
    for one in [phone, copy, laptop] { #expect(try await tags(one) == all, "\(one.name)") }
  }
}
