import Strandline

/// What one check works with: its place, its time, and devices that meet there.
struct ContractScene: Sendable {
  let subject: any TransportSubject
  let place: any TransportPlace
  let judge: ErrorJudge
  let time: VirtualTime
  /// How long to wait for what comes by itself.
  let patience: Duration

  /// Small enough that a check reaches them quickly.
  static let limits = TransportLimits(pageRecords: 50, recordBytes: 64 << 10)

  init(_ subject: any TransportSubject, judge: ErrorJudge, patience: Duration) async throws {
    let time = VirtualTime(startingAt: WallClock.system.milliseconds)
    self.subject = subject
    self.judge = judge
    self.patience = patience
    self.time = time
    place = try await subject.makePlace(
      PlaceRequest(clock: time.clock(aheadBy: 0), limits: Self.limits))
  }

  func close() async {
    await place.close()
  }

  /// Another connection to the place.
  func connect(_ number: Int) async throws -> any Transport {
    JudgedTransport(inner: try await place.connect(number), judge: judge)
  }

  /// A device that has opened the usual zone.
  func device(_ number: Int, epoch: UInt32 = 1) async throws -> ContractDevice {
    let device = try await unopened(number, epoch: epoch)
    try await device.open()
    return device
  }

  /// Several devices that have opened the usual zone.
  func devices(_ count: Int) async throws -> [ContractDevice] {
    var devices: [ContractDevice] = []
    for number in 1...count { devices.append(try await device(number)) }
    return devices
  }

  /// A device that is connected and has opened nothing.
  func unopened(_ number: Int, epoch: UInt32 = 1) async throws -> ContractDevice {
    ContractDevice(
      number: number, epoch: epoch, transport: try await connect(number), time: time)
  }

  /// Two devices of which the second has read what the first sent.
  func pair(sharing ids: [String] = ["a"]) async throws -> (ContractDevice, ContractDevice) {
    let (one, two) = (try await device(1), try await device(2))
    try await one.send(ids.map { one.note($0, title: $0) })
    try await two.readAll()
    return (one, two)
  }
}
