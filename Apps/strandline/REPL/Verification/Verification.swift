import Strandline

/// Runs the gates one after the other with devices that are made for it, and leaves nothing behind.
@MainActor final class Verification {
  let place: VerificationPlace
  let reader: PeerReader
  /// The record that the first gates save and send.
  var first = RecordID()
  private(set) var results: [GateResult] = []
  private var devices: [String: any DeviceDriver] = [:]
  private let tell: (GateResult) -> Void

  init(_ place: VerificationPlace, tell: @escaping (GateResult) -> Void) {
    self.place = place
    self.tell = tell
    reader = place.reader()
  }

  /// The gates that failed.
  var failures: [GateResult] { results.filter { $0.failure != nil } }

  /// Runs all gates and cleans up, whatever happens meanwhile.
  ///
  /// - Throws: `CancellationError` after cleaning up, where the task was cancelled.
  func run() async throws {
    var broken: String?
    for gate in Gate.all {
      if Task.isCancelled { break }
      if let broken {
        note(gate, .notRun(broken), 0)
      } else if await !pass(gate), gate.isBasis {
        broken = gate.title
      }
    }
    await cleanUp()
    try Task.checkCancellation()
  }

  /// Runs a gate.
  ///
  /// - Returns: Whether it did not fail.
  private func pass(_ gate: Gate) async -> Bool {
    let start = ContinuousClock.now
    do {
      let finding = try await gate.run(self)
      switch finding {
      case .passed(let detail): note(gate, .passed(detail), Self.milliseconds(since: start))
      case .notApplicable(let reason): note(gate, .notApplicable(reason), 0)
      }
      return true
    } catch {
      if Task.isCancelled { return false }
      note(gate, .failed(GateFailure(error)), Self.milliseconds(since: start))
      return false
    }
  }

  private func note(_ gate: Gate, _ outcome: GateResult.Outcome, _ milliseconds: Int64) {
    let result = GateResult(
      name: gate.name, title: gate.title, outcome: outcome, milliseconds: milliseconds)
    results.append(result)
    tell(result)
  }

  private static func milliseconds(since start: ContinuousClock.Instant) -> Int64 {
    let time = (ContinuousClock.now - start).components
    return time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000
  }

  // MARK: Devices

  /// The device of that name, which runs and has its store open.
  func device(_ name: String, isLocal: Bool = false, pageRecords: Int? = nil) async throws
    -> any DeviceDriver
  {
    if let running = devices[name] { return running }
    let driver = try place.driver(name)
    devices[name] = driver
    do {
      try await driver.run(
        .open(place.opening(name, isLocal: isLocal, pageRecords: pageRecords)))
    } catch let failure as GateFailure where failure.codeName == "diskFull" {
      throw GateFailure(
        failure.codeName, "Could not open the store of device \(name), the disk is full.",
        advice: "Free some space where '\(place.folder)' is, or name another place in TMPDIR.")
    }
    return driver
  }

  /// The two devices between which most gates are.
  func pair() async throws -> (a: any DeviceDriver, b: any DeviceDriver) {
    (try await device("A"), try await device("B"))
  }

  /// Closes a device's store and ends it.
  func end(_ name: String) async {
    await devices.removeValue(forKey: name)?.end()
  }

  /// Ends a device as a power cut would.
  func kill(_ name: String) async {
    await devices.removeValue(forKey: name)?.kill()
  }

  // MARK: Cleaning up

  /// Ends the devices, purges the zone and removes the folder, in a task that nobody cancels.
  private func cleanUp() async {
    let isHurried = Task.isCancelled
    let ended = devices.values
    devices = [:]
    await Task {
      for device in ended {
        if isHurried { await device.kill() } else { await device.end() }
      }
      if await self.reader.isOpen || isHurried { _ = await self.pass(.purge) }
      _ = await self.pass(.removal)
    }.value
  }
}

extension Gate {
  /// What is done at the end whatever happened before.
  fileprivate static let purge = Gate(name: "purge", title: "the zone is purged") { verification in
    let reader = verification.reader
    guard await reader.isOpen else { return .passed("it was not made") }
    do {
      try await Deadline.within(20, "the peer") { try await reader.purge() }
    } catch {
      let failure = GateFailure(error)
      throw GateFailure(
        failure.codeName, failure.message,
        advice: failure.advice + " The zone \(verification.place.zone) is left over.",
        isTransport: failure.isTransport)
    }
    return .passed(verification.place.zone)
  }

  fileprivate static let removal = Gate(
    name: "removal", title: "the temporary folder is removed"
  ) { verification in
    try verification.place.removeFolder()
    return .passed("")
  }
}
