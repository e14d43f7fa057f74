import StrandlineModels
import StrandlineTransport

// A folder has no judge who compares clocks. A stamp from far ahead would win for as long as it
// lies there, and would drag the clocks of all who read it with it. So it is not published, and
// not read; the file stays where it is, and its writer is named (C15).

extension DirectoryWorker {
  /// Refuses a page whose stamps lie ahead of this device's own clock, which was set back since.
  func requirePresent(_ page: SendPage) throws(TransportError) {
    let greatest = page.deltas.map(\.greatestStamp).max() ?? .unset
    let ahead = greatest.milliseconds - clock.milliseconds
    guard ahead > limits.futureMilliseconds else { return }
    throw TransportError(
      .clockSkew,
      "Could not publish changes in the folder '\(root)', their times lie "
        + "\(Self.duration(ahead)) ahead of this device's clock.",
      advice: "Set this device's clock.", remedy: .fixClock,
      context: TransportError.clockContext(
        aheadBy: ahead, now: nil, bound: limits.futureMilliseconds))
  }

  /// Stops before a group of another writer whose stamps lie ahead of this device's clock.
  func requirePresent(
    _ group: SegmentGroup, by writer: DeviceID, in folder: ZoneFolder
  ) throws(GroupFault) {
    for file in group.files {
      let stamp = knownStamp(folder.writerPath(writer) + "/" + file.text) ?? .unset
      let ahead = stamp.milliseconds - clock.milliseconds
      guard ahead <= limits.futureMilliseconds else {
        throw GroupFault(file: file, fault: .ahead(milliseconds: ahead))
      }
    }
  }

  /// A length of time in a sentence, in the unit that fits.
  static func duration(_ milliseconds: Int64) -> String {
    let hours = milliseconds / 3_600_000
    let (number, unit) = hours < 48 ? (hours, "hour") : (hours / 24, "day")
    return number == 1 ? "1 \(unit)" : "\(number) \(unit)s"
  }
}

extension Segment {
  /// The greatest stamp in it.
  var greatestStamp: Stamp {
    max(
      deltas.map(\.greatestStamp).max() ?? .unset,
      header.conflicts.map { max($0.loser.stamp, $0.loser.life) }.max() ?? .unset)
  }
}
