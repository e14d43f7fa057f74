/// What is needed to open one of several stores of an app.
///
/// ```swift
/// let opened = await SyncedStore.openAll(
///   [
///     StoreOpening("notes", at: .file("notes.sqlite"), schema: notes,
///       options: .init(zoneName: "notes", deviceName: "laptop"), transports: [share]),
///     StoreOpening("photos", at: .file("photos.sqlite"), schema: photos,
///       options: .init(zoneName: "photos", deviceName: "laptop")),
///   ], registry: Registry([.directory]))
/// for one in opened { print(one.name, one.error?.description ?? "is open") }
/// ```
public struct StoreOpening: Sendable {
  /// The app's own name for the store.
  public var name: String
  /// Where the store is.
  public var location: StoreLocation
  /// The model.
  public var schema: Schema
  /// Where and when it syncs: each store has a zone of its own.
  public var options: SyncEngine.Options
  /// How the local store is opened.
  public var storeOptions: StoreOptions
  /// The transports to follow; none leaves the store on this device.
  public var transports: [TransportConfiguration]

  /// Describes a store.
  public init(
    _ name: String, at location: StoreLocation, schema: Schema, options: SyncEngine.Options,
    storeOptions: StoreOptions = StoreOptions(), transports: [TransportConfiguration] = []
  ) {
    self.name = name
    self.location = location
    self.schema = schema
    self.options = options
    self.storeOptions = storeOptions
    self.transports = transports
  }
}

/// What became of opening one of several stores.
public struct OpenedStore: Sendable {
  /// A transport that could not be followed; the store is open without it.
  public struct Unfollowed: Sendable {
    /// The transport.
    public let transport: TransportSpecification
    /// Why it could not be followed.
    public let error: any ExplainedError
  }

  /// The app's own name for the store.
  public let name: String
  /// The store; nil where it could not be opened.
  public let store: SyncedStore?
  /// Why it could not be opened.
  public let error: (any ExplainedError)?
  /// The transports that could not be followed, each with the reason.
  public let unfollowed: [Unfollowed]
}

extension SyncedStore {
  /// Opens several stores side by side, waits for all of them, and reports each.
  ///
  /// Each store has peers, a lease, an event log and a status of its own. That one cannot be
  /// opened, or a transport of it cannot be made, changes nothing for the others.
  ///
  /// - Parameters:
  ///   - openings: The stores, each with a file of its own.
  ///   - registry: The transports that are offered.
  /// - Returns: What became of each, in their order.
  public static func openAll(
    _ openings: [StoreOpening], registry: Registry
  ) async -> [OpenedStore] {
    await withTaskGroup(of: (Int, OpenedStore).self) { group in
      for (index, opening) in openings.enumerated() {
        group.addTask { (index, await open(opening, registry)) }
      }
      var opened: [Int: OpenedStore] = [:]
      for await (index, one) in group { opened[index] = one }
      return openings.indices.compactMap { opened[$0] }
    }
  }

  private static func open(_ opening: StoreOpening, _ registry: Registry) async -> OpenedStore {
    do {
      let synced = try await open(
        opening.location, schema: opening.schema, registry: registry, options: opening.options,
        storeOptions: opening.storeOptions)
      return OpenedStore(
        name: opening.name, store: synced, error: nil,
        unfollowed: await synced.useAll(opening.transports))
    } catch {
      return OpenedStore(
        name: opening.name, store: nil, error: explained(error, opening.name), unfollowed: [])
    }
  }

  /// Follows those of the transports that can be followed.
  private func useAll(_ configurations: [TransportConfiguration]) async -> [OpenedStore.Unfollowed]
  {
    var peers: [Peer] = []
    var failed: [OpenedStore.Unfollowed] = []
    for configuration in configurations {
      do throws(TransportError) {
        if let made = try await registry.make(configuration) {
          peers.append(Peer(made, account: configuration.account))
        }
      } catch {
        failed.append(.init(transport: configuration.specification, error: error))
      }
    }
    do {
      if !store.isReadOnly { try await use(peers) }
    } catch {
      failed += peers.map { peer in
        .init(
          transport: TransportSpecification(peer.transport.specification),
          error: Self.explained(error, peer.transport.specification))
      }
    }
    return failed
  }

  private static func explained(_ error: any Error, _ name: String) -> any ExplainedError {
    (error as? any ExplainedError)
      ?? StorageError(
        .inputOutput, "Could not open '\(name)', \(error).", advice: "Try again.", cause: error)
  }
}
