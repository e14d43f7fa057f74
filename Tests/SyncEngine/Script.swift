import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTransport

/// Makes the events that tests hand to a machine, and names the effects that come back.
enum Script {
  static let device = DeviceInfo(id: DeviceID(device: 1, epoch: 1), name: "a")
  static let successor = DeviceInfo(id: DeviceID(device: 1, epoch: 2), name: "a")
  static let proof = Proof(incarnation: 1, sequence: 5, nonce: 7)
  static let accepted = SendAnswer(
    acceptance: Acceptance(sequence: 9, position: 6, proof: proof))

  static func machine(
    _ peer: PeerRow = peer(), isEphemeral: Bool = false, limits: CycleMachine.Limits = .init()
  ) -> CycleMachine {
    CycleMachine(
      peer: peer, device: device, schema: [:], isEphemeral: isEphemeral, limits: limits)
  }

  static func importing(limits: CycleMachine.Limits = .init()) -> CycleMachine {
    var machine = machine(limits: limits)
    _ = machine.start()
    advanceToImport(&machine)
    return machine
  }

  static func advanceToImport(_ machine: inout CycleMachine) {
    _ = machine.handle(.account(.success(.available("ann"))))
    _ = machine.handle(.opened(.success(zone())))
    _ = machine.handle(reconciled())
  }

  static func exporting() -> CycleMachine {
    var machine = importing()
    _ = machine.handle(.fetched(.success(page())))
    _ = machine.handle(applied(peer()))
    return machine
  }

  static func peer(
    account: String? = nil, zone: String? = nil, cursor: [UInt8]? = nil,
    isCatchingUp: Bool = false
  ) -> PeerRow {
    var peer = PeerRow(
      id: 1, specification: "test", zoneName: "default", environment: "development")
    peer.account = account
    peer.zone = zone
    peer.cursor = cursor
    peer.isCatchingUp = isCatchingUp
    return peer
  }

  static func zone(account: String = "ann", id: String = "z") -> ZoneDescription {
    ZoneDescription(
      account: account, zone: ZoneID(rawValue: id), wasCreated: false, proof: proof,
      lastAccepted: nil, limits: TransportLimits())
  }

  static func reconciled(hasNewIdentity: Bool = false) -> CycleEvent {
    .reconciled(
      Reconciliation(
        peer: peer(account: "ann", zone: "z"), device: hasNewIdentity ? successor : device,
        hasNewIdentity: hasNewIdentity))
  }

  static func page(head: Bool = true, changes: Int = 0, cursor: [UInt8] = [1]) -> FetchPage {
    let all = (0..<changes).map {
      FetchedChange(delta: RecordDelta(key: key($0)), device: device.id)
    }
    return FetchPage(
      changes: all, cursor: Cursor(bytes: cursor), headReached: head, proof: proof)
  }

  static func applied(_ peer: PeerRow) -> CycleEvent {
    .applied(ApplyResult(peer: peer))
  }

  static func key(_ number: Int) -> RecordKey {
    RecordKey(entity: "Note", id: RecordID(text: "\(number)"))
  }

  static func group(pages: Int, isPart: Bool = false) -> OutgoingGroup {
    OutgoingGroup(
      header: GroupHeader(
        token: 1, base: 0, sequence: 9, transactionToken: 2, recordCount: pages,
        isPartOfUpload: isPart),
      pages: (0..<pages).map { [RecordDelta(key: key($0), birth: Stamp(rawValue: 5))] })
  }

  static func names(_ effects: [CycleEffect]) -> [String] { effects.map(name) }

  private static func name(_ effect: CycleEffect) -> String {
    switch effect {
    case .beginEvent(let kind): "begin \(kind.rawValue)"
    case .endEvent(let kind, _, let error): "end \(kind.rawValue)" + (error == nil ? "" : " failed")
    case .askAccount: "askAccount"
    case .openZone: "openZone"
    case .reconcile: "reconcile"
    case .renewPeer: "renewPeer"
    case .beginAnew: "beginAnew"
    case .takeNewIdentity: "takeNewIdentity"
    case .resetForCompare: "resetForCompare"
    case .fetch: "fetch"
    case .apply(let pages): "apply \(pages.count)"
    case .gather: "gather"
    case .correctClock: "correctClock"
    case .send(let page): "send \(page.page)" + (page.isLast ? " last" : "")
    case .acknowledge: "acknowledge"
    case .exchangeReceipts: "exchangeReceipts"
    case .recordReports: "recordReports"
    case .finish(.completed(let caughtUp)): "finish" + (caughtUp ? " caught up" : "")
    case .finish(.failed(_, .blocked)): "finish blocked"
    case .finish(.failed(_, .retry)): "finish retry"
    }
  }
}
