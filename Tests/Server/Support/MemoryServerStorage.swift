import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Synchronization

/// What several servers in one test share, as processes share a file.
final class Cabinet: Sendable {
  struct Contents {
    var zones = MemoryZoneStorage()
    var accounts: [Account] = []
    var tokens: [AccessToken] = []
    var incarnation: Int64 = 1
    /// How often each process has committed something.
    var commits: [Int: Int64] = [:]
    /// Whether no commit finds any space.
    var isFull = false
  }

  private let contents = Mutex(Contents())

  func use<Result>(_ body: (inout sending Contents) -> sending Result) -> sending Result {
    contents.withLock { body(&$0) }
  }

  /// Makes an account with a token whose secret is known, as an administrator's process does.
  @discardableResult
  func addToken(
    _ secret: String, account: String, device: String? = nil, expiresAt: Int64? = nil
  ) -> AccessToken {
    var token = AccessToken(
      account: account, prefix: String(secret.prefix(8)), hash: Array(secret.utf8),
      device: device, createdAt: 1, expiresAt: expiresAt)
    token.number = Int64(use { $0.tokens.count + 1 })
    let made = token
    use { contents in
      if !contents.accounts.contains(where: { $0.name == account }) {
        contents.accounts.append(Account(name: account, createdAt: 1))
      }
      contents.tokens.append(made)
      contents.commits[-1, default: 0] += 1
    }
    return made
  }

  /// Revokes a token, as an administrator's process does.
  func revoke(_ secret: String) {
    use { contents in
      for index in contents.tokens.indices where contents.tokens[index].hash == Array(secret.utf8) {
        contents.tokens[index].revokedAt = 1
      }
      contents.commits[-1, default: 0] += 1
    }
  }

  var isFull: Bool {
    get { use { $0.isFull } }
    set { use { $0.isFull = newValue } }
  }
}

/// A server's storage in memory; several of one cabinet see each other's changes.
struct MemoryServerStorage: ServerStorage {
  let cabinet: Cabinet
  /// The number of the process that this stands for.
  let process: Int
  private var before: MemoryZoneStorage?
  private var hasWritten = false

  init(_ cabinet: Cabinet, process: Int = 1) {
    self.cabinet = cabinet
    self.process = process
  }

  mutating func begin(_ durability: Durability) throws(TransportError) {
    before = cabinet.use { $0.zones }
    hasWritten = false
  }

  mutating func commit() throws(TransportError) {
    guard hasWritten else { return }
    let process = process
    let isFull = cabinet.use { contents in
      if !contents.isFull { contents.commits[process, default: 0] += 1 }
      return contents.isFull
    }
    guard isFull else { return }
    throw TransportError(
      .quota, "Could not write, the disk is full.", advice: "Make space.",
      remedy: .retry(afterMilliseconds: 30_000))
  }

  mutating func rollBack() {
    guard let before else { return }
    cabinet.use { $0.zones = before }
  }

  private mutating func write(_ body: @Sendable (inout MemoryZoneStorage) -> Void) {
    hasWritten = true
    cabinet.use { body(&$0.zones) }
  }

  func identity() -> ServerIdentity {
    ServerIdentity(id: "0123abcd", incarnation: cabinet.use { $0.incarnation })
  }

  mutating func raiseIncarnation() { cabinet.use { $0.incarnation += 1 } }
  func accounts() -> [Account] { cabinet.use { $0.accounts } }

  func account(named name: String) -> Account? {
    cabinet.use { contents in contents.accounts.first { $0.name == name } }
  }

  mutating func add(_ account: Account) { cabinet.use { $0.accounts.append(account) } }

  mutating func removeAccount(named name: String) {
    cabinet.use { contents in
      contents.accounts.removeAll { $0.name == name }
      contents.tokens.removeAll { $0.account == name }
    }
  }

  func tokens(of account: String?) -> [AccessToken] {
    cabinet.use { contents in
      contents.tokens.filter { account == nil || $0.account == account }
    }
  }

  func token(withHash hash: [UInt8]) -> AccessToken? {
    cabinet.use { contents in contents.tokens.first { $0.hash == hash } }
  }

  mutating func save(_ token: AccessToken) -> AccessToken {
    cabinet.use { contents in
      if let index = contents.tokens.firstIndex(where: { $0.number == token.number }) {
        contents.tokens[index] = token
      } else {
        contents.tokens.append(token)
      }
    }
    return token
  }

