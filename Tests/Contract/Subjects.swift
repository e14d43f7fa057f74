import Foundation
import StrandlineDirectoryTransport
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTesting
import StrandlineTransport
import Synchronization

/// A cloud in memory for each check.
struct MemorySubject: TransportSubject {
  func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
    MemoryPlace(request)
  }
}

final class MemoryPlace: TransportPlace {
  private let cloud: MemoryCloud
  private let logins = Mutex<[Int: MemoryLogin]>([:])
  private let offset: Offset

  init(_ request: PlaceRequest) {
    // The cloud's clock alone is moved on, so that the devices have been silent.
    let offset = Offset()
    cloud = MemoryCloud(
      clock: WallClock { request.clock.milliseconds + offset.milliseconds }, seed: 7,
      limits: request.limits)
    self.offset = offset
  }

  private final class Offset: Sendable {
    private let amount = Mutex<Int64>(0)
    var milliseconds: Int64 { amount.withLock { $0 } }
    func add(_ more: Int64) { amount.withLock { $0 += more } }
  }

  private func login(_ device: Int) -> MemoryLogin {
    logins.withLock { logins in
      if let known = logins[device] { return known }
      let login = MemoryLogin(.available("first"))
      logins[device] = login
      return login
    }
  }

  func connect(_ device: Int) async throws -> any Transport {
    MemoryTransport(cloud: cloud, login: login(device))
  }

  func close() async {}

  var abilities: PlaceAbilities {
    PlaceAbilities(
      expireCursors: .available { self.offset.add(100 * 24 * 3600 * 1000) },
      checkpoint: .available {
        let backup = try self.cloud.backUp()
        return { try self.cloud.restore(backup, announced: false) }
      },
      announceRestore: .available {
        try self.cloud.restore(try self.cloud.backUp(), announced: true)
      },
      signIn: .available { device, account in
        self.login(device).state = account.map { .available($0) } ?? .signedOut
      },
      deploySchema: .available { try self.cloud.deploySchema() },
      setReachable: .unavailable("a cloud in memory is there as long as the process"),
      hints: .available(()))
  }
}

/// A folder for each check.
struct DirectorySubject: TransportSubject {
  func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
    try DirectoryPlace(request)
  }
}

final class DirectoryPlace: TransportPlace {
  private let folder: TemporaryFolder
  private let request: PlaceRequest

  init(_ request: PlaceRequest) throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
    self.request = request
  }

  private var share: URL { folder.url.appending(path: "share") }

  func connect(_ device: Int) async throws -> any Transport {
    DirectoryTransport(
      path: share.path, clock: request.clock, limits: DirectoryLimits(transport: request.limits))
  }

  func close() async {}

  var abilities: PlaceAbilities {
    PlaceAbilities(
      expireCursors: .unavailable("a folder keeps what the cursors of all devices need"),
      checkpoint: .available {
        let backup = self.folder.url.appending(path: "backup")
        try FileManager.default.copyItem(at: self.share, to: backup)
        return {
          try FileManager.default.removeItem(at: self.share)
          try FileManager.default.moveItem(at: backup, to: self.share)
        }
      },
      announceRestore: .unavailable("a folder has no keeper who could announce it"),
      signIn: .unavailable("a folder has no accounts"),
      deploySchema: .unavailable("a folder carries every schema"),
      setReachable: .available { isReachable in
        let away = self.folder.url.appending(path: "away")
        try FileManager.default.moveItem(
          at: isReachable ? away : self.share, to: isReachable ? self.share : away)
      },
      hints: .available(()))
  }
}

/// Another subject's transports behind the fault-injecting one, which lets everything through.
struct FaultySubject: TransportSubject {
  let inner: any TransportSubject

  func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
    FaultyPlace(inner: try await inner.makePlace(request))
  }
}

struct FaultyPlace: TransportPlace {
  let inner: any TransportPlace
  private let panel = FaultPanel(seed: 1)

  init(inner: any TransportPlace) {
    self.inner = inner
  }

  var abilities: PlaceAbilities {
    var abilities = inner.abilities
    abilities.setReachable = .available { isReachable in
      panel.update { $0.isDown = !isReachable }
    }
    return abilities
  }

  func connect(_ device: Int) async throws -> any Transport {
    FaultyTransport(try await inner.connect(device), panel: panel, sleep: { _ in })
  }

  func close() async { await inner.close() }
}
