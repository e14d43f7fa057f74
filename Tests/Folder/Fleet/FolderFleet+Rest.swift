import Foundation
import Strandline
import StrandlineModels
import StrandlineTesting

extension FolderFleet {
  /// How long one round of healing takes, in milliseconds: 26 hours.
  private static let round: Int64 = 26 * 3_600_000

  /// Ends all faults and lets the devices sync until a day passes in which nothing moves.
  ///
  /// Some things are done only after hours of patience, so each round is longer than any of them.
  ///
  /// - Returns: What keeps the fleet from coming to rest; empty where it does.
  func heal() async throws -> [String] {
    await copier.use(.orderly)
    for index in living {
      devices[index].failures.setRate(0)
      try await connect(index, true)
    }
    try await outliveTheDead()
    var restless: [String] = []
    var quietRounds = 0
    for _ in 0..<(12 + 4 * devices.count) where quietRounds < 2 {
      time.advance(by: Self.round)
      restless = []
      let carried = try await copier.carryEverything()
      if !carried.isEmpty {
        let names = Set(carried).sorted().prefix(4).joined(separator: ", ")
        restless.append("\(carried.count) files were carried: \(names).")
      }
      for index in living {
        time.advance(by: 5)
        guard let report = try await sync(index) else { continue }
        if let error = report.error {
          restless.append("\(devices[index].name): \(error)")
        } else if report.caughtUpAt == nil {
          restless.append("\(devices[index].name) is not caught up: \(report.waitingFor)")
        } else if report.imported + report.exported > 0 {
          restless.append(
            "\(devices[index].name) imported \(report.imported) and exported \(report.exported).")
        }
      }
      quietRounds = restless.isEmpty ? quietRounds + 1 : 0
    }
    counts.failures += devices.reduce(0) { $0 + $1.failures.count }
    counts.copies += await copier.counts
    return restless.map { "Not at rest: " + $0 }
  }

  /// Lets so much time pass that devices which are gone are given up, while the others are in use.
  private func outliveTheDead() async throws {
    // A machine that is put back is a device, too, that nobody hears of again: the one it had been.
    let isPutBack = counts.turns[.machineRestored, default: 0] > 0
    guard isPutBack || devices.contains(where: \.isDead) else { return }
    // What is missing of the dead has to be seen to be missing before it can be given up.
    try await copier.carryEverything()
    for index in living { try await sync(index) }
    time.advance(by: 400 * 86_400_000)
    for index in living {
      try await edit(index)
      try await sync(index)
    }
  }

  /// What is not as it should be once the fleet has healed; empty where all is well.
  func findings(comparesConflicts: Bool) async throws -> [String] {
    var findings: [String] = []
    var first: (name: String, dump: FleetDump)?
    for index in living {
      guard let store = devices[index].synced?.store else { continue }
      let name = devices[index].name
      let (dump, faults) = try await store.read { read in
        (try FleetDump(read), try Self.faults(read))
      }
      findings += (dump.damage + faults).map { "\(name): \($0)" }
      for status in try await store.status(deviceName: name) where status.pending > 0 {
        findings.append("\(name) has \(status.pending) changes pending.")
      }
      if let first {
        findings += dump.differences(from: first.dump, comparesConflicts: comparesConflicts)
          .map { "\(name) differs from \(first.name): \($0)" }
      } else {
        first = (name, dump)
      }
    }
    return findings
  }

  /// Broken invariants, and foreign keys that dangle without being listed as orphans.
  private static func faults(_ read: ReadTransaction) throws -> [String] {
    var faults = try read.brokenInvariants().map(\.description)
    let dangling = try read.table(of: "PRAGMA foreign_key_check").rows.count
    let listed = try read.orphans(limit: 100_000).count
    if dangling != listed {
      faults.append("\(dangling) references dangle, \(listed) are listed.")
    }
    return faults
  }

  /// Closes all stores.
  func end() async {
    for index in living { await close(index) }
  }
}
