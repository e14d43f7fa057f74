import StrandlineModels

extension ReadTransaction {
  /// Records what a person has answered, and makes the peer's row ready for it.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - question: The question as the person was shown it.
  ///   - id: The peer.
  /// - Throws: `questionChanged` where the peer asks something else by now, or nothing; errors of
  ///   the store.
  package func answer(_ answer: PeerAnswer, to question: PeerQuestion, of id: Int64) throws {
    guard let asked = try peer(id), asked.question == question else {
      throw StorageError(
        .questionChanged, "Could not answer, the peer does not ask this any more.",
        advice: "Look at the peers again.")
    }
    try forgetContents(of: id)
    guard var peer = try peer(id) else { return }
    peer.answers = asked.answers + 1
    peer.clearTrouble()
    peer.lastSuccess = nil
    peer.caughtUp = nil
    peer.firstSync = .union
    switch answer {
    case .keep:
      peer.isFollowed = false
      peer.choice = .keep
    case .upload:
      peer.offerEverything(upTo: try logHead())
    case .switchOver:
      try listForFirstSync(peer: id)
      peer.choice = .apart
      // A folder tells a device by its files, and those that may stand there hold more than this.
      if peer.isPublished { try beginUnderNewIdentity() }
      try leaveUnsent(&peer)
    }
    try update(peer)
  }

  /// Lets nothing that is in the log now go to a peer, nor what was noted as lost.
  package func leaveUnsent(_ peer: inout PeerRow) throws {
    let head = try logHead()
    peer.unsentUntil = head
    peer.acknowledged = head
    peer.compareHead = 0
    peer.conflictsTold = try connection.integer(
      "SELECT coalesce(max(id), 0) FROM strandline_conflict")
    try connection.run(
      "UPDATE strandline_conflict SET unsent = unsent & ~1 WHERE unsent & 1 AND peer = ?",
      [.integer(peer.id)])
  }

  /// Takes a new identity, and makes everything pending for each folder that the store follows.
  ///
  /// A folder knows a device by the files that stand under its identity. Under the new one it has
  /// none, and would take that for a loss of what it had acknowledged.
  package func beginUnderNewIdentity() throws {
    try takeNewIdentity()
    let head = try logHead()
    for var peer in try peers() where peer.isPublished {
      peer.offerEverything(upTo: head)
      try update(peer)
    }
  }
}

// The records that were here when a first sync began.
extension ReadTransaction {
  /// Lists all records that may leave the device, the deleted ones too.
  package func listForFirstSync(peer: Int64) throws {
    try connection.run(
      "DELETE FROM strandline_first_sync WHERE peer = ?", [.integer(peer)])
    for layout in catalog.layouts where layout.entity.configuration == .synced {
      try connection.run(
        """
        INSERT INTO strandline_first_sync(peer, entity, record)
        SELECT ?, ?, id FROM \(layout.shadow) WHERE true ON CONFLICT DO NOTHING
        """, [.integer(peer), .integer(layout.number)])
    }
  }

  /// Whether a record was here when the first sync with a peer began, and its zone has not shown
  /// it since.
  package func isListedForFirstSync(_ key: PendingKey, peer: Int64) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM strandline_first_sync WHERE peer = ? AND record = ? AND entity = ?",
      [.integer(peer), key.id.value, .integer(key.entity)]
    ) { _ in true } ?? false
  }

  /// Takes a record off the list, since the peer has it.
  package func unlistForFirstSync(_ key: PendingKey, peer: Int64) throws {
    try connection.run(
      "DELETE FROM strandline_first_sync WHERE peer = ? AND record = ? AND entity = ?",
      [.integer(peer), key.id.value, .integer(key.entity)])
  }

  /// The records that are left on the list.
  package func listedForFirstSync(peer: Int64) throws -> [PendingKey] {
    try connection.map(
      "SELECT entity, record FROM strandline_first_sync WHERE peer = ?", [.integer(peer)]
    ) { row in RecordID(row.value(1)).map { PendingKey(entity: row.integer(0), id: $0) } }
    .compactMap(\.self)
  }

  /// Ends a first sync.
  package func endFirstSync(_ peer: inout PeerRow) throws {
    peer.firstSync = nil
    guard peer.hasBegunFirstSync else { return }
    peer.hasBegunFirstSync = false
    try connection.run(
      "DELETE FROM strandline_first_sync WHERE peer = ?", [.integer(peer.id)])
  }
}

extension PeerRow {
  /// Forgets why the last cycle failed.
  package mutating func clearTrouble() {
    attempts = 0
    waitingUntil = nil
    isBlocked = false
    reasonCode = nil
    reason = nil
    cure = nil
    question = nil
  }
}
