/// A record anywhere: its entity's permanent key and its id.
public struct RecordKey: Hashable, Sendable {
  /// The entity's permanent key, its first name.
  public let entity: String
  /// The record's id.
  public let id: RecordID

  /// Names a record.
  public init(entity: String, id: RecordID) {
    self.entity = entity
    self.id = id
  }
}

/// One writing of one property: the life it belongs to, when it was written, and the value.
///
/// Versions are compared in that order; the greatest is the value that shows.
public struct Version: Hashable, Comparable, Sendable {
  /// The birth stamp of the life that the writer saw.
  public var life: Stamp
  /// When the value was written.
  public var stamp: Stamp
  /// The value.
  public var value: Value

  /// Makes a version.
  public init(life: Stamp, stamp: Stamp, value: Value) {
    self.life = life
    self.stamp = stamp
    self.value = value
  }

  /// Orders by life, then stamp, then value.
  public static func < (left: Version, right: Version) -> Bool {
    if left.life != right.life { return left.life < right.life }
    if left.stamp != right.stamp { return left.stamp < right.stamp }
    return left.value < right.value
  }
}

/// The end of a life: which life was deleted, and when.
public struct Death: Hashable, Comparable, Sendable {
  /// The birth stamp of the life that was deleted; it and all earlier lives are over.
  public var life: Stamp
  /// When it was deleted, for history and for identity-keyed records.
  public var stamp: Stamp

  /// Makes a death.
  public init(life: Stamp, stamp: Stamp) {
    self.life = life
    self.stamp = stamp
  }

  /// Orders by life, then time.
  public static func < (left: Death, right: Death) -> Bool {
    left.life != right.life ? left.life < right.life : left.stamp < right.stamp
  }
}

/// What happened to one record: a birth, a death, versions of properties, or several of them.
///
/// A delta is a set of facts. Applying the same facts in any order, in any portions and any
/// number of times gives the same record.
public struct RecordDelta: Hashable, Sendable {
  /// The record.
  public var key: RecordKey
  /// The birth stamp of a life that began, if one did.
  public var birth: Stamp?
  /// The end of a life, if one ended.
  public var death: Death?
  /// Versions by the permanent key of their property.
  public var versions: [String: Version]

  /// Makes a delta.
  public init(
    key: RecordKey, birth: Stamp? = nil, death: Death? = nil, versions: [String: Version] = [:]
  ) {
    self.key = key
    self.birth = birth
    self.death = death
    self.versions = versions
  }

  /// Whether the delta says nothing.
  public var isEmpty: Bool { birth == nil && death == nil && versions.isEmpty }

  /// The greatest stamp in it, which the receiving clock must be lifted over.
  public var greatestStamp: Stamp {
    var greatest = max(birth ?? .unset, death.map { max($0.stamp, $0.life) } ?? .unset)
    for version in versions.values { greatest = max(greatest, version.stamp, version.life) }
    return greatest
  }
}
