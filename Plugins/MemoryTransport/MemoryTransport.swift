import StrandlineAuthority
public import StrandlineTransport

/// A device's way to a cloud in memory.
public struct MemoryTransport: Transport {
  let cloud: MemoryCloud
  private let login: MemoryLogin
  private let isEphemeral: Bool

  /// Connects a device to a cloud, by its own login or by the one that the cloud offers to all.
  public init(cloud: MemoryCloud = .shared, login: MemoryLogin? = nil) {
    self.init(cloud: cloud, login: login, isEphemeral: true)
  }

  /// Connects a device to a cloud that may pass for one that lasts: a zone that is gone or an
  /// account that has changed is then what it is with a server.
  package init(cloud: MemoryCloud, login: MemoryLogin? = nil, isEphemeral: Bool) {
    self.cloud = cloud
    self.login = login ?? cloud.login
    self.isEphemeral = isEphemeral
  }

  /// `memory`, or `memory:NAME` for a separate cloud.
  public var specification: String { cloud.specification }

  /// An acceptance proves that the cloud holds the changes, as long as this process lives.
  public var traits: TransportTraits {
    TransportTraits(acknowledgement: .stored, isEphemeral: isEphemeral)
  }

  /// Tells who is signed in.
  public func account() async throws(TransportError) -> AccountState { login.state }

  /// Opens a zone, and makes it where none was known under its name.
  public func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    let account = try login.account()
    return try cloud.withAuthority { (authority) throws(TransportError) in
      try authority.open(request, account: account)
    }
  }

  /// Sends one page of a group and, with the last one, wakes all who listen.
  public func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    let account = try login.account()
    let answer = try cloud.withAuthority { (authority) throws(TransportError) in
      try authority.send(page, account: account)
    }
    if answer.acceptance != nil { cloud.hint(account) }
    return answer
  }

  /// Fetches what changed after a cursor.
  public func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    let account = try login.account()
    return try cloud.withAuthority { (authority) throws(TransportError) in
      try authority.fetch(request, account: account)
    }
  }

  /// Reports what this device holds and tells what others have reported.
  public func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    let account = try login.account()
    return try cloud.withAuthority { (authority) throws(TransportError) in
      try authority.exchangeReceipts(receipt, account: account)
    }
  }

  /// Removes everything in a zone and wakes all who listen.
  public func purge(_ request: PurgeRequest) async throws(TransportError) {
    let account = try login.account()
    try cloud.withAuthority { (authority) throws(TransportError) in
      try authority.purge(request, account: account)
    }
    cloud.hint(account)
  }

  /// Yields after every accepted group of the account.
  public func hints() -> AsyncStream<Hint> { cloud.hints(for: login) }
}
