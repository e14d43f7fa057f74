import Foundation
import StrandlineAuthority
import StrandlineHTTPTransport
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTesting
import StrandlineTransport
import Synchronization

/// How a device reaches the server of a check.
enum Route: Sendable, CaseIterable {
  /// By a call in the process.
  case call
  /// Over a socket.
  case socket
  /// Over a socket with TLS.
  case tls
}

/// A server with a data folder of its own for each check.
struct ServerSubject: TransportSubject {
  let route: Route

  func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
    let identity = route == .tls ? try await TestCertificate.shared() : nil
    return try ServerPlace(request, route: route, identity: identity)
  }
}

/// One server, and what its keeper can do with it.
final class ServerPlace: TransportPlace {
  private let folder: TemporaryFolder
  private let route: Route
  private let identity: TestCertificate?
  private let clock: WallClock
  private let offset: Offset
  private let limits: ServerLimits
  private let desk: ServiceDesk
  private let front = Mutex<HTTPFrontEnd?>(nil)
  private let port: Mutex<UInt16>

  private final class Offset: Sendable {
    private let amount = Mutex<Int64>(0)
    var milliseconds: Int64 { amount.withLock { $0 } }
    func add(_ more: Int64) { amount.withLock { $0 += more } }
  }

  init(_ request: PlaceRequest, route: Route, identity: TestCertificate?) throws {
    folder = try TemporaryFolder()
    self.route = route
    self.identity = identity
    let offset = Offset()
    self.offset = offset
    // The server's clock alone is moved on, so that the devices have been silent.
    clock = WallClock { request.clock.milliseconds + offset.milliseconds }
    var limits = ServerLimits()
    limits.authority.transport = request.limits
    self.limits = limits
    // Where nothing listens the port is a name like any other.
    port = Mutex(route == .call ? 8321 : 0)
    desk = ServiceDesk(try Self.serve(folder, limits, clock))
    try setFront(true)
  }

  private static func open(_ folder: TemporaryFolder) throws -> SQLiteServerStorage {
    try SQLiteServerStorage(folder: folder.path("data"), create: true, ownsCheckpoints: true)
  }

  private static func serve(
    _ folder: TemporaryFolder, _ limits: ServerLimits, _ clock: WallClock
  ) throws -> Server<SQLiteServerStorage> {
    try Server(
      storage: try open(folder), limits: limits, clock: clock,
      random: SystemRandomNumberGenerator(), tokenHash: { Array($0.utf8) })
  }

  private func setFront(_ isOpen: Bool) throws {
    guard route != .call else { return desk.setOpen(isOpen) }
    if isOpen {
      var options = FrontOptions(
        address: ListenAddress(host: "127.0.0.1", port: port.withLock { $0 }))
      if let identity {
        options.identity = try TLSIdentity(
          certificateFile: identity.certificate, keyFile: identity.key)
      }
      let made = try HTTPFrontEnd(options, service: desk)
      port.withLock { $0 = made.address.port }
      front.withLock { $0 = made }
    } else {
      let old = front.withLock { front in
        defer { front = nil }
        return front
      }
      old?.stop { desk.closeStreams() }
    }
  }

  /// Does what an administrator's process does beside a server that runs.
  private func administer(
    _ work: (inout Authority<SQLiteServerStorage>) throws -> Void
  ) throws {
    var authority = Authority(
      storage: try SQLiteServerStorage(
        folder: folder.path("data"), create: false, ownsCheckpoints: false),
      clock: clock, random: SystemRandomNumberGenerator())
    try work(&authority)
    desk.lookForForeignChanges()
  }

  private func tokenFile(_ device: Int) -> String { "token-\(device)" }

  /// Signs a device in by a token in its file, or out by an empty one.
  private func sign(_ device: Int, in account: String?) throws {
    guard let account else { return try folder.write("", to: tokenFile(device)) }
    let secret = "token-of-\(account)"
    try administer { authority in
      try authority.storage.begin(.durable)
      if try authority.storage.account(named: account) == nil {
        try authority.storage.add(Account(name: account, createdAt: 0))
        try authority.storage.save(
          AccessToken(
            account: account, prefix: "token", hash: Array(secret.utf8), device: nil,
            createdAt: 0, expiresAt: nil))
      }
      try authority.storage.commit()
    }
    try folder.write(secret + "\n", to: tokenFile(device))
  }

  func connect(_ device: Int) async throws -> any Transport {
    if !FileManager.default.fileExists(atPath: folder.path(tokenFile(device))) {
      try sign(device, in: "first")
    }
    let scheme = route == .tls ? "https" : "http"
    var configuration = TransportConfiguration(
      specification: TransportSpecification("\(scheme)://127.0.0.1:\(port.withLock { $0 })"))
    configuration.tokenFile = folder.path(tokenFile(device))
    configuration.authorityFile = identity?.certificate
    return route == .call
      ? try HTTPTransport(configuration, client: CallClient(desk: desk))
      : try HTTPTransport(configuration)
  }

  func close() async {
    desk.closeStreams()
    front.withLock { $0 }?.stop { desk.closeStreams() }
  }

  /// Copies the data, and returns what puts the copy back behind the server's back.
  private func checkpoint() throws -> PlaceAbilities.Action {
    let copy = folder.path("copy-\(UUID().uuidString)")
    try administer { authority in try authority.noteBackup() }
    try desk.stop()
    try FileManager.default.copyItem(atPath: folder.path("data"), toPath: copy)
    desk.set(try Self.serve(folder, limits, clock))
    return {
      try self.desk.stop()
      try FileManager.default.removeItem(atPath: self.folder.path("data"))
      try FileManager.default.copyItem(atPath: copy, toPath: self.folder.path("data"))
      self.desk.set(try Self.serve(self.folder, self.limits, self.clock))
    }
  }

  var abilities: PlaceAbilities {
    PlaceAbilities(
      expireCursors: .available { self.offset.add(100 * 24 * 3600 * 1000) },
      checkpoint: .available { try self.checkpoint() },
      announceRestore: .available {
        try self.administer { authority in try authority.announceRestore() }
      },
      signIn: .available { device, account in try self.sign(device, in: account) },
      deploySchema: .available { try self.administer { try $0.deploySchema() } },
      setReachable: .available { isReachable in try self.setFront(isReachable) },
      hints: .available(()))
  }
}
