import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

/// What a connection remembers of tables whose rows keep their meaning for good.
///
/// It ends with every change by another connection and with every rollback, so it never holds
/// what is not in the file.
struct ServerMemory {
  var names: [Int64: String] = [:]
  var nameNumbers: [ExactName: Int64] = [:]
  var origins: [Int64: DeviceID] = [:]
  var originNumbers: [DeviceID: Int64] = [:]
  var zoneNumbers: [ZoneID: Int64] = [:]
  var schemas: [ZoneEnvironment: [String: Set<String>]] = [:]
  /// The record that was read last in this transaction, with its rows.
  var current: StoredRecord?
}
