import StrandlineModels

/// What was observed of a sent group's way to other devices.
package struct ReceiptRow: Sendable, Hashable {
  package var device: String
  package var name: String
  package var position: Int64
  /// When it was reported, by the clock of whoever kept the report.
  package var reported: Int64

  package init(device: String, name: String, position: Int64, reported: Int64) {
    self.device = device
    self.name = name
    self.position = position
    self.reported = reported
  }
}

/// That a peer acknowledged this store's log up to a sequence.
package struct DeliveryRow: Sendable, Hashable {
  package var sequence: Int64
  package var position: Int64
  package var acknowledged: Int64
}

extension ReadTransaction {
  /// Records an acknowledgement; the peer's position tells later which devices have it.
  package func addDelivery(
    peer: Int64, sequence: Int64, position: Int64, at time: Int64
  ) throws {
    try connection.run(
      """
      INSERT INTO strandline_delivery(peer, sequence, position, acknowledged)
      VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
      """, [.integer(peer), .integer(sequence), .integer(position), .integer(time)])
  }

  /// The acknowledgement that covered a sequence first.
  package func delivery(of sequence: Int64, to peer: Int64) throws -> DeliveryRow? {
    try connection.first(
      """
      SELECT sequence, position, acknowledged FROM strandline_delivery
      WHERE peer = ? AND sequence >= ? ORDER BY sequence LIMIT 1
      """, [.integer(peer), .integer(sequence)]
    ) {
      DeliveryRow(
        sequence: $0.integer(0), position: $0.integer(1), acknowledged: $0.integer(2))
    }
  }

  /// Records what a device reported to hold, when that is more than was known.
  ///
  /// - Returns: Whether it was more.
  @discardableResult
  package func addReceipt(peer: Int64, _ receipt: ReceiptRow, at time: Int64) throws -> Bool {
    try connection.run(
      """
      INSERT INTO strandline_receipt(peer, device, position, name, reported, observed)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (
        SELECT 1 FROM strandline_receipt WHERE peer = ?1 AND device = ?2 AND position >= ?3)
      """,
      [
        .integer(peer), .text(receipt.device), .integer(receipt.position), .text(receipt.name),
        .integer(receipt.reported), .integer(time),
      ]) > 0
  }

  /// The first report of each device that covers a position.
  package func receipts(covering position: Int64, at peer: Int64) throws -> [ReceiptRow] {
    try connection.map(
      """
      SELECT device, name, min(position), reported FROM strandline_receipt
      WHERE peer = ? AND position >= ? GROUP BY device ORDER BY name
      """, [.integer(peer), .integer(position)], Self.receipt)
  }

  /// The latest report of each device.
  package func latestReceipts(at peer: Int64) throws -> [ReceiptRow] {
    try connection.map(
      """
      SELECT device, name, max(position), reported FROM strandline_receipt
      WHERE peer = ? GROUP BY device ORDER BY name
      """, [.integer(peer)], Self.receipt)
  }

  /// Whether a device that has reported to a peer before does not hold all that this store sent.
  package func isReceiptOutstanding(at peer: Int64) throws -> Bool {
    let own = try deviceID().description
    let sent = try connection.integer(
      "SELECT coalesce(max(position), 0) FROM strandline_delivery WHERE peer = ?",
      [.integer(peer)])
    return try latestReceipts(at: peer).contains { $0.device != own && $0.position < sent }
  }

  private static func receipt(_ row: Row) -> ReceiptRow {
    ReceiptRow(
      device: row.text(0), name: row.text(1), position: row.integer(2), reported: row.integer(3))
  }
}
