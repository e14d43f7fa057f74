import Foundation
import StrandlineModels
import StrandlineTestSupport

/// One Syncthing process with a home of its own, which knows others on this machine only.
///
/// It neither announces itself nor looks for others, uses no relay, and asks nobody for anything.
final class Syncthing: Sendable {
  let name: String
  /// The folder that it carries.
  let shared: String
  let id: String
  private let folder: TemporaryFolder
  private let port: Int
  private let controlPort: Int
  private let key = "strandline-tests"

  private var home: String { folder.path("\(name)-home") }

  /// Makes the keys of a new device.
  init(_ name: String, in folder: TemporaryFolder) async throws {
    self.name = name
    self.folder = folder
    shared = folder.path("\(name)-folder")
    try folder.makeFolder("\(name)-folder/.stfolder")
    (port, controlPort) = (try Self.freePort(), try Self.freePort())
    let made = try await ChildProcess(
      folder: folder, executable: try Self.program(),
      arguments: ["generate", "--home=" + folder.path("\(name)-home"), "--no-default-folder"]
    ).run()
    let config = try folder.read("\(name)-home/config.xml")
    guard made.code == 0, let match = config.firstMatch(of: /<device id="([A-Z0-9-]{63})"/) else {
      throw CarrierError(description: "Could not make a Syncthing home: \(made.error)")
    }
    id = String(match.1)
  }

  private static func program() throws -> String {
    try BuiltTool.system("syncthing", package: "syncthing")
  }

  /// A port of the loopback device that nobody listens at now.
  private static func freePort() throws -> Int {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard handle >= 0 else { throw CarrierError(description: "Could not make a socket.") }
    defer { close(handle) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
      }
    }
    guard isBound else { throw CarrierError(description: "Could not find a free port.") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Starts to carry the folder to and from others; whoever starts it ends it.
  func start(with others: [Syncthing]) throws -> Running {
    try folder.write(configuration(others), to: "\(name)-home/config.xml")
    // Without a parent of its own that would start it again.
    return try ChildProcess(
      folder: folder, executable: "/usr/bin/env",
      arguments: [
        "STMONITORED=yes", "STNOUPGRADE=1", try Self.program(), "serve", "--home=" + home,
        "--no-browser", "--no-restart",
      ]
    ).start()
  }

  private func configuration(_ others: [Syncthing]) -> String {
    let devices = ([self] + others).map { other in
      """
      <device id="\(other.id)" name="\(other.name)" compression="never">
        <address>tcp://127.0.0.1:\(other.port)</address>
      </device>
      """
    }
    let members = ([self] + others).map { "<device id=\"\($0.id)\"></device>" }
    return """
      <configuration version="36">
        <folder id="strandline" label="strandline" path="\(shared)" type="sendreceive"
            rescanIntervalS="2" fsWatcherEnabled="true" fsWatcherDelayS="1" ignorePerms="true">
          \(members.joined())
          <minDiskFree unit="%">0</minDiskFree>
          <versioning type="trashcan"></versioning>
        </folder>
        \(devices.joined())
        <gui enabled="true" tls="false">
          <address>127.0.0.1:\(controlPort)</address>
          <apikey>\(key)</apikey>
        </gui>
        <options>
          <listenAddress>tcp://127.0.0.1:\(port)</listenAddress>
          <globalAnnounceEnabled>false</globalAnnounceEnabled>
          <localAnnounceEnabled>false</localAnnounceEnabled>
          <relaysEnabled>false</relaysEnabled>
          <natEnabled>false</natEnabled>
          <startBrowser>false</startBrowser>
          <reconnectionIntervalS>1</reconnectionIntervalS>
          <urAccepted>-1</urAccepted>
          <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
          <crashReportingEnabled>false</crashReportingEnabled>
          <stunServer></stunServer>
          <minHomeDiskFree unit="%">0</minHomeDiskFree>
          <progressUpdateIntervalS>-1</progressUpdateIntervalS>
        </options>
      </configuration>
      """
  }

  private static let request = """
    import sys, urllib.request
    request = urllib.request.Request(sys.argv[1], headers={"X-API-Key": sys.argv[2]})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    sys.stdout.write(opener.open(request, timeout=60).read().decode())
    """

  /// Asks the running process something.
  func ask(_ path: String) async throws -> JSONValue {
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltTool.system("python3", package: "python3"),
      arguments: ["-c", Self.request, "http://127.0.0.1:\(controlPort)/rest/\(path)", key]
    ).run()
    guard outcome.code == 0 else {
      throw CarrierError(description: "Could not ask Syncthing for \(path): \(outcome.error)")
    }
    return try JSONValue(parsing: outcome.output)
  }

  /// How many bytes it has sent to the others and received from them.
  func traffic() async throws -> (sent: Int64, received: Int64) {
    let total = try await ask("system/connections")["total"]
    return (total?["outBytesTotal"]?.integer ?? 0, total?["inBytesTotal"]?.integer ?? 0)
  }
}
