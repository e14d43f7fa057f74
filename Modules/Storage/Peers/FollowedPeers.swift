import StrandlineModels

extension ReadTransaction {
  /// The known peer of an address, a zone's name and an environment.
  package func peer(
    specification: String, zoneName: String, environment: String
  ) throws -> PeerRow? {
    try peers().first {
      $0.specification == specification && $0.zoneName == zoneName
        && $0.environment == environment
    }
  }

  /// Follows a peer: the known one of that address, or a new one.
  ///
  /// - Parameters:
  ///   - specification: The transport and its address.
  ///   - zoneName: The zone's name.
  ///   - environment: The environment.
  ///   - isPublished: Whether the peer's acceptance proves only that others can find the changes.
  ///   - firstSync: What counts where both have data, for a peer that was not synced with yet.
  /// - Returns: The peer as it is known now; one of which the person decided to stay on this device
  ///   is not followed.
  /// - Throws: Errors of the store.
  package func followPeer(
    specification: String, zoneName: String, environment: String, isPublished: Bool = false,
    firstSync: FirstSync? = nil
  ) throws -> PeerRow {
    if var known = try peer(
      specification: specification, zoneName: zoneName, environment: environment)
    {
      if known.isKept { return known }
      known.isFollowed = true
      known.isPublished = isPublished
      if let firstSync, known.firstSync != nil, !known.hasBegunFirstSync, known.cursor == nil {
        known.firstSync = firstSync
      }
      try update(known)
      return known
    }
    try connection.run(
      """
      INSERT INTO strandline_peer(specification, zone_name, environment, published, first_sync)
      VALUES (?, ?, ?, ?, ?)
      """,
      [
        .text(specification), .text(zoneName), .text(environment), .integer(isPublished ? 1 : 0),
        .text((firstSync ?? .union).rawValue),
      ])
    let id = try connection.integer("SELECT last_insert_rowid()")
    guard let made = try peer(id) else {
      throw StorageError(
        .damaged, "Could not follow '\(specification)', the store lost its row.",
        advice: "Run an integrity check of the database file.")
    }
    return made
  }

  /// Stops following all peers but those of these numbers; what is known of them stays (C19).
  package func unfollowPeers(except kept: Set<Int64> = []) throws {
    for peer in try peers() where peer.isFollowed && !kept.contains(peer.id) {
      try connection.run(
        "UPDATE strandline_peer SET followed = 0 WHERE id = ?", [.integer(peer.id)])
    }
  }

  /// Forgets a peer and everything that it showed and acknowledged (C19).
  ///
  /// History is no longer kept for it, and to follow it again is a first sync. What was imported
  /// from it stays.
  package func forgetPeer(_ id: Int64) throws {
    for table in ["delivery", "receipt", "set_aside", "held", "held_delete", "first_sync", "purge"]
    {
      try connection.run("DELETE FROM strandline_\(table) WHERE peer = ?", [.integer(id)])
    }
    try connection.run(
      """
      UPDATE strandline_switch SET pending_purge =
        EXISTS(SELECT 1 FROM strandline_purge WHERE withdrawn = 0)
      """)
    // Values that lost stay listed; nobody is left who was to be told by this peer.
    try connection.run(
      "UPDATE strandline_conflict SET unsent = unsent & ~1 WHERE peer = ?", [.integer(id)])
    try connection.run("DELETE FROM strandline_peer WHERE id = ?", [.integer(id)])
  }
}

/// Sentences as a column holds them.
enum SentenceList {
  /// A list in JSON; nil for none.
  static func text(_ sentences: [String]) -> String? {
    sentences.isEmpty ? nil : JSONValue.array(sentences.map(JSONValue.string)).text
  }

  /// The sentences of a column; none where another program wrote something else there.
  static func read(_ text: String?) -> [String] {
    guard let text else { return [] }
    do {
      return try JSONValue(parsing: text).elements?.compactMap(\.string) ?? []
    } catch {
      // The column is for people to read: what is no list is shown as it stands.
      return [text]
    }
  }
}
