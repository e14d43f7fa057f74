import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineSettings
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// The kinds of places that a purge is tried in.
enum PurgePlace: String, CaseIterable, Sendable {
  case memory
  case directory
}

/// Devices that share a place which lasts, whatever kind it is.
struct PurgeScene: Sendable {
  let place: PurgePlace
  let time = TestTime()
  let cloud: MemoryCloud
  let folder: TemporaryFolder

  init(_ place: PurgePlace) throws {
    self.place = place
    cloud = MemoryCloud(clock: time.clock, seed: 1)
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
  }

  /// The place, with one that loses the answer to the first purge where that is wanted.
  func losing() -> any Transport { LosingTransport(inner: transport()) }

  func transport(login: MemoryLogin? = nil) -> any Transport {
    switch place {
    case .memory: MemoryTransport(cloud: cloud, login: login, isEphemeral: false)
    case .directory: DirectoryTransport(path: folder.path("share"), clock: time.clock)
    }
  }

  func device(_ name: String, login: MemoryLogin? = nil) async throws -> TestDevice {
    let device = try await TestDevice(name, nil, time)
    try await device.synced.use(
      FaultyTransport(transport(login: login), panel: device.panel, sleep: { _ in }))
    return device
  }

  /// Two devices that have synced what each had.
  func pair(login: MemoryLogin? = nil) async throws -> (a: TestDevice, b: TestDevice) {
    let (a, b) = (try await device("a", login: login), try await device("b"))
    try await a.insert("milk")
    try await b.insert("bread")
    for device in [a, b, a] { try await device.settle() }
    return (a, b)
  }

  /// What a device that comes new sees there.
  func seen() async throws -> Set<String> {
    let newcomer = try await device("newcomer")
    try await newcomer.sync()
    return Set(try await newcomer.names())
  }
}

extension TestDevice {
  /// Syncs, which must come to its end.
  func settle(at location: SourceLocation = #_sourceLocation) async throws {
    let report = try await sync()
    #expect(report.error == nil, "\(report.error?.description ?? "")", sourceLocation: location)
  }

  func switchState() async throws -> SyncSwitch {
    try await store.read { try $0.syncSwitch() }
  }

  func question() async throws -> PeerQuestion? { try await status()?.question }

  /// Answers what the only peer asks.
  func answer(_ answer: PeerAnswer) async throws {
    let peer = try #require(try await store.peerItems().first)
    try await synced.answer(try #require(peer.question), of: peer.id, with: answer)
  }

  /// The events of purges, oldest first: `succeeded`, or the code of the error.
  func purgeEvents() async throws -> [String] {
    try await store.events().reversed().filter { $0.kind == "purge" }.map {
      $0.errorCode ?? ($0.succeeded == true ? "succeeded" : "running")
    }
  }
}

extension TemporaryFolder {
  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path(name))
  }
}
