/// Carries changes between this device and one zone, wherever that zone is kept.
///
/// A transport moves facts and decides nothing: merging, scheduling and status are the engine's.
/// Every call may be repeated after a lost answer and must then have the effect of one call.
/// Calls come from one engine at a time, one after the other, except for ``hints()``.
///
/// What a call throws says what to do next, see ``TransportError/Remedy``. That one record is
/// refused is not an error of the call; it is one of the answers in ``SendAnswer``.
public protocol Transport: Sendable {
  /// The kind and the address together, as a person writes them: `directory:/mnt/share`.
  var specification: String { get }

  /// What holds for all zones of this transport.
  var traits: TransportTraits { get }

  /// Tells whose data would be read and written.
  func account() async throws(TransportError) -> AccountState

  /// Opens a zone, and makes it where the request allows that.
  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription

  /// Sends one page of a group; the group takes effect as a whole with its last page.
  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer

  /// Fetches what changed after a cursor.
  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage

  /// Reports what this device holds durably and tells what other devices have reported.
  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport]

  /// Removes everything in the zone and leaves word of who asked for it.
  func purge(_ request: PurgeRequest) async throws(TransportError)

  /// Tells, as long as it is listened to, that a fetch may find something.
  ///
  /// A hint is a reason to fetch and claims nothing; lost and doubled hints do no harm.
  func hints() -> AsyncStream<Hint>

  /// Tells once what the transport did by itself since this was asked last; a transport that does
  /// nothing by itself needs none of this.
  func takeWork() async -> [TransportWork]
}

/// What holds for all zones of a transport.
public struct TransportTraits: Hashable, Sendable {
  /// What the acceptance of a send proves.
  public enum Acknowledgement: Hashable, Sendable {
    /// The zone's keeper holds the changes durably.
    case stored
    /// The changes are where other devices can find them; whether they left this disk is unknown.
    case published
  }

  /// What the acceptance of a send proves.
  public var acknowledgement: Acknowledgement
  /// Whether its zones end with this process, so that a peer left from another one is gone.
  public var isEphemeral: Bool
  /// Whether somebody has to be signed in; a folder asks for nobody.
  public var hasAccounts: Bool

  /// Describes a transport.
  public init(
    acknowledgement: Acknowledgement, isEphemeral: Bool = false, hasAccounts: Bool = true
  ) {
    self.acknowledgement = acknowledgement
    self.isEphemeral = isEphemeral
    self.hasAccounts = hasAccounts
  }
}

/// A reason to fetch.
public struct Hint: Hashable, Sendable {
  /// Makes a hint.
  public init() {}
}
