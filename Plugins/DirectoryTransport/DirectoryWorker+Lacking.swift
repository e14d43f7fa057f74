import StrandlineModels
import StrandlineTransport

// What the folder has lost of that which this device had read, and how it comes back: the device
// offers everything that it holds, and says whose files that covers (C9, C10).

extension DirectoryWorker {
  /// Notes since when the folder lacks what was read, and whether it is time to offer it.
  ///
  /// A file may only be late, or its writer may put it back, so there is a time to wait; and of
  /// several devices that have read it one begins, the others later.
  ///
  /// - Throws: `deviceRestored` where it is the device's own files that are missing.
  func noteLacking(
    _ reports: [PositionFile], in folder: ZoneFolder, _ pass: inout FetchPass
  ) throws(TransportError) -> Bool {
    var covered: [DeviceID: Cover] = [:]
    for (writer, groups) in pass.groups {
      let covers = covers(of: groups, by: writer, in: folder)
      covered.formUnion(covers)
      if writer == pass.reader, covers.includes(pass.positions.offer) {
        pass.positions.offer = [:]
      }
    }
    var isDue = false
    for (writer, position) in pass.positions.entries where position.sequence > 0 {
      // What a folder holds that cannot be listed is not known.
      guard pass.problems[writer] == nil else { continue }
      let isWhole =
        WriterChain.reaches(
          pass.groups[writer] ?? [], from: covered[writer]?.sequence ?? 0, to: position.sequence)
        && !isStuck(writer, reports, in: folder, pass)
      let since = isWhole ? 0 : since(position.lackingSince)
      pass.positions[writer].lackingSince = since
      guard since > 0, pass.positions.offer.isEmpty,
        clock.milliseconds - since >= patience(for: writer, reports, pass)
      else { continue }
      if writer == pass.reader {
        throw restored(
          pass.reader, folder, "does not find its change \(position.sequence) there")
      }
      isDue = true
    }
    guard isDue else { return false }
    pass.positions.offer = pass.positions.everythingRead(by: pass.reader)
    return true
  }

  /// The time that was noted before, or now.
  func since(_ known: Int64) -> Int64 {
    // The clock may have been set back since; a time in the future would never be over.
    known > 0 && known <= clock.milliseconds ? known : max(1, clock.milliseconds)
  }

  /// How long this device waits: the first of those that have read most of the writer begins.
  private func patience(
    for writer: DeviceID, _ reports: [PositionFile], _ pass: FetchPass
  ) -> Int64 {
    // Nobody else will miss what this store had published under an earlier identity.
    if writer.device == pass.reader.device, writer != pass.reader { return 0 }
    let mine = pass.positions[writer].sequence
    let before = reports.filter { report in
      let theirs = report.vector[writer] ?? 0
      return report.device.id != pass.reader && report.device.id != writer
        && (theirs > mine || theirs == mine && report.device.id < pass.reader)
    }
    return limits.lackPatience * Int64(1 + before.count)
  }

  /// Whether a device stands before a file of the writer that is there and cannot be used.
  ///
  /// This device has read it when it was whole.
  private func isStuck(
    _ writer: DeviceID, _ reports: [PositionFile], in folder: ZoneFolder, _ pass: FetchPass
  ) -> Bool {
    let mine = pass.positions[writer].sequence
    let groups = pass.groups[writer] ?? []
    for report in reports
    where report.device.id != pass.reader && report.device.id != writer {
      let theirs = report.vector[writer] ?? 0
      guard theirs < mine else { continue }
      let next = WriterChain.candidates(groups, after: theirs)
      let isReadable = next.contains { group in
        do throws(GroupFault) {
          _ = try header(of: group, by: writer, in: folder)
          return true
        } catch {
          return false
        }
      }
      if !isReadable, !next.isEmpty { return true }
    }
    return false
  }

  /// The places that some groups of one writer cover.
  func covers(
    of groups: [SegmentGroup], by writer: DeviceID, in folder: ZoneFolder
  ) -> [DeviceID: Cover] {
    var covers: [DeviceID: Cover] = [:]
    for group in groups where group.isCover && group.isComplete {
      do throws(GroupFault) {
        covers.formUnion(try header(of: group, by: writer, in: folder).covers)
      } catch {
        // A group that cannot be read covers nothing.
        continue
      }
    }
    return covers
  }

  // MARK: Waiting for others

  /// Notes since when each writer's next group waits for another writer's, or for the rest of a
  /// long upload.
  func noteWaiting(_ blocked: Set<DeviceID>, _ pass: inout FetchPass) {
    note(
      \.waitingSince,
      of: blocked.union(pass.positions.entries.filter(\.value.isUploading).keys), &pass)
  }

  /// Notes a time since when something is so with some writers, and with no others.
  func note(
    _ time: WritableKeyPath<Positions.Position, Int64>, of writers: Set<DeviceID>,
    _ pass: inout FetchPass
  ) {
    for (writer, position) in pass.positions.entries
    where position[keyPath: time] > 0 && !writers.contains(writer) {
      pass.positions[writer][keyPath: time] = 0
    }
    for writer in writers {
      pass.positions[writer][keyPath: time] = since(pass.positions[writer][keyPath: time])
    }
  }

  /// The writers whose groups have waited long enough: they are read although something that
  /// their writers had read is missing.
  func impatient(_ pass: FetchPass) -> Set<DeviceID> {
    Set(pass.positions.entries.filter { hasWaitedLong($0.value) }.keys)
  }

  func hasWaitedLong(_ position: Positions.Position) -> Bool {
    position.waitingSince > 0
      && clock.milliseconds - position.waitingSince >= limits.waitPatience
  }
}

extension [DeviceID: Cover] {
  /// Whether every place of others is covered by these.
  func includes(_ others: [DeviceID: Cover]) -> Bool {
    others.allSatisfy { writer, cover in (self[writer]?.sequence ?? 0) >= cover.sequence }
  }
}

extension Positions {
  /// The places up to which a device holds everything of the others.
  func everythingRead(by reader: DeviceID) -> [DeviceID: Cover] {
    var covers: [DeviceID: Cover] = [:]
    for (writer, position) in entries where writer != reader && position.sequence > 0 {
      covers[writer] = Cover(sequence: position.sequence, link: position.link)
    }
    return covers
  }
}
