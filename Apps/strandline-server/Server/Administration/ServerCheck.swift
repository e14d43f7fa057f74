import StrandlineAuthority
import StrandlineModels
import StrandlineStorage
package import StrandlineTransport
import StrandlineWireFormat

/// Looks for what a server's data must never be, in one reading.
package struct ServerCheck {
  /// What was looked at, and sentences about what is wrong.
  package struct Findings: Sendable {
    /// The zones.
    package internal(set) var zones = 0
    /// The records, dead ones too.
    package internal(set) var records = 0
    /// What is wrong, a sentence each.
    package internal(set) var faults: [String] = []
  }

  /// The most faults that are told.
  private static let limit = 100

  private let storage: SQLiteServerStorage

  /// Looks at a server's data.
  package init(storage: SQLiteServerStorage) {
    self.storage = storage
  }

  /// Looks at everything.
  package func run() throws(TransportError) -> Findings {
    var findings = Findings()
    findings.faults = try storage.integrityFaults(limit: Self.limit)
    guard findings.faults.isEmpty else { return findings }
    // What is compared must be of one time; others go on writing meanwhile.
    try storage.reading { () throws(TransportError) in
      findings.faults += try storage.strayRows()
      // What a stray row lacks would end the reading of a zone.
      guard findings.faults.isEmpty else { return }
      for zone in try storage.zones() {
        findings.zones += 1
        try check(zone, &findings)
      }
    }
    findings.faults = Array(findings.faults.prefix(Self.limit))
    return findings
  }

  private func check(_ zone: Zone, _ findings: inout Findings) throws(TransportError) {
    let name = "zone '\(zone.name)' (\(zone.id.rawValue))"
    if zone.fence > zone.head { findings.faults.append("The fence of \(name) is after its head.") }
    if zone.purge == nil, try storage.nonce(of: zone.head, in: zone.id) == nil {
      findings.faults.append("The newest commit of \(name) has no random number.")
    }
    try checkFeed(zone, name, &findings)
    for device in try storage.devices(in: zone.id) {
      for position in [device.receipt, device.hold].compactMap({ $0 }) where position > zone.head {
        findings.faults.append(
          "Device '\(device.info.name)' of \(name) holds more than its head.")
      }
    }
  }

  /// Compares the feed with the records: each number must belong to the record that says so.
  private func checkFeed(
    _ zone: Zone, _ name: String, _ findings: inout Findings
  ) throws(TransportError) {
    var newest: Int64 = 0
    var faults: [String] = []
    var keys: Set<RecordKey> = []
    try storage.readFeed(after: 0, deathsAfter: 0, in: zone.id) { entry in
      newest = entry.sequence
      if case .change(let delta, _) = entry.content { keys.insert(delta.key) }
      return true
    }
    if newest > zone.head { faults.append("Number \(newest) of \(name) is after its head.") }
    for key in keys {
      guard let record = try storage.record(key, in: zone.id) else {
        faults.append("\(key.entity) \(key.id) of \(name) is in the feed and not a record.")
        continue
      }
      if let fault = fault(in: record) {
        faults.append("\(key.entity) \(key.id) of \(name) \(fault).")
      }
      if faults.count > Self.limit { break }
    }
    findings.records += keys.count
    findings.faults += faults
  }

  private func fault(in record: ZoneRecord) -> String? {
    if let birth = record.birth, let death = record.death, birth.fact <= death.fact.life {
      return "lives a life that has ended"
    }
    let died = record.death?.fact.life ?? .unset
    if record.versions.keys.contains(where: { $0.life <= died }) {
      return "keeps a value of a life that has ended"
    }
    return nil
  }
}

extension SQLiteServerStorage {
  /// What SQLite itself finds wrong with the file.
  func integrityFaults(limit: Int) throws(TransportError) -> [String] {
    try access { connection in
      try connection.map("PRAGMA integrity_check(\(limit))") { $0.text(0) }
        .filter { $0 != "ok" }
        .map { "The database is damaged: \($0)." }
    }
  }

  /// Rows that belong to nothing.
  func strayRows() throws(TransportError) -> [String] {
    try access { connection in
      let bits = ServerTables.sequenceBits
      var faults: [String] = []
      let queries = [
        "feed numbers of no zone":
          "SELECT count(*) FROM feed WHERE (place >> \(bits)) NOT IN (SELECT number FROM zone)",
        "commits of no zone":
          "SELECT count(*) FROM nonce WHERE (place >> \(bits)) NOT IN (SELECT number FROM zone)",
        "feed numbers of no device":
          "SELECT count(*) FROM feed WHERE origin NOT IN (SELECT number FROM origin)",
        "records of no entity":
          """
        SELECT count(*) FROM feed WHERE entity > 0 AND entity NOT IN (SELECT number FROM name)
        """,
        "devices of no zone":
          "SELECT count(*) FROM device WHERE zone NOT IN (SELECT number FROM zone)",
        "staged pages of no group":
          """
        SELECT count(*) FROM staged_page AS page WHERE NOT EXISTS (
          SELECT 1 FROM staged WHERE zone = page.zone AND origin = page.origin)
        """,
        "zones of no account":
          "SELECT count(*) FROM zone WHERE account NOT IN (SELECT name FROM account)",
        "tokens of no account":
          "SELECT count(*) FROM token WHERE account NOT IN (SELECT name FROM account)",
      ]
      for (what, query) in queries.sorted(by: { $0.key < $1.key }) {
        let count = try connection.integer(query)
        if count > 0 { faults.append("There are \(count) \(what).") }
      }
      return faults
    }
  }
}
