import Foundation
import Strandline
import StrandlineREPL
import StrandlineTestSupport
import StrandlineTesting
import Testing

// What the guide "Write your own transport" shows of its use and of its tests.

extension TransportKind {
  static let journal = TransportKind(name: "journal", addressForm: "journal:FILE") {
    (configuration) throws(TransportError) in
    let path = configuration.specification.address
    guard !path.isEmpty else {
      throw TransportError(
        .unknownTransport, "Could not use transport 'journal', the file is missing.",
        advice: "Write journal:FILE.", remedy: .stop)
    }
    return JournalTransport(path: path, clock: configuration.clock)
  }
}

struct JournalSubject: TransportSubject {
  func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "journal-\(UUID().uuidString)")
    let home = folder.appending(path: "home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    return JournalPlace(folder: folder, home: home, request: request)
  }
}

struct JournalPlace: TransportPlace {
  let folder: URL
  let home: URL
  let request: PlaceRequest

  func connect(_ device: Int) async throws -> any Transport {
    JournalTransport(
      path: home.appending(path: "zones.journal").path, clock: request.clock,
      limits: request.limits, pollInterval: .milliseconds(20))
  }

  func close() async {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record(error)
    }
  }

  var abilities: PlaceAbilities {
    PlaceAbilities(
      expireCursors: .unavailable("a journal keeps everything"),
      checkpoint: .available {
        let backup = folder.appending(path: "backup")
        try FileManager.default.copyItem(at: home, to: backup)
        return {
          try FileManager.default.removeItem(at: home)
          try FileManager.default.moveItem(at: backup, to: home)
        }
      },
      announceRestore: .unavailable("a file has no keeper who could announce it"),
      signIn: .unavailable("a file has no accounts"),
      deploySchema: .unavailable("a journal carries every schema"),
      setReachable: .available { isReachable in
        let away = folder.appending(path: "away")
        try FileManager.default.moveItem(
          at: isReachable ? away : home, to: isReachable ? home : away)
      },
      hints: .available(()))
  }
}

@Suite struct JournalContractTests {
  @Test(arguments: TransportContract.rules)
  func `the journal keeps the contract`(_ rule: ContractRule) async throws {
    try await rule.check(JournalSubject())
  }

  @Test func `stores that meet in a journal end equal`() async throws {
    let schema = try Schema([Book.self, Author.self, Shelf.self])
    for seed in UInt64(1)...2 {
      let (fleet, place) = try await Fleet.meeting(
        seed: seed, deviceCount: 3, schema: schema, in: JournalSubject())
      for _ in 0..<40 { try await fleet.step() }
      try await fleet.heal()
      #expect(try await fleet.findings().isEmpty, "seed \(seed)")
      await place.close()
    }
  }
}

@Suite struct JournalGuideTests {
  @Test func `two stores of an app meet in a journal`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("zones.journal")
    let schema = try Schema([Book.self, Author.self, Shelf.self])
    let registry = Registry([.journal])
    let phone = try await SyncedStore.open(
      .memory, schema: schema, registry: registry,
      options: SyncEngine.Options(deviceName: "phone"))
    try await phone.use(
      TransportConfiguration(specification: TransportSpecification("journal:\(path)")))
    try await phone.store.write { try $0.save(Book(title: "The Dispossessed")) }
    try await phone.syncNow()

    let laptop = try await SyncedStore.open(
      .memory, schema: schema, registry: registry,
      options: SyncEngine.Options(deviceName: "laptop"))
    try await laptop.use(
      TransportConfiguration(specification: TransportSpecification("journal:\(path)")))
    try await laptop.syncNow()
    let titles = try await laptop.store.read { try $0.fetch(Book.self).map(\.title) }
    #expect(titles == ["The Dispossessed"])
  }

  @Test func `two devices of the prompt meet in a journal`() async throws {
    let folder = try TemporaryFolder()
    func prompt(_ device: String, _ commands: String...) async throws -> String {
      let streams = StandardStreams.captured()
      let options = try Options(
        arguments: [
          "--home", folder.path("home"), "--device", device, "--no-rc", "--transport",
          "journal:" + folder.path("zones.journal"),
        ] + commands.flatMap { ["-c", $0] })
      let code = await StrandlineProgram.run(
        options, registry: JournalProgram.registry, streams: streams, variables: [:])
      #expect(code == .done, "\(streams.capturedErrors)")
      return streams.capturedOutput
    }

    _ = try await prompt("phone", "save TodoItem name=\"Buy milk\"", "sync")
    let output = try await prompt("laptop", "sync", "list TodoItem")

    #expect(output.contains("Buy milk"))
  }

  @Test func `a registry without an address says how to write it`() async throws {
    let error = await #expect(throws: TransportError.self) {
      try await Registry([.journal]).make(
        TransportConfiguration(specification: TransportSpecification("journal")))
    }
    #expect(error?.advice == "Write journal:FILE.")
  }

  @Test func `what an interrupted writer left is overwritten`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("zones.journal")
    let request = OpenRequest(
      device: DeviceInfo(id: DeviceID(device: 1, epoch: 1), name: "phone"), zoneName: "notes",
      environment: .development, expected: nil, schema: [:], proof: nil)
    let made = try await JournalTransport(path: path).open(request)
    let whole = try folder.bytes("zones.journal")
    try folder.write(whole + [0, 0, 1, 0, 7, 7], to: "zones.journal")

    let found = try await JournalTransport(path: path).open(request)
    var other = request
    other.zoneName = "more notes"
    let more = try await JournalTransport(path: path).open(other)

    #expect(found.zone == made.zone && !found.wasCreated)
    #expect(more.wasCreated && more.zone != made.zone)
    #expect(try await JournalTransport(path: path).open(other).zone == more.zone)
  }

  @Test func `bytes that are no entry are damage, and nothing is written over them`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("zones.journal")
    let bytes = Data([0, 0, 0, 2, 7, 7])
    try folder.write(bytes, to: "zones.journal")
    let request = OpenRequest(
      device: DeviceInfo(id: DeviceID(device: 1, epoch: 1), name: "phone"), zoneName: "notes",
      environment: .development, expected: nil, schema: [:], proof: nil)

    let error = await #expect(throws: TransportError.self) {
      try await JournalTransport(path: path).open(request)
    }

    #expect(error?.code == .damaged && error?.remedy == .ask)
    #expect(try folder.bytes("zones.journal") == bytes)
  }
}
