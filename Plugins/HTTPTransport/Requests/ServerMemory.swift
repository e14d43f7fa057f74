import StrandlineModels
import StrandlineTransport
import Synchronization

/// Which server answered, and how often it had been put back to an earlier state.
struct ServerSighting: Hashable, Sendable {
  /// The server's random name.
  var id: String
  /// How often everything was announced to begin anew; 0 where it did not say.
  var incarnation: Int64
}

/// What one transport remembers of its server for as long as the process lives.
///
/// It decides only which hints are worth to be passed on. Whether a zone is still the known one is
/// shown by the zone itself, and by what the store has recorded of it.
final class ServerMemory: Sendable {
  private struct State {
    var server: ServerSighting?
    var devices: Set<String> = []
    var zones: Set<ZoneID> = []
  }

  private let state = Mutex(State())

  /// The server that answered last.
  var server: ServerSighting? { state.withLock { $0.server } }

  /// Notes who answered.
  func note(_ server: ServerSighting) {
    state.withLock { $0.server = server }
  }

  /// Notes a zone that is followed, and the device that does.
  func note(_ zone: ZoneID, of device: DeviceInfo) {
    state.withLock { state in
      state.zones.insert(zone)
      state.devices.insert(device.id.description)
    }
  }

  /// Whether a change of a zone concerns this device, which has not caused it.
  func isForeign(zone: ZoneID, device: String?) -> Bool {
    state.withLock { state in
      let isFollowed = state.zones.isEmpty || state.zones.contains(zone)
      return isFollowed && !(device.map(state.devices.contains) ?? false)
    }
  }
}
