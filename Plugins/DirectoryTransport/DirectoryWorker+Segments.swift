import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

/// Why a file in the folder cannot be used now.
enum FileFault: Error, Hashable {
  /// It has not arrived whole.
  case incomplete
  /// It was listed and is not there any more.
  case gone
  /// Its name is there, and whoever carries the folder has not downloaded its content.
  case notDownloaded
  /// Its content is not what was written.
  case damaged
  /// It is in a newer format.
  case newer(format: UInt8)
  /// It belongs to another zone or writer.
  case foreign
  /// It is larger than any that this version writes.
  case tooLarge
  /// It holds stamps that lie so many milliseconds ahead of this device's clock.
  case ahead(milliseconds: Int64)
  /// The system does not give it.
  case unreadable(reason: String)

  /// Whether it lies in what the file holds, and not in the way to it.
  var isOfContent: Bool {
    switch self {
    case .gone, .notDownloaded, .unreadable: false
    case .incomplete, .damaged, .newer, .foreign, .tooLarge, .ahead: true
    }
  }
}

extension DirectoryWorker {
  /// The segment files of one writer, by their names alone.
  func segmentNames(
    of writer: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> [SegmentName] {
    try (files.list(folder.writerPath(writer)) ?? []).compactMap { entry in
      entry.kind == .file ? SegmentName(entry.name) : nil
    }
  }

  /// The writers that have a folder, in order.
  func writers(in folder: ZoneFolder) throws(TransportError) -> [DeviceID] {
    try (files.list(root + "/" + folder.writersPath) ?? []).compactMap { entry in
      entry.kind == .folder ? FolderNames.writer(entry.name) : nil
    }
  }

  /// Reads and verifies one file, which lies under its own name or under that of a copy.
  func segment(
    _ name: SegmentName, at path: String, of writer: DeviceID, in folder: ZoneFolder
  ) throws(FileFault) -> Segment {
    let bytes = try self.bytes(path)
    if !bytes.isEmpty, Hexadecimal.text(SealedFile.hash(of: bytes)) != name.hash {
      // The end of the file is not what the name says: it is cut, or it was changed.
      do throws(SealedFile.Fault) {
        _ = try SealedFile.open(bytes, as: .segment)
      } catch {
        throw error == .incomplete ? .incomplete : .damaged
      }
      throw .damaged
    }
    let segment: Segment
    do {
      segment = try Segment(decoding: bytes)
    } catch SealedFile.Fault.incomplete {
      throw .incomplete
    } catch SealedFile.Fault.newer(let format) {
      throw .newer(format: format)
    } catch let error as WireError where error.code == .newerFormat {
      throw .newer(format: SealedFile.format + 1)
    } catch {
      throw .damaged
    }
    guard segment.header.agrees(with: name, of: writer),
      folder.spaces.contains(segment.header.zone),
      segment.header.incarnation == folder.incarnation
    else { throw .foreign }
    keep(segment.header, greatest: segment.greatestStamp, of: path)
    return segment
  }

  private func bytes(_ path: String) throws(FileFault) -> [UInt8] {
    switch files.read(path, limit: limits.fileBytes) {
    case .bytes(let bytes):
      // After a power cut a file may have its length and nothing of its content.
      guard bytes.contains(where: { $0 != 0 }) else { throw .incomplete }
      return bytes
    case .missing: throw .gone
    case .notDownloaded: throw .notDownloaded
    case .notRegular: throw .foreign
    case .tooLarge: throw .tooLarge
    case .failed(let error): throw .unreadable(reason: error.message)
    }
  }

  /// The size of a group's files together, in bytes.
  func size(
    of group: SegmentGroup, by writer: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> Int {
    var size = 0
    for file in group.files {
      size += try files.size(folder.writerPath(writer) + "/" + file.text)
    }
    return size
  }

  /// Reads and verifies all files of a group, in the order of their parts.
  func segments(
    _ group: SegmentGroup, of writer: DeviceID, in folder: ZoneFolder
  ) throws(GroupFault) -> [Segment] {
    var segments: [Segment] = []
    for name in group.files {
      do throws(FileFault) {
        let segment = try segment(name, of: writer, in: folder)
        let token = segments.first?.header.groupToken ?? segment.header.groupToken
        guard segment.header.groupToken == token else { throw FileFault.damaged }
        segments.append(segment)
      } catch {
        throw GroupFault(file: name, fault: error)
      }
    }
    return segments
  }

  /// Stops where an own file cannot be read now, which says nothing about what is in it.
  func requireLasting(_ fault: GroupFault) throws(TransportError) {
    switch fault.fault {
    case .unreadable(let reason):
      throw TransportError(.unreachable, reason, remedy: .retry(afterMilliseconds: nil))
    case .notDownloaded:
      throw TransportError(
        .unreachable,
        "Could not read this device's own file \(fault.file.text) in the folder '\(root)', it is "
          + "not downloaded.",
        advice: "Let whoever carries the folder keep its files on this device.",
        remedy: .retry(afterMilliseconds: nil))
    default: return
    }
  }

  /// The end of what a device has published: its last whole group that verifies.
  func ownTail(
    of device: DeviceID, in folder: ZoneFolder, names: [SegmentName]
  ) throws(TransportError) -> (group: SegmentGroup, header: Segment.Header)? {
    let groups = SegmentGroup.groups(of: names).filter(\.isComplete)
    for group in groups.sorted(by: { $0.sequence > $1.sequence }) {
      let first = folder.writerPath(device) + "/" + group.files[0].text
      if let header = knownHeader(first) { return (group, header) }
      do throws(GroupFault) {
        guard let header = try segments(group, of: device, in: folder).first?.header else {
          continue
        }
        return (group, header)
      } catch {
        try requireLasting(error)
        // A file that was damaged after it was written counts for nobody; the one before does.
        continue
      }
    }
    return nil
  }
}

/// Which file of a group cannot be used, and why.
struct GroupFault: Error, Hashable {
  let file: SegmentName
  let fault: FileFault
}