  func foreignChanges() -> Int64 {
    let process = process
    return cabinet.use { contents in
      contents.commits.filter { $0.key != process }.values.reduce(0, +)
    }
  }
}

// Everything about zones is what the authority's own storage in memory does.
extension MemoryServerStorage {
  func zone(_ id: ZoneID) -> Zone? { cabinet.use { $0.zones.zone(id) } }
  func zone(named name: String, account: String, environment: ZoneEnvironment) -> Zone? {
    cabinet.use { $0.zones.zone(named: name, account: account, environment: environment) }
  }
  func zones() -> [Zone] { cabinet.use { $0.zones.zones() } }
  func nonce(of sequence: Int64, in zone: ZoneID) -> UInt64? {
    cabinet.use { $0.zones.nonce(of: sequence, in: zone) }
  }
  func record(_ key: RecordKey, in zone: ZoneID) -> ZoneRecord? {
    cabinet.use { $0.zones.record(key, in: zone) }
  }
  func holds(_ conflict: ConflictEntry, in zone: ZoneID) -> Bool {
    cabinet.use { $0.zones.holds(conflict, in: zone) }
  }
  func device(_ id: DeviceID, in zone: ZoneID) -> ZoneDevice? {
    cabinet.use { $0.zones.device(id, in: zone) }
  }
  func devices(in zone: ZoneID) -> [ZoneDevice] { cabinet.use { $0.zones.devices(in: zone) } }
  func memo(of device: DeviceID, in zone: ZoneID) -> AcceptedMemo? {
    cabinet.use { $0.zones.memo(of: device, in: zone) }
  }
  func stagedGroup(of device: DeviceID, in zone: ZoneID) -> StagedGroup? {
    cabinet.use { $0.zones.stagedGroup(of: device, in: zone) }
  }
  func stagedDeltas(of device: DeviceID, in zone: ZoneID) -> [RecordDelta] {
    cabinet.use { $0.zones.stagedDeltas(of: device, in: zone) }
  }
  func schema(of environment: ZoneEnvironment) -> [String: Set<String>] {
    cabinet.use { $0.zones.schema(of: environment) }
  }
  mutating func save(_ zone: Zone) { write { $0.save(zone) } }
  mutating func removeContents(of zone: ZoneID) { write { $0.removeContents(of: zone) } }
  mutating func addNonce(_ nonce: UInt64, of sequence: Int64, in zone: ZoneID) {
    write { $0.addNonce(nonce, of: sequence, in: zone) }
  }
  mutating func forgetNonces(before sequence: Int64, in zone: ZoneID) {
    write { $0.forgetNonces(before: sequence, in: zone) }
  }
  mutating func forgetAllNonces(in zone: ZoneID) { write { $0.forgetAllNonces(in: zone) } }
  mutating func save(_ record: ZoneRecord, in zone: ZoneID) { write { $0.save(record, in: zone) } }
  mutating func add(_ conflict: ConflictEntry, at sequence: Int64, in zone: ZoneID) {
    write { $0.add(conflict, at: sequence, in: zone) }
  }
  mutating func forgetConflicts(through sequence: Int64, in zone: ZoneID) {
    write { $0.forgetConflicts(through: sequence, in: zone) }
  }
  mutating func save(_ device: ZoneDevice, in zone: ZoneID) { write { $0.save(device, in: zone) } }
  func writtenFacts(of device: DeviceID, in zone: ZoneID) -> Set<WrittenFact> {
    cabinet.use { $0.zones.writtenFacts(of: device, in: zone) }
  }
  mutating func save(
    _ memo: AcceptedMemo, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) { write { $0.save(memo, deltas: deltas, of: device, in: zone) } }
  mutating func stage(
    _ group: StagedGroup, page: Int, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) { write { $0.stage(group, page: page, deltas: deltas, of: device, in: zone) } }
  mutating func dropStagedGroup(of device: DeviceID, in zone: ZoneID) {
    write { $0.dropStagedGroup(of: device, in: zone) }
  }
  mutating func extend(_ environment: ZoneEnvironment, by schema: [String: Set<String>]) {
    write { $0.extend(environment, by: schema) }
  }

  func readFeed(
    after sequence: Int64, deathsAfter deathsRead: Int64, in zone: ZoneID,
    visit: (FeedEntry) -> Bool
  ) {
    // A copy, since the visitor must not run under the lock.
    cabinet.use { $0.zones }.readFeed(
      after: sequence, deathsAfter: deathsRead, in: zone, visit: visit)
  }
}
