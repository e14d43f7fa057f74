import StrandlineModels

/// What a device answers to a task.
enum DeviceAnswer: Codable, Hashable, Sendable {
  /// It was done.
  case done
  /// The ids of records that were saved.
  case saved([RecordID])
  /// What a cycle was seen to do.
  case cycle(CycleSight)
  /// What was observed.
  case seen(DeviceSight)
  /// The texts of all records by their ids.
  case contents([String: String])
  /// It could not be done.
  case failed(GateFailure)
}

/// What a cycle was seen to do.
struct CycleSight: Codable, Hashable, Sendable {
  var imported: Int
  var exported: Int
  var isCaughtUp: Bool
  var failure: GateFailure?
}

/// What a device observes of itself and of one record.
struct DeviceSight: Codable, Hashable, Sendable {
  var standing: String
  var pending: Int
  /// When the store was last seen to be caught up, in milliseconds since 1970.
  var asOf: Int64?
  /// When an activity was last seen to succeed, in milliseconds since 1970.
  var lastSuccess: Int64?
  /// Why it waits or is blocked.
  var reason: String?
  /// Whether an import with records stands in the log of events as one that succeeded.
  var hasImportEvent: Bool
  var record: RecordSight?
}

/// What a device knows of one record.
struct RecordSight: Codable, Hashable, Sendable {
  /// Its text; nil where the record is not there.
  var text: String?
  /// Whether its switch is on.
  var isOn: Bool
  /// When its latest change was saved here.
  var savedAt: Int64?
  /// When the peer acknowledged that.
  var exportedAt: Int64?
  /// When it had reached the visible list.
  var shownAt: Int64?
  /// How many transactions of history changed it.
  var transactions: Int
  /// How many of those were imported.
  var imports: Int
}

/// Why something could not be done, as it travels from a device to the verification.
struct GateFailure: ExplainedError, Codable, Hashable {
  let codeName: String
  let message: String
  let advice: String
  /// Whether the transport or the authorization is to blame.
  var isTransport = false

  init(_ codeName: String, _ message: String, advice: String, isTransport: Bool = false) {
    self.codeName = codeName
    self.message = message
    self.advice = advice
    self.isTransport = isTransport
  }
}
