import StrandlineModels
import StrandlineTransport

/// What lies in one writer's folder, as a reader sees it.
struct WriterListing {
  /// The segments that can be read, under their own names or as copies.
  var names: [SegmentName] = []
  /// Why the folder could not be listed, if it could not.
  var problem: String?
}

extension DirectoryWorker {
  /// Lists one writer's folder for reading.
  ///
  /// A folder that cannot be listed stops only its own writer. A copy that a sync tool made counts
  /// as the segment that it is a copy of where that one is not there.
  func listing(of writer: DeviceID, in folder: ZoneFolder) -> WriterListing {
    let path = folder.writerPath(writer)
    let entries: [Files.Entry]
    do throws(TransportError) {
      entries = try (files.list(path) ?? []).filter { $0.kind == .file }
    } catch {
      return WriterListing(problem: error.message)
    }
    var names: [SegmentName] = []
    var strangers: [String] = []
    for entry in entries {
      if let name = SegmentName(entry.name) {
        names.append(name)
      } else if StrangerName(entry.name) == .copy {
        strangers.append(entry.name)
      }
    }
    guard !strangers.isEmpty else {
      copies.note([:], used: 0, unused: 0, in: path)
      return WriterListing(names: names)
    }
    let found = recover(strangers, besides: Set(names), of: writer, in: folder)
    return WriterListing(names: names + found)
  }

  /// The segment files of another writer, by their names; nil where they cannot be listed.
  func readableNames(of writer: DeviceID, in folder: ZoneFolder) -> [SegmentName]? {
    do throws(TransportError) {
      return try segmentNames(of: writer, in: folder)
    } catch {
      return nil
    }
  }

  /// Finds the segments that are there only as copies, and remembers all copies of segments.
  private func recover(
    _ strangers: [String], besides known: Set<SegmentName>, of writer: DeviceID,
    in folder: ZoneFolder
  ) -> [SegmentName] {
    let path = folder.writerPath(writer)
    var found: Set<SegmentName> = []
    var claims: [String: [String]] = [:]
    for stranger in strangers.prefix(SegmentCopies.limit) {
      let place = path + "/" + stranger
      guard let name = SegmentName(within: stranger) ?? named(place) else { continue }
      let isNeeded =
        !known.contains(name) && !found.contains(name)
        && !known.contains { $0.replaces(name) }
      if isNeeded {
        guard isSegment(name, at: place, of: writer, in: folder) else { continue }
        found.insert(name)
      }
      claims[path + "/" + name.text, default: []].append(place)
    }
    copies.note(claims, used: found.count, unused: strangers.count - found.count, in: path)
    return found.sorted { $0.text < $1.text }
  }

  /// Whether a copy holds a segment whole.
  private func isSegment(
    _ name: SegmentName, at place: String, of writer: DeviceID, in folder: ZoneFolder
  ) -> Bool {
    if knownHeader(place) != nil { return true }
    let mark = files.mark(place)
    guard !copies.isRejected(place, mark) else { return false }
    do throws(FileFault) {
      _ = try segment(name, at: place, of: writer, in: folder)
      return true
    } catch {
      // A copy that is still being made changes its mark when it goes on; one that cannot be read
      // now may be read later without a change.
      if error.isOfContent { copies.reject(place, mark) }
      return false
    }
  }

  /// The name that a file should have whose own name says nothing.
  private func named(_ place: String) -> SegmentName? {
    let mark = files.mark(place)
    if let name = copies.name(of: place, mark) { return name }
    guard !copies.isRejected(place, mark) else { return nil }
    switch files.read(place, limit: limits.fileBytes) {
    case .bytes(let bytes):
      if let name = SegmentName(ofSegment: bytes) {
        copies.identify(place, mark, as: name)
        return name
      }
      copies.reject(place, mark)
    case .notRegular, .tooLarge: copies.reject(place, mark)
    case .missing, .notDownloaded, .failed: break
    }
    return nil
  }

  /// Reads and verifies one file; where it cannot be used, a copy of it.
  func segment(
    _ name: SegmentName, of writer: DeviceID, in folder: ZoneFolder
  ) throws(FileFault) -> Segment {
    let path = folder.writerPath(writer) + "/" + name.text
    do throws(FileFault) {
      return try segment(name, at: path, of: writer, in: folder)
    } catch {
      for copy in copies.claims(of: path) {
        do throws(FileFault) {
          let segment = try segment(name, at: copy, of: writer, in: folder)
          keep(segment.header, greatest: segment.greatestStamp, of: path)
          return segment
        } catch {
          // What is said is the fault of the file itself; a copy is usually the worse one.
          continue
        }
      }
      throw error
    }
  }

  /// Lists the folders of all writers for one fetch.
  func list(in folder: ZoneFolder, _ pass: inout FetchPass) throws(TransportError) {
    for writer in try writers(in: folder) {
      let listing = listing(of: writer, in: folder)
      pass.groups[writer] = SegmentGroup.groups(of: listing.names)
      pass.problems[writer] = listing.problem
    }
  }
}

extension SegmentName {
  /// Whether what this segment belongs to was written in place of another one.
  fileprivate func replaces(_ other: SegmentName) -> Bool {
    generation > other.generation && base <= other.base && sequence >= other.sequence
  }

  /// The name that belongs to a segment's content; nil where that is no segment.
  fileprivate init?(ofSegment bytes: [UInt8]) {
    do {
      let header = try Segment(decoding: bytes).header
      self.init(
        base: header.base, sequence: header.sequence, generation: header.generation,
        isCover: !header.covers.isEmpty,
        tag: header.parts == 1 ? nil : DirectoryWorker.EncodedPart.tag(of: header.groupToken),
        part: header.part, parts: header.parts,
        hash: Hexadecimal.text(SealedFile.hash(of: bytes)))
    } catch {
      // Most files with such names are something else.
      return nil
    }
  }
}
