public import StrandlineModels

/// What a person has to decide before a store is synced with a peer again.
///
/// It stands in the store's tables, so every process sees it, and while it is not answered nothing
/// is sent to the peer and nothing is deleted here. It goes away by itself when what was known is
/// there again.
public enum PeerQuestion: Hashable, Sendable {
  /// Somebody had everything in the zone removed: which device, and when in milliseconds since
  /// 1970, as far as that is known.
  case zonePurged(by: String?, at: Int64?)
  /// Another zone stands where the known one was.
  case zoneReplaced
  /// The zone is not there: a server that was set up anew, a folder that was emptied, another disk.
  case zoneNotFound
  /// Another account is signed in.
  case accountChanged(from: String, to: String)
}

/// What a person may answer to a ``PeerQuestion``.
public enum PeerAnswer: String, Hashable, Sendable, CaseIterable {
  /// Everything stays on this device, and the peer is not followed any more.
  case keep
  /// Everything that is here goes to the zone that is there now, or to a new one; what is there
  /// already is merged with it.
  case upload
  /// The zone that is there now is followed, or a new one, and nothing that is here goes there.
  ///
  /// Only what is made from now on is sent. A record that was here before stays on this device with
  /// all its later edits, unless the zone has it as well; then the zone's values win. So nothing of
  /// one person's reaches another person's account.
  case switchOver = "switch"
}

/// What a person has decided for good.
package enum PeerChoice: String, Sendable {
  /// Everything stays on this device.
  case keep
  /// What was here before does not go to the peer.
  case apart
}

extension PeerQuestion {
  /// The stable name, which is also the code of the error that asks.
  public var codeName: String {
    switch self {
    case .zonePurged: "zonePurged"
    case .zoneReplaced: "zoneReplaced"
    case .zoneNotFound: "zoneNotFound"
    case .accountChanged: "accountChanged"
    }
  }

  /// The question as programs read it.
  public var json: JSONValue {
    var members = [JSONValue.Member("kind", .string(codeName))]
    switch self {
    case .zonePurged(let device, let time):
      members.append(.init("by", JSONValue(device)))
      members.append(.init("at", time.map(JSONValue.integer) ?? .null))
    case .zoneReplaced, .zoneNotFound: break
    case .accountChanged(let known, let found):
      members.append(.init("from", .string(known)))
      members.append(.init("to", .string(found)))
    }
    return .object(members)
  }

  /// The question as a column holds it.
  package var text: String { json.text }

  /// Reads a column; nil for what another program wrote there.
  package init?(text: String) {
    let json: JSONValue
    do {
      json = try JSONValue(parsing: text)
    } catch {
      // The engine asks again with its next cycle.
      return nil
    }
    switch json["kind"]?.string {
    case "zonePurged": self = .zonePurged(by: json["by"]?.string, at: json["at"]?.integer)
    case "zoneReplaced": self = .zoneReplaced
    case "zoneNotFound": self = .zoneNotFound
    case "accountChanged":
      guard let known = json["from"]?.string, let found = json["to"]?.string else { return nil }
      self = .accountChanged(from: known, to: found)
    default: return nil
    }
  }
}
