import StrandlineModels
package import StrandlineTransport
package import StrandlineWireFormat

extension Receipt: Message {
  package static var subject: String { "receipt" }

  package init(from reader: inout CBORReader) throws(WireError) {
    var device: DeviceInfo?
    var zone: ZoneID?
    var proof: Proof?
    var cursor: Cursor?
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: device = try reader.device()
      case 1: zone = try reader.zone()
      case 2: proof = try reader.proof()
      case 3: cursor = try reader.cursor()
      default: return false
      }
      return true
    }
    self.init(
      device: try reader.need(device, "device"), zone: try reader.need(zone, "zone"),
      proof: proof, cursor: try reader.need(cursor, "cursor"))
  }

  package func write(to writer: inout CBORWriter) {
    writer.map(proof == nil ? 3 : 4)
    writer.unsigned(0)
    writer.device(device)
    writer.unsigned(1)
    writer.text(zone.rawValue)
    if let proof {
      writer.unsigned(2)
      writer.proof(proof)
    }
    writer.unsigned(3)
    writer.blob(cursor.bytes)
  }
}

/// What the other devices of a zone have reported.
package struct DeviceReports: Message, Hashable, Sendable {
  package static var subject: String { "list of reports" }

  /// The reports.
  package var all: [DeviceReport]

  /// Wraps reports.
  package init(_ all: [DeviceReport]) { self.all = all }

  package init(from reader: inout CBORReader) throws(WireError) {
    all = []
    var reports: [DeviceReport]?
    try reader.fields("fields") { (reader, key) throws(WireError) in
      guard key == 0 else { return false }
      var found: [DeviceReport] = []
      for _ in 0..<(try reader.array("reports", limit: MessageLimits.devices)) {
        try reader.tuple("report", of: 3)
        found.append(
          DeviceReport(
            device: try reader.device(), position: try reader.natural("position"),
            reportedAt: try reader.natural("time")))
      }
      reports = found
      return true
    }
    all = try reader.need(reports, "reports")
  }

  package func write(to writer: inout CBORWriter) {
    writer.map(1)
    writer.unsigned(0)
    writer.array(all.count)
    for report in all {
      writer.array(3)
      writer.device(report.device)
      writer.integer(report.position)
      writer.integer(report.reportedAt)
    }
  }
}

extension PurgeRequest: Message {
  package static var subject: String { "request to purge a zone" }

  package init(from reader: inout CBORReader) throws(WireError) {
    var device: DeviceInfo?
    var zone: ZoneID?
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: device = try reader.device()
      case 1: zone = try reader.zone()
      default: return false
      }
      return true
    }
    self.init(
      device: try reader.need(device, "device"), zone: try reader.need(zone, "zone"))
  }

  package func write(to writer: inout CBORWriter) {
    writer.map(2)
    writer.unsigned(0)
    writer.device(device)
    writer.unsigned(1)
    writer.text(zone.rawValue)
  }
}
