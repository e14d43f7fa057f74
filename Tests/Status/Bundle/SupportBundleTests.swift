import Foundation
import Strandline
import StrandlineModels
import StrandlineSettings
import StrandlineStatus
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// A support bundle tells how things stand and nothing that records say.
@Suite struct SupportBundleTests {
  private static let secret = "tr0ub4dor-and-three"

  private static func configuration() -> Configuration {
    var configuration = Configuration()
    configuration.device = "phone"
    configuration.peers = [
      .init(
        transport: "https://ann:\(secret)@sync.example.org/v1?token=\(secret)",
        tokenFile: "/etc/tokens/phone", account: secret)
    ]
    return configuration
  }

  /// A store with the secret in every place that records, peers and other devices can write to.
  private func store() async throws -> Store {
    let fixture = try await StatusFixture()
    let (store, peer, secret) = (fixture.store, fixture.peer, Self.secret)
    try await store.write(author: secret, context: secret) { transaction in
      let list = try transaction.insert("TodoList", values: ["title": .text(secret)])
      try transaction.insert(
        "TodoItem", id: RecordID(text: secret),
        values: ["name": .text(secret), "note": .text(secret), "list": list.value])
      try transaction.insert("Tag", values: ["name": .text(secret)])
    }
    try await store.administer { transaction in
      for (table, columns, values) in Self.rows {
        _ = try transaction.connection.run(
          "INSERT INTO strandline_\(table)(\(columns)) VALUES (\(values))", [.text(secret)])
      }
    }
    try await fixture.change { row in
      #expect(row.id == peer)
      row.account = secret
      row.isBlocked = true
      (row.reason, row.cure, row.reasonCode) = (secret, secret, secret)
      (row.waits, row.notices) = ([secret], [secret])
      row.question = .accountChanged(from: secret, to: secret)
    }
    return store
  }

  /// What stands in Strandline's own tables: `?1` is the secret.
  private static let rows = [
    (
      "conflict", "peer, entity, record, property, life, stamp, value, device, time",
      "1, 1, ?1, ?1, 1, 1, ?1, ?1, 1"
    ),
    ("parked", "entity, record, life, property, stamp, value", "1, ?1, 1, ?1, 1, ?1"),
    ("unknown_value", "entity, record, property, stamp, value", "1, ?1, ?1, 1, ?1"),
    ("preserved", "sequence, property, value", "1, ?1, ?1"),
    (
      "set_aside", "peer, entity, record, sequence, code, message, time",
      "1, 1, ?1, 1, ?1, ?1, 1"
    ),
    (
      "held_delete", "peer, entity, record, life, stamp, time, device, awaits_word",
      "1, 1, ?1, 1, 1, 1, ?1, 1"
    ),
    (
      "event", "peer, kind, process, started, ended, succeeded, code, message, advice",
      "1, ?1, 1, 1, 2, 0, ?1, ?1, ?1"
    ),
    (
      "event", "peer, kind, process, started, ended, succeeded, code, message, advice",
      "1, 'import', 1, 1, 2, 0, ?1, ?1, ?1"
    ),
    ("consumer", "name, sequence, updated", "?1, 0, 0"),
  ]

  private func bundle() async throws -> SupportBundle {
    await SupportBundle.gather(
      from: try await store(), deviceName: "phone", configuration: Self.configuration(),
      program: "test 1")
  }

  @Test func `nothing that records, peers or accounts say gets into it`() async throws {
    let bundle = try await bundle()

    for file in bundle.files {
      #expect(!file.text.contains(Self.secret), "\(file.name)")
    }
    // The same search finds what is there.
    #expect(bundle.files.contains { $0.text.contains("TodoItem") })
  }

