public import StrandlineModels

/// A transport as a person or a configuration names it: `memory`, `directory:/mnt/share`.
public struct TransportSpecification: Hashable, Sendable, CustomStringConvertible {
  /// The kind, such as `directory`.
  public let kind: String
  /// What follows the kind; empty where nothing does.
  public let address: String

  /// Reads `kind` or `kind:ADDRESS`.
  public init(_ text: String) {
    if let colon = text.firstIndex(of: ":") {
      kind = String(text[..<colon])
      address = String(text[text.index(after: colon)...])
    } else {
      kind = text
      address = ""
    }
  }

  /// The text form.
  public var description: String { address.isEmpty ? kind : "\(kind):\(address)" }

  /// No transport at all: the store stays on this device.
  public static let none = TransportSpecification("none")
}

/// What a transport needs to know when it is made.
public struct TransportConfiguration: Sendable {
  /// The address, without the kind.
  public var specification: TransportSpecification
  /// The file that holds an access token, if the person named one.
  public var tokenFile: String?
  /// The access token itself, where it came without a file; a file comes before it.
  public var token: Secret?
  /// The file of certificate authorities in PEM that are trusted instead of the system's.
  public var authorityFile: String?
  /// The account that must be found there, if the person named one; no other is synced with.
  public var account: String?
  /// The time of day.
  public var clock: WallClock

  /// Makes a configuration.
  public init(
    specification: TransportSpecification, tokenFile: String? = nil, token: Secret? = nil,
    authorityFile: String? = nil, account: String? = nil, clock: WallClock = .system
  ) {
    self.specification = specification
    self.tokenFile = tokenFile
    self.token = token
    self.authorityFile = authorityFile
    self.account = account
    self.clock = clock
  }
}

/// One kind of transport that an app offers.
public struct TransportKind: Sendable {
  /// The word that stands before the colon.
  public let name: String
  /// Other words for the same kind, such as `https` beside `http`.
  public let aliases: [String]
  /// How an address of this kind looks, for help and errors.
  public let addressForm: String
  /// Makes a transport.
  public let make: @Sendable (TransportConfiguration) async throws(TransportError) -> any Transport

  /// Describes a kind.
  public init(
    name: String, aliases: [String] = [], addressForm: String,
    make:
      @escaping @Sendable (TransportConfiguration) async throws(TransportError) -> any Transport
  ) {
    self.name = name
    self.aliases = aliases
    self.addressForm = addressForm
    self.make = make
  }
}

/// The kinds of transport that an app offers, each a plug-in.
///
/// An app lists them in one line: `Registry([.memory, .directory])`. The engine knows none by
/// name.
public struct Registry: Sendable {
  private let kinds: [TransportKind]

  /// Lists the kinds.
  public init(_ kinds: [TransportKind]) {
    self.kinds = kinds
  }

  /// The address forms of all kinds, `none` first.
  public var addressForms: [String] { ["none"] + kinds.map(\.addressForm) }

  /// The names of all kinds, `none` first.
  public var names: [String] { ["none"] + kinds.map(\.name) }

  /// Makes the transport that a specification names; `none` makes none.
  ///
  /// - Throws: `unknownTransport` for a kind that is not listed, and what the kind itself throws.
  public func make(
    _ configuration: TransportConfiguration
  ) async throws(TransportError) -> (any Transport)? {
    let wanted = configuration.specification
    if wanted == .none { return nil }
    guard let kind = kinds.first(where: { ([$0.name] + $0.aliases).contains(wanted.kind) }) else {
      throw TransportError(
        .unknownTransport,
        "Could not use transport '\(wanted)', there is no such kind.",
        advice: "Use one of: " + addressForms.joined(separator: ", ") + ".", remedy: .stop)
    }
    return try await kind.make(configuration)
  }
}
