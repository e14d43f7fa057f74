import Foundation
import Strandline
import StrandlineModels
import StrandlineTesting

extension FolderFleet {
  /// Ends all faults and lets the devices sync until a whole round moves nothing.
  ///
  /// - Returns: What keeps the fleet from coming to rest; empty where it does.
  func heal() async throws -> [String] {
    await copier.use(.orderly)
    for index in living {
      devices[index].failures.setRate(0)
      try await connect(index, true)
    }
    var restless: [String] = []
    for _ in 0..<(12 + 4 * devices.count) {
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
          restless.append("\(devices[index].name) is not caught up.")
        } else if report.imported + report.exported > 0 {
          restless.append(
            "\(devices[index].name) imported \(report.imported) and exported \(report.exported).")
        }
      }
      if restless.isEmpty { break }
    }
    counts.failures += devices.reduce(0) { $0 + $1.failures.count }
    counts.copies += await copier.counts
    return restless.map { "Not at rest: " + $0 }
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
