import StrandlineModels

/// What one of several stores says of itself at one moment.
public struct StoreStatus: Hashable, Sendable, Identifiable {
  /// Why a store cannot be looked at.
  public struct Failure: Hashable, Sendable {
    /// The stable name of the error.
    public let code: String
    /// What could not be done and why.
    public let message: String
    /// What to do about it.
    public let advice: String

    /// Takes over what an error says.
    public init(_ error: any Error) {
      let explained = error as? any ExplainedError
      code = explained?.codeName ?? "unexpected"
      message = explained?.message ?? "Could not read the status, \(error)."
      advice = explained?.advice ?? ""
    }
  }

  /// The app's own name for the store.
  public let name: String
  /// What was observed with each followed peer; one entry with peer `none` where none is.
  ///
  /// Empty before the store was looked at for the first time.
  public internal(set) var snapshots: [StatusSnapshot]
  /// What an app may show in place of records.
  public internal(set) var firstLaunch: FirstLaunch
  /// Why the store could not be opened or looked at; what was seen before stands beside it.
  public internal(set) var failure: Failure?

  /// The name, which is its own in a set of stores.
  public var id: String { name }

  /// Describes a store.
  ///
  /// - Parameters:
  ///   - name: The app's own name for the store.
  ///   - snapshots: What was observed with each followed peer.
  ///   - firstLaunch: What an app may show in place of records.
  ///   - failure: Why the store could not be looked at.
  public init(
    name: String, snapshots: [StatusSnapshot] = [], firstLaunch: FirstLaunch = .loading,
    failure: Failure? = nil
  ) {
    self.name = name
    self.snapshots = snapshots
    self.firstLaunch = firstLaunch
    self.failure = failure
  }
}
