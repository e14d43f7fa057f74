import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// What stays on a device, what arrives before what it refers to, and stores that meet late.
@Suite struct ArrivalTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 3)
  }

  @Test func `a reference that arrives before its record reads nil, and heals when that comes`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let list = TodoList(title: "Shopping")
    let item = RecordID(text: "item")
    // Another SQLite client may leave any reference behind.
    let client = try Connection(path: a.store.path, readOnly: false)
    try client.run(
      "INSERT INTO TodoItem(id, name, list) VALUES ('item', 'milk', ?)", [list.id.value])
    for device in [a, b] { try await device.sync() }

    #expect(try await b.orphans() == [item])
    #expect(try await b.list(of: item) == nil)
    #expect(try await b.status()?.orphans == 1)

    try await a.store.write { try $0.save(list) }
    for device in [a, b] { try await device.sync() }

    #expect(try await b.orphans().isEmpty)
    #expect(try await b.list(of: item)?.title == "Shopping")
  }

  @Test func `an item put into a list that another device deletes is kept and listed`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let list = TodoList(title: "Shopping")
    try await a.store.write { try $0.save(list) }
    for device in [a, b] { try await device.sync() }

    time.advance()
    try await a.store.write { try $0.delete(list) }
    var item = TodoItem("milk")
    item.list = Reference(list)
    let saved = item
    try await b.store.write { try $0.save(saved) }
    for device in [a, b, a] { try await device.sync() }

    for device in [a, b] {
      #expect(try await device.names() == ["milk"])
      #expect(try await device.orphans() == [item.id])
      #expect(try await device.list(of: item.id) == nil)
    }
  }

  @Test func `two populated stores that begin to sync hold the records of both, and one seed`()
    async throws
  {
    let a = try await TestDevice("a", nil, time)
    let b = try await TestDevice("b", nil, time)
    for device in [a, b] {
      try await device.store.write {
        try $0.seed("Setting", [["key": .text("theme"), "value": .text("light")]])
      }
      try await device.insert("from \(device.name)")
      let gone = try await device.insert("gone")
      try await device.store.write { try $0.delete("TodoItem", gone) }
    }
    time.advance()
    try await a.store.write {
      try $0.updateAll(Query("Setting"), values: ["value": .text("dark")])
    }

    for device in [a, b] { try await device.use(cloud) }
    for device in [a, b, a] { try await device.sync() }

    for device in [a, b] {
      #expect(try await Set(device.names()) == ["from a", "from b"])
      let themes = try await device.store.read { try $0.fetch(Setting.self).map(\.value) }
      #expect(themes == ["dark"], "an edit wins over the seeds of both, which are one record")
      #expect(try await device.status()?.pending == 0)
    }
  }

  @Test func `a record of a local entity never leaves the device`() async throws {
    let draft = #"""
      {"entities": {
        "Note": {"attributes": {"text": {"type": "text", "default": ""}}},
        "Draft": {"attributes": {"text": {"type": "text", "default": ""}},
          "configuration": "local"}}}
      """#
    let schema = try Schema(parsing: draft)
    let a = try await TestDevice("a", cloud, time, schema: schema)
    let b = try await TestDevice("b", cloud, time, schema: schema)
    try await a.store.write {
      try $0.insert("Draft", values: ["text": .text("mine")])
      try $0.insert("Note", values: ["text": .text("ours")])
    }

    let report = try await a.sync()
    try await b.sync()

    #expect(report.exported == 1)
    #expect(try await a.status()?.pending == 0)
    #expect(try await b.store.read { try $0.count(Query("Draft")) } == 0)
    #expect(try await b.store.read { try $0.count(Query("Note")) } == 1)
  }
}

extension TestDevice {
  fileprivate func orphans() async throws -> [RecordID] {
    try await store.orphanItems().map(\.id)
  }

  fileprivate func list(of item: RecordID) async throws -> TodoList? {
    try await store.read { try $0.fetch($0.fetch(TodoItem.self, id: item)?.list) }
  }
}
