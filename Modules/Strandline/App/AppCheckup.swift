import StrandlineHistory
import StrandlineModels
import StrandlineStatus
public import StrandlineStorage

/// What can make an app show less than its store and its peers have.
public struct AppCheckup: Sendable {
  private let store: Store

  /// Looks at a store.
  public init(_ store: Store) {
    self.store = store
  }

  /// Tells what it sees, problems or not; nothing is changed.
  ///
  /// - Returns: A finding each for views that are behind, for a store that nobody observes, for
  ///   peers of several environments, and for what arrived in part.
  /// - Throws: Errors of the store.
  public func findings() async throws -> [CheckupFinding] {
    let peers = try await store.peerItems()
    return [
      try await views(), environments(peers), batches(peers.filter(\.isFollowed)),
    ]
  }

  // MARK: Views

  /// Consumers of history are what shows changes, so one that is behind shows less.
  private func views() async throws -> CheckupFinding {
    let consumers = try await store.consumers()
    guard !consumers.isEmpty else {
      return CheckupFinding(
        "views", .ok,
        "Nobody observes history here: what others change shows when it is fetched next.")
    }
    let behind = consumers.filter { $0.behind > 0 }
    guard !behind.isEmpty else {
      return CheckupFinding(
        "views", .ok,
        "What observes history has processed all of it: \(Self.names(consumers)).")
    }
    return CheckupFinding(
      "views", .warning,
      "What observes history has not processed the latest changes, and shows older ones: "
        + behind.sorted { $0.name < $1.name }
        .map { "\($0.name) (\(Wording.count($0.behind, "transaction")))" }.joined(separator: ", ")
        + ".",
      cure: "Open the app, whose store objects look into history then. Where it is open, let their "
        + "run() go on for as long as they are shown. One that is no longer used can be removed.")
  }

  private static func names(_ consumers: [HistoryConsumer]) -> String {
    consumers.map(\.name).sorted().joined(separator: ", ")
  }

  // MARK: Environments

  private func environments(_ peers: [PeerItem]) -> CheckupFinding {
    let zones = Dictionary(grouping: peers) { "\($0.specification), zone \($0.zoneName)" }
    let mixed = zones.filter { Set($0.value.map(\.environment)).count > 1 }.keys.sorted()
    guard !mixed.isEmpty else {
      let all = Set(peers.map(\.environment)).sorted()
      return CheckupFinding(
        "environment", .ok,
        all.isEmpty ? "No peer is known." : "Peers are in \(all.joined(separator: " and ")).")
    }
    return CheckupFinding(
      "environment", .warning,
      "Development and production were both used with \(mixed.joined(separator: "; ")); what is in "
        + "one never reaches the other.",
      cure:
        "Let all devices use the same --environment. Remove the peer of the other one with peer "
        + "remove; nothing is deleted by that.")
  }

  // MARK: Batches

  private func batches(_ peers: [PeerItem]) -> CheckupFinding {
    var parts: [String] = []
    for peer in peers {
      if peer.status.isCatchingUp {
        parts.append("a long catch-up with \(peer.specification) is under way")
      }
      if peer.status.setAside > 0 {
        let count = Wording.count(peer.status.setAside, "record")
        parts.append("\(count) of what goes to \(peer.specification) set aside")
      }
    }
    if let parked = peers.first?.status.parked, parked > 0 {
      parts.append("\(Wording.count(parked, "edit")) without the record to edit")
    }
    guard !parts.isEmpty else {
      return CheckupFinding(
        "batches", .ok, "What was saved together is here together, as far as it was observed.")
    }
    return CheckupFinding(
      "batches", .warning,
      "What was saved together is not all where it should be: \(parts.joined(separator: "; ")).",
      cure: "Sync again, and look at setaside for what was refused and why.")
  }
}
