import StrandlineModels
import StrandlineTransport

/// What one device knows of the others of a zone: how far they have read it, and for how long they
/// have been silent.
struct Neighbours {
  /// The device's own sequence up to which each other one has said to have read it.
  let reported: [DeviceID: Int64]
  /// How long each has been silent, in milliseconds, at least.
  let silence: [DeviceID: Int64]
  /// After how long a silent device counts as gone, in milliseconds.
  let retiresAfter: Int64

  /// Whether a device was silent for so long that nobody waits for it any more.
  func isGone(_ device: DeviceID) -> Bool { (silence[device] ?? 0) >= retiresAfter }

  /// The device's own sequence up to which all others have read it; the greatest number where
  /// there are none.
  ///
  /// It is this writer's part of the zone's fence: conflicts before it need not be listed again.
  /// Devices that are gone hold nothing back.
  var fence: Int64 { reported.filter { !isGone($0.key) }.values.min() ?? .max }
}

extension DirectoryWorker {
  /// Looks at the other devices of a zone, given the position files.
  func neighbours(
    of device: DeviceID, _ reports: [PositionFile], in folder: ZoneFolder
  ) throws(TransportError) -> Neighbours {
    var reported: [DeviceID: Int64] = [:]
    var heard: [DeviceID: Int64] = [:]
    for writer in try writers(in: folder) where writer != device {
      reported[writer] = vectors[folder.zone]?[writer]?.vector[device] ?? 0
      heard[writer] = lastWritten(by: writer, in: folder)
    }
    for file in reports where file.device.id != device {
      let id = file.device.id
      reported[id] = max(reported[id] ?? 0, file.vector[device] ?? 0)
      heard[id] = max(heard[id] ?? 0, file.writtenAt)
    }
    var silences: [DeviceID: Int64] = [:]
    for (other, time) in heard {
      // What cannot be read tells no time, and is no witness that others are silent.
      let newest = heard.filter { $0.key != other && $0.value < .max }.values.max()
      silences[other] = silence(since: time, othersUntil: newest ?? time)
    }
    return Neighbours(
      reported: reported, silence: silences, retiresAfter: limits.retiresAfter)
  }

  /// How long a device has been silent, in milliseconds, at least.
  ///
  /// Silence is measured against what other writers have written since, and against the own clock,
  /// whichever is less: a single clock that is far ahead must not retire everybody (C10).
  func silence(since last: Int64, othersUntil newest: Int64) -> Int64 {
    min(newest, clock.milliseconds) - last
  }

  /// When a writer published last, by its own clock; nil where it has published nothing.
  private func lastWritten(by writer: DeviceID, in folder: ZoneFolder) -> Int64? {
    guard let names = readableNames(of: writer, in: folder) else { return .max }
    guard let last = WriterChain.chain(SegmentGroup.groups(of: names)).last else { return nil }
    do throws(GroupFault) {
      return try header(of: last, by: writer, in: folder).writtenAt
    } catch {
      // What is being carried is not silent.
      return .max
    }
  }
}
