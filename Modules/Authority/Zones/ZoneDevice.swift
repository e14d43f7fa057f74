package import StrandlineModels
package import StrandlineTransport

/// What a zone remembers of one device.
package struct ZoneDevice: Hashable, Sendable {
  /// The device and its present name.
  package var info: DeviceInfo
  /// The sequence up to which it said to hold everything durably; nil before it said so.
  package var receipt: Int64?
  /// When it said so, in milliseconds since 1970.
  package var reportedAt: Int64 = 0
  /// Where the fence waits for it; nil where it does not.
  package var hold: Int64?
  /// When it was last heard of, in milliseconds since 1970.
  package var lastHeard: Int64
  /// Whether the same device has come back under another epoch since.
  package var isSuperseded = false
  /// Whether it is in the middle of a long upload.
  package var isUploading = false
  /// How many records its last group lacked because they had been set aside.
  package var incomplete = 0
  /// Where its last accepted group ended.
  package var lastAccepted: AcceptedGroup?

  /// Begins to remember a device.
  package init(info: DeviceInfo, lastHeard: Int64) {
    self.info = info
    self.lastHeard = lastHeard
  }

  /// The identity under which it writes.
  package var id: DeviceID { info.id }
}

/// What is kept of a device's last accepted group, so that a repetition is recognised.
package struct AcceptedMemo: Hashable, Sendable {
  /// The group.
  package var header: GroupHeader
  /// The position that was answered.
  package var position: Int64
  /// The records whose deaths were answered.
  package var deadKeys: [RecordKey]

  /// Makes a memo.
  package init(header: GroupHeader, position: Int64, deadKeys: [RecordKey]) {
    self.header = header
    self.position = position
    self.deadKeys = deadKeys
  }
}
