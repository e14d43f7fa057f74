import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// What the folder is known to lack, as sentences, each thing once.
  ///
  /// What was not to be had for so long that its device would be retired, or is of a device that
  /// was silent for so long, is waited for no longer; it is read if it comes after all.
  func waitingFor(
    _ pass: inout FetchPass, _ reports: [PositionFile]
  ) -> (sentences: [String], givenUp: [String]) {
    let missing = missing(pass, reports)
    note(\.stuckSince, of: Set(pass.waits.keys).union(missing.keys), &pass)
    var (sentences, givenUp): ([String], [String]) = ([], [])
    func add(_ sentence: String, of writer: DeviceID, knownTo reader: DeviceID? = nil) {
      let isAnyGone = [writer, reader].compactMap(\.self).contains { isGone($0, pass, reports) }
      if isAnyGone || clock.milliseconds - pass.positions[writer].stuckSince >= limits.retiresAfter
      {
        givenUp.append("Given up, and read if it comes after all: " + sentence)
      } else {
        sentences.append(sentence)
      }
    }
    for (writer, wait) in pass.waits.sorted(by: { $0.key < $1.key }) {
      add(sentence(wait, of: writer), of: writer)
    }
    for (writer, read) in missing.sorted(by: { $0.key < $1.key }) {
      let range = Self.range(after: pass.positions[writer].sequence, upTo: read.sequence)
      add(
        "Waiting for files of \(deviceName(writer)) (\(range)), which "
          + "\(deviceName(read.reader)) has read.", of: writer, knownTo: read.reader)
    }
    return (sentences, givenUp)
  }

  /// Whether a device was silent for so long, by what others have reported since.
  private func isGone(
    _ device: DeviceID, _ pass: FetchPass, _ reports: [PositionFile]
  ) -> Bool {
    guard let last = reports.first(where: { $0.device.id == device })?.writtenAt else {
      return false
    }
    let others = reports.filter { $0.device.id != device && $0.device.id != pass.reader }
    let newest = others.map(\.writtenAt).max() ?? last
    return silence(since: last, othersUntil: newest) >= limits.retiresAfter
  }

  /// What others have read of writers and this device cannot, the furthest of each writer.
  private func missing(
    _ pass: FetchPass, _ reports: [PositionFile]
  ) -> [DeviceID: FetchPass.MissingRead] {
    var missing: [DeviceID: FetchPass.MissingRead] = [:]
    for read in pass.missing.union(Self.namedButMissing(pass, reports))
    where pass.waits[read.writer] == nil {
      guard let known = missing[read.writer] else {
        missing[read.writer] = read
        continue
      }
      if (known.sequence, known.reader) < (read.sequence, read.reader) {
        missing[read.writer] = read
      }
    }
    return missing
  }

  /// What a person may want to know besides, each thing once.
  func notices(_ pass: FetchPass, _ cut: Cut) -> [String] {
    var sentences: [String] = []
    for (writer, groups) in pass.groups.sorted(by: { $0.key < $1.key })
    where WriterChain.isForked(groups, at: pass.positions[writer]) {
      sentences.append(
        "Two copies of \(deviceName(writer)) have written under one identity; what both have "
          + "written is kept.")
    }
    for writer in cut.impatient.sorted() where cut.reach[writer] != cut.beginning(of: writer) {
      sentences.append(
        "Changes of \(deviceName(writer)) are shown although some that it had read have not "
          + "arrived; records may not fit together until they do.")
    }
    let own = untidiness.filter { $0.key.device == pass.reader }
    return sentences + own.values.sorted() + [pass.ownProblem].compactMap(\.self)
  }

  /// What devices say that they have read and that is not here.
  private static func namedButMissing(
    _ pass: FetchPass, _ reports: [PositionFile]
  ) -> Set<FetchPass.MissingRead> {
    var missing: Set<FetchPass.MissingRead> = []
    for report in reports where report.device.id != pass.reader {
      for (writer, sequence) in report.vector
      where writer != pass.reader && pass.positions[writer].sequence < sequence {
        let reader = report.device.id
        missing.insert(.init(writer: writer, sequence: sequence, reader: reader))
      }
    }
    return missing
  }

  private func sentence(_ wait: FetchPass.Wait, of writer: DeviceID) -> String {
    let name = deviceName(writer)
    switch wait {
    case .gap(let after, let end, let files):
      let count = files == 1 ? "1 file" : "\(files) files"
      return "Waiting for \(count) of \(name) (\(Self.range(after: after, upTo: end)))."
    case .fault(let fault, _) where fault.fault == .notDownloaded:
      return "1 file of \(name) is not downloaded yet: \(fault.file.text)."
    case .folder(let problem):
      return "Waiting for the files of \(name). \(problem)"
    case .fault(let fault, let after):
      let range = Self.range(after: after, upTo: fault.file.sequence)
      return "Waiting for 1 file of \(name) (\(range)), \(Self.reason(fault.fault)): "
        + "\(fault.file.text)."
    }
  }

  private static func range(after start: Int64, upTo end: Int64) -> String {
    end - start <= 1 ? "change \(end)" : "changes \(start + 1) to \(end)"
  }

  static func reason(_ fault: FileFault) -> String {
    switch fault {
    case .incomplete, .gone: "it has not arrived whole"
    case .notDownloaded: "it is not downloaded yet"
    case .damaged: "it is damaged"
    case .newer(let format):
      "it is in format \(format) and this version reads up to \(SealedFile.format)"
    case .foreign: "it belongs to another zone or device"
    case .tooLarge: "it is larger than any that this version reads"
    case .ahead(let milliseconds):
      "the clock of that device was \(Self.duration(milliseconds)) ahead"
    case .unreadable(let reason): "it cannot be read (\(reason))"
    }
  }
}
