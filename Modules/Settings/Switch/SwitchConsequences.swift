/// What a person can do with the switch.
public enum SwitchChange: Hashable, Sendable {
  /// Switch sync on.
  case on
  /// Switch sync off and leave the cloud copies as they are.
  case off
  /// Switch sync off and have the cloud copies purged.
  case offWithPurge
}

/// What a change of the switch would do, as far as the store can tell, before it is made.
///
/// A person is shown ``sentences(_:)`` and asked; a change that is not confirmed has changed
/// nothing.
public struct SwitchConsequences: Hashable, Sendable {
  /// A followed zone.
  public struct Zone: Hashable, Sendable {
    /// The transport and its address as the person wrote them.
    public var peer: String
    /// Whether it was synced with, so that a copy of records may be there.
    public var hasCopy: Bool
    /// Whether it is a folder that something else carries.
    public var isFolder: Bool
    /// The other devices that were heard of there.
    public var devices: [Device]

    /// Describes a zone.
    public init(peer: String, hasCopy: Bool, isFolder: Bool = false, devices: [Device] = []) {
      self.peer = peer
      self.hasCopy = hasCopy
      self.isFolder = isFolder
      self.devices = devices
    }
  }

  /// Another device that was heard of.
  public struct Device: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// When it last reported what it holds, in milliseconds since 1970.
    public var lastHeard: Int64

    /// Names a device.
    public init(name: String, lastHeard: Int64) {
      self.name = name
      self.lastHeard = lastHeard
    }
  }

  /// The change.
  public var change: SwitchChange
  /// Whether it changes anything at all.
  public var changesAnything = true
  /// How many records are here that may leave the device.
  public var records = 0
  /// How many records have changes that no followed peer has acknowledged.
  public var unsent = 0
  /// How many values lost to others and are kept in the list of conflicts.
  public var conflicts = 0
  /// How many deletes from elsewhere wait for the person's word.
  public var heldDeletes = 0
  /// The followed zones.
  public var zones: [Zone] = []
  /// The cloud copies whose purge is still pending, and which switching on would drop.
  public var pendingPurges: [String] = []

  /// Describes a change.
  public init(_ change: SwitchChange) {
    self.change = change
  }

  /// Whether more follows than that syncing goes on where it was.
  public var isWorthAsking: Bool {
    change != .on || !pendingPurges.isEmpty || zones.contains { !$0.hasCopy && records > 0 }
  }

  /// What would follow, one sentence after the other.
  ///
  /// - Parameter time: Writes a moment that lies in the past, given in milliseconds since 1970.
  /// - Returns: The sentences, those about loss first.
  public func sentences(_ time: (Int64) -> String) -> [String] {
    SwitchWording.consequences(self, time)
  }
}
