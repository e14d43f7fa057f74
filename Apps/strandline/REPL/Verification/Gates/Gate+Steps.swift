import Strandline

// What several gates do with their devices.
extension Gate {
  /// How many changes wait, in words.
  static func waiting(_ count: Int) -> String {
    Wording.count(count, "change") + (count == 1 ? " waits" : " wait")
  }

  /// Runs a cycle on one device and then on the other, so that the first one's changes arrive.
  @MainActor static func pass(
    from writer: any DeviceDriver, to other: any DeviceDriver
  ) async throws {
    try await writer.sync()
    try await other.sync()
  }

  /// Looks whether a device shows a text for a record; nil means that the record is gone.
  @MainActor static func expect(
    _ id: RecordID, on device: any DeviceDriver, _ text: String?
  ) async throws {
    let found = try await device.record(id).text
    try GateFailure.expect(
      found == text,
      "Could not see the change on \(device.name), "
        + (found == nil ? "the record is not there." : "the record holds something else."))
  }

  /// Saves on a device whose cycle then fails, and looks whether it says so.
  @MainActor static func saveWithoutPeer(
    _ device: any DeviceDriver, _ text: String
  ) async throws -> DeviceSight {
    let id = try await device.insert(text)
    let cycle = try await device.cycle()
    try GateFailure.expect(
      cycle.failure != nil && !cycle.isCaughtUp,
      "Could not see the failure on \(device.name), its cycle claims to have come to its end.")
    let sight = try await device.look(id)
    try GateFailure.expect(
      sight.record?.text == text, "Could not see the save on \(device.name), the record is gone.")
    try GateFailure.expect(
      sight.pending > 0 && sight.standing != "caughtUp" && sight.record?.exportedAt == nil,
      "Could not trust the status of \(device.name), it is \(sight.standing) with "
        + "\(Wording.count(sight.pending, "change")) waiting.")
    return sight
  }

  /// Runs a cycle, after which nothing may wait any more.
  @MainActor static func expectCaughtUp(_ device: any DeviceDriver) async throws {
    try await device.sync()
    let sight = try await device.look()
    try GateFailure.expect(
      sight.pending == 0,
      "Could not see \(device.name) go on, \(waiting(sight.pending)).")
  }
}