  @Test func `it has the status, activities, counts, checkup, model and versions`() async throws {
    let files = Dictionary(
      uniqueKeysWithValues: try await bundle().files.map { ($0.name, $0.text) })

    let counts = try JSONValue(parsing: try #require(files["counts.json"]))
    #expect(counts["records"]?["TodoItem"]?.integer == 1)
    #expect(counts["setAside"]?["other"]?.integer == 1)
    let events = try JSONValue(parsing: try #require(files["events.json"])).elements ?? []
    #expect(events.map { $0["kind"]?.string } == ["other", "import"])
    #expect(events.last?["outcome"]?.string == "failed")
    let status = try JSONValue(parsing: try #require(files["status.json"]))
    let standing = status["peers"]?.elements?.first?["status"]?["standing"]?.string
    #expect(standing == "blocked")
    let checkup = try JSONValue(parsing: try #require(files["checkup.json"])).elements ?? []
    #expect(checkup.contains { $0["name"]?.string == "integrity" })
    let versions = try JSONValue(parsing: try #require(files["versions.json"]))
    #expect(versions["program"]?.string == "test 1")
    #expect(versions["sqlite"]?.string?.hasPrefix("3.") == true)
    let schema = try JSONValue(parsing: try #require(files["schema.json"]))
    #expect(schema["entities"]?["TodoItem"] != nil)
    let configuration = try JSONValue(parsing: try #require(files["configuration.json"]))
    let peer = configuration["peers"]?.elements?.first
    #expect(
      peer?["transport"]?.string == "https://(removed)@sync.example.org/v1?(removed)")
    #expect(peer?["tokenFile"]?.string == "/etc/tokens/phone")
  }

  @Test(arguments: [
    ("memory", "memory"), ("https://sync.example.org/v1", "https://sync.example.org/v1"),
    ("https://a:b@h/p#x", "https://(removed)@h/p#(removed)"),
    ("https://a:b@c@h", "https://(removed)@h"), ("mail:me:pw@host", "mail:(removed)@host"),
    ("directory:/mnt/me@work", "directory:/mnt/me@work"),
  ])
  func `addresses lose names, passwords and queries`(address: String, shown: String) async throws {
    var configuration = Configuration()
    configuration.peers = [.init(transport: address)]
    let bundle = await SupportBundle.gather(
      from: try await StatusFixture().store, deviceName: "a", configuration: configuration,
      program: "test")

    let text = try #require(bundle.files.first { $0.name == "configuration.json" }).text
    let json = try JSONValue(parsing: text)

    #expect(json["peers"]?.elements?.first?["transport"]?.string == shown)
  }

  @Test func `the page is whole without scripts or a network, and is escaped`() async throws {
    let fixture = try await StatusFixture()
    let peer = fixture.peer
    for (time, error) in [(100, nil), (300, StorageError(.diskFull, "", advice: ""))] {
      let id = try await fixture.begin("import", at: Int64(time))
      try await fixture.end(id, at: Int64(time) + 100, error: error)
    }
    try await fixture.store.administer {
      try $0.addReceipt(
        peer: peer,
        .init(device: "d", name: "<script>alert(1)</script>", position: 1, reported: 200), at: 250)
    }
    let bundle = await SupportBundle.gather(
      from: fixture.store, deviceName: "a & b", program: "test")

    let page = try #require(bundle.files.first).text

    #expect(bundle.files.first?.name == "index.html")
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;alert(1)"))
    #expect(page.contains("a &amp; b"))
    #expect(!page.contains("href=") && !page.contains("src=") && !page.contains("url("))
    #expect(page.contains("prefers-color-scheme: dark"))
    #expect(page.contains("role=\"img\" aria-labelledby=\"tl-title tl-desc\""))
    #expect(page.contains("1 activity did not succeed."))
    #expect(page.contains("<rect class=\"succeeded\""))
    #expect(page.contains("<path class=\"failed\""))
    #expect(page.contains("<circle class=\"report\""))
  }

  @Test func `times that make no sense are drawn all the same`() async throws {
    let fixture = try await StatusFixture()
    for time: Int64 in [.max, .min, 0] {
      let id = try await fixture.begin("export", at: time)
      try await fixture.end(id, at: time)
    }

    let bundle = await SupportBundle.gather(
      from: fixture.store, deviceName: "a", program: "test")

    #expect(bundle.files.first?.text.contains("<svg") == true)
  }

  @Test(arguments: ["bundle.tar.gz", "bundle.zip"])
  func `the archive is one that others unpack`(name: String) async throws {
    let folder = try TemporaryFolder()
    let bundle = try await bundle()

    try await bundle.write(to: folder.path(name))

    let python = """
      import shutil, sys
      shutil.unpack_archive(sys.argv[1], sys.argv[2], filter='data') \
      if sys.argv[1].endswith('gz') and sys.version_info >= (3, 12) \
      else shutil.unpack_archive(sys.argv[1], sys.argv[2])
      """
    let outcome = try await ChildProcess(
      folder: folder, executable: "/usr/bin/python3",
      arguments: ["-c", python, folder.path(name), folder.path("out")]
    ).run()
    #expect(outcome.code == 0, "\(outcome.error)")
    for file in bundle.files {
      #expect(try folder.read("out/strandline-bundle/\(file.name)") == file.text)
    }
  }

  @Test func `a file that is there is replaced only when that is asked for`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("bundle.zip")
    try folder.write("mine", to: "bundle.zip")
    let bundle = try await bundle()

    let error = await #expect(throws: BundleError.self) { try await bundle.write(to: path) }
    #expect(error?.code == .fileExists)
    #expect(try folder.read("bundle.zip") == "mine")

    try await bundle.write(to: path, replacing: true)
    #expect(try folder.bytes("bundle.zip").prefix(2) == Data("PK".utf8))
    #expect(try folder.names(in: ".").filter { $0.contains("bundle") } == ["bundle.zip"])

    let nowhere = await #expect(throws: BundleError.self) {
      try await bundle.write(to: folder.path("no/such/folder/b.zip"))
    }
    #expect(nowhere?.code == .cannotWriteBundle)
  }
}
