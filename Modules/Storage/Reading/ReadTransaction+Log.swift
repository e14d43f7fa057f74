extension ReadTransaction {
  /// The log's last sequence in this snapshot, whether it is sealed into a transaction or not.
  package func logHead() throws -> Int64 {
    // The log may be empty after pruning; what it held is told by the transactions.
    let logged = try connection.integer("SELECT coalesce(max(sequence), 0) FROM strandline_log")
    return max(logged, try sealedHead()?.sequence ?? 0)
  }

  /// Whether the log still holds every row after a sequence.
  package func hasLog(after sequence: Int64) throws -> Bool {
    let first = try connection.first("SELECT min(sequence) FROM strandline_log") {
      $0.optionalInteger(0)
    }
    guard case .some(.some(let first)) = first else { return try logHead() <= sequence }
    return first <= sequence + 1
  }
}
