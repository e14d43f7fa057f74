package import StrandlineAuthority
package import StrandlineTransport

/// Where a server keeps everything: zones, accounts, access tokens, and who the server is.
///
/// SQLite is one engine; another one conforms and changes nothing else. Calls come one after the
/// other. Those that write stand between `begin(_:)` and `commit()`, and those that read may.
package protocol ServerStorage: ZoneStorage {
  /// Who the server is.
  func identity() throws(TransportError) -> ServerIdentity
  /// Notes that everything was put back to an earlier state.
  mutating func raiseIncarnation() throws(TransportError)

  /// All accounts, by name.
  func accounts() throws(TransportError) -> [Account]
  /// The account of a name.
  func account(named name: String) throws(TransportError) -> Account?
  /// Writes a new account.
  mutating func add(_ account: Account) throws(TransportError)
  /// Removes an account with its tokens and zones.
  mutating func removeAccount(named name: String) throws(TransportError)

  /// The tokens of one account, or of all, oldest first.
  func tokens(of account: String?) throws(TransportError) -> [AccessToken]
  /// The token with a hash, also if it has expired or was revoked.
  func token(withHash hash: [UInt8]) throws(TransportError) -> AccessToken?
  /// Writes a token, new or known by its number, and returns it with its number.
  @discardableResult
  mutating func save(_ token: AccessToken) throws(TransportError) -> AccessToken

  /// A number that differs when another process has changed anything since it was last asked.
  func foreignChanges() throws(TransportError) -> Int64
}

/// Who a server is: a random name made with its data, and how often it was put back.
package struct ServerIdentity: Hashable, Sendable {
  /// The random name.
  package let id: String
  /// How often everything was announced to begin anew, from 1.
  package let incarnation: Int64

  /// Names a server.
  package init(id: String, incarnation: Int64) {
    self.id = id
    self.incarnation = incarnation
  }
}

/// Whose data a zone is.
package struct Account: Hashable, Sendable {
  /// The name, which is the account's identity.
  package let name: String
  /// When it was made, in milliseconds since 1970.
  package let createdAt: Int64

  /// Describes an account.
  package init(name: String, createdAt: Int64) {
    self.name = name
    self.createdAt = createdAt
  }
}

/// What is kept of an access token; the secret itself is not.
package struct AccessToken: Hashable, Sendable {
  /// The number by which people name it; 0 before it was written.
  package var number: Int64 = 0
  /// The account that it opens.
  package let account: String
  /// Its readable beginning.
  package let prefix: String
  /// The hash of the whole secret.
  package let hash: [UInt8]
  /// The device that it was made for, as a person named it.
  package let device: String?
  /// When it was made, in milliseconds since 1970.
  package let createdAt: Int64
  /// When it ends; nil for one that does not.
  package let expiresAt: Int64?
  /// When it was revoked, if it was.
  package var revokedAt: Int64?

  /// Describes a token.
  package init(
    account: String, prefix: String, hash: [UInt8], device: String?, createdAt: Int64,
    expiresAt: Int64?
  ) {
    self.account = account
    self.prefix = prefix
    self.hash = hash
    self.device = device
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }

  /// Whether it opens its account at a time.
  package func isUsable(at milliseconds: Int64) -> Bool {
    revokedAt == nil && expiresAt.map { milliseconds < $0 } ?? true
  }
}
