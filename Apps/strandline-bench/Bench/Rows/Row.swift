/// One row of the table: what it is called, and how it is measured.
struct Row: Sendable {
  /// What `--only` takes.
  let name: String
  /// What it measures, for `--list`.
  let summary: String
  let measure: @Sendable (BenchRun) async throws -> [Figure]

  /// All rows, in the order of the table.
  static let all: [Row] =
    storeRows + peerRows + firstSyncRows + latencyRows + costRows + sizeRows + programRows
}

/// What rows share while they are measured.
struct BenchRun: Sendable {
  let options: BenchOptions
  let workshop: Workshop
  let scenes: Scenes

  /// How many records most rows work with.
  var records: Int { options.records }
  /// How many records the largest zone has.
  var most: Int { options.mostRecords }
  /// How many measurements the median is taken of.
  var rounds: Int { options.rounds }
}
