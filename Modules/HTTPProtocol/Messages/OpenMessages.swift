import StrandlineModels
package import StrandlineTransport
package import StrandlineWireFormat

extension OpenRequest: Message {
  package static var subject: String { "request to open a zone" }

  package init(from reader: inout CBORReader) throws(WireError) {
    var device: DeviceInfo?
    var name: String?
    var environment: ZoneEnvironment?
    var expected: ZoneID?
    var schema: [String: Set<String>] = [:]
    var proof: Proof?
    var acknowledged: Int64 = 0
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: device = try reader.device()
      case 1: name = try reader.name("zone's name")
      case 2: environment = try reader.environment()
      case 3: expected = try reader.zone()
      case 4: schema = try reader.schema()
      case 5: proof = try reader.proof()
      case 6: acknowledged = try reader.natural("sequence")
      default: return false
      }
      return true
    }
    self.init(
      device: try reader.need(device, "device"), zoneName: try reader.need(name, "zone's name"),
      environment: try reader.need(environment, "environment"), expected: expected,
      schema: schema, proof: proof, acknowledged: acknowledged)
  }

  package func write(to writer: inout CBORWriter) {
    writer.map(5 + (expected == nil ? 0 : 1) + (proof == nil ? 0 : 1))
    writer.unsigned(0)
    writer.device(device)
    writer.unsigned(1)
    writer.text(zoneName)
    writer.unsigned(2)
    writer.text(environment.rawValue)
    if let expected {
      writer.unsigned(3)
      writer.text(expected.rawValue)
    }
    writer.unsigned(4)
    writer.schema(schema)
    if let proof {
      writer.unsigned(5)
      writer.proof(proof)
    }
    writer.unsigned(6)
    writer.integer(acknowledged)
  }
}

extension ZoneDescription: Message {
  package static var subject: String { "description of a zone" }

  package init(from reader: inout CBORReader) throws(WireError) {
    var account: String?
    var zone: ZoneID?
    var wasCreated: Bool?
    var proof: Proof?
    var lastAccepted: AcceptedGroup?
    var limits: TransportLimits?
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: account = try reader.name("account")
      case 1: zone = try reader.zone()
      case 2: wasCreated = try reader.flag("making of the zone")
      case 3: proof = try reader.proof()
      case 4: lastAccepted = try reader.acceptedGroup()
      case 5: limits = try reader.transportLimits()
      default: return false
      }
      return true
    }
    self.init(
      account: try reader.need(account, "account"), zone: try reader.need(zone, "zone"),
      wasCreated: try reader.need(wasCreated, "making of the zone"),
      proof: try reader.need(proof, "proof"), lastAccepted: lastAccepted,
      limits: try reader.need(limits, "limits"))
  }

  package func write(to writer: inout CBORWriter) {
    writer.map(lastAccepted == nil ? 5 : 6)
    writer.unsigned(0)
    writer.text(account)
    writer.unsigned(1)
    writer.text(zone.rawValue)
    writer.unsigned(2)
    writer.flag(wasCreated)
    writer.unsigned(3)
    writer.proof(proof)
    if let lastAccepted {
      writer.unsigned(4)
      writer.acceptedGroup(lastAccepted)
    }
    writer.unsigned(5)
    writer.array(2)
    writer.integer(Int64(limits.pageRecords))
    writer.integer(Int64(limits.recordBytes))
  }
}

extension CBORWriter {
  fileprivate mutating func schema(_ schema: [String: Set<String>]) {
    array(schema.count)
    for (entity, properties) in schema.sorted(by: { $0.key < $1.key }) {
      array(2)
      text(entity)
      texts(properties.sorted())
    }
  }
}

extension CBORReader {
  fileprivate mutating func environment() throws(WireError) -> ZoneEnvironment {
    let start = position
    guard let environment = ZoneEnvironment(rawValue: try name("environment")) else {
      throw error(.outOfRange, "there is no such environment", at: start)
    }
    return environment
  }

  fileprivate mutating func schema() throws(WireError) -> [String: Set<String>] {
    var schema: [String: Set<String>] = [:]
    for _ in 0..<(try array("entities", limit: WireLimits.standard.entities)) {
      try tuple("entity", of: 2)
      let start = position
      let entity = try name("entity")
      guard schema[entity] == nil else {
        throw error(.duplicateKey, "an entity stands twice", at: start)
      }
      schema[entity] = Set(try names("properties", limit: WireLimits.standard.properties))
    }
    return schema
  }

  fileprivate mutating func transportLimits() throws(WireError) -> TransportLimits {
    try tuple("limits", of: 2)
    let records = try natural("greatest number of records")
    return TransportLimits(
      pageRecords: Int(clamping: records),
      recordBytes: Int(clamping: try natural("greatest size of a record")))
  }
}
