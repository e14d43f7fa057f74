import StrandlineModels
import StrandlineTransport

/// The files that carry markers, and what is found when they are read.
enum MarkerFile {
  /// The newest format of a zone that this version reads, and the one that it writes.
  static let format: Int64 = 1
  private static let byteLimit = 1 << 20

  /// What a zone's folder says about itself.
  struct Contents: Hashable, Sendable {
    var spaces: [SpaceMarker] = []
    var joins: [JoinMarker] = []
    var purges: [PurgeMarker] = []
    /// The greatest format that is newer than this version, if any is.
    var newerFormat: Int64?
    /// Files that are named like markers and have not arrived whole.
    var unreadable: [String] = []
    /// How many copies of markers a sync tool has made that are not needed.
    var copies = 0
    /// Whether there is anything else that looks like a zone's data.
    var hasData = false
  }

  /// The name and the bytes of a marker's file.
  static func file(of marker: some Marker) -> (name: String, bytes: [UInt8]) {
    let json = JSONValue.object([.init("format", .integer(format))] + marker.members)
    let bytes = Array((json.prettyText + "\n").utf8)
    let hash = Hexadecimal.text(ContentHash.of(bytes))
    return ("\(marker.stem).\(hash).\(type(of: marker).kind).json", bytes)
  }

  /// Reads all markers of a zone's folder; nil where there is no folder.
  static func contents(of folder: String, files: Files) throws(TransportError) -> Contents? {
    guard let entries = try files.list(folder) else { return nil }
    var contents = Contents()
    for entry in entries {
      if entry.kind == .folder, entry.name.first == "i", Int64(entry.name.dropFirst()) != nil {
        contents.hasData = true
      }
      guard entry.kind == .file, let name = Name(entry.name) else { continue }
      try contents.add(name, entry.name, in: folder, files: files)
    }
    let names = Set(entries.map(\.name))
    for entry in entries where entry.kind == .file && StrangerName(entry.name) == .copy {
      guard Name(entry.name) == nil else { continue }
      contents.copies += 1
      // A marker that is there only as a copy says the same as under its own name.
      if let name = Name(within: entry.name), !names.contains(name.text) {
        try contents.addCopy(name, entry.name, in: folder, files: files)
      }
    }
    return contents
  }

  /// Whether a file is named like a purge.
  static func isPurge(_ name: String) -> Bool { Name(name)?.kind == PurgeMarker.kind }

  /// The parts of a marker's name.
  fileprivate struct Name {
    let stem: String
    let hash: String
    let kind: String

    init?(_ text: String) {
      let fields = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, fields[3] == "json",
        [SpaceMarker.kind, JoinMarker.kind, PurgeMarker.kind].contains(fields[2]),
        Hexadecimal.bytes(fields[1])?.count == ContentHash.length
      else { return nil }
      (stem, hash, kind) = (fields[0], fields[1], fields[2])
    }

    /// Finds the marker that a copy's name speaks of; see ``SegmentName/init(within:)``.
    init?(within name: String) {
      let fields = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
      guard fields.count >= 4, let stem = fields[0].split(separator: " ").last else { return nil }
      let kind = fields[2].prefix { $0.isLetter }
      self.init("\(stem).\(fields[1]).\(kind).json")
    }

    var text: String { "\(stem).\(hash).\(kind).json" }
  }

  fileprivate static func json(
    _ name: Name, at path: String, files: Files
  ) throws(TransportError) -> JSONValue? {
    switch files.read(path, limit: byteLimit) {
    case .bytes(let bytes):
      guard Hexadecimal.text(ContentHash.of(bytes)) == name.hash,
        let text = String(validating: bytes, as: UTF8.self)
      else { return nil }
      do throws(JSONError) {
        return try JSONValue(parsing: text)
      } catch {
        // The hash is right, so a writer wrote it so: it is not one of ours.
        return nil
      }
    case .failed(let error): throw error
    case .missing, .notRegular, .tooLarge, .notDownloaded: return nil
    }
  }
}

extension MarkerFile.Contents {
  /// Takes a copy of a marker if it is whole; one that is not says nothing.
  fileprivate mutating func addCopy(
    _ name: MarkerFile.Name, _ fileName: String, in folder: String, files: Files
  ) throws(TransportError) {
    var found = self
    try found.add(name, fileName, in: folder, files: files)
    guard found.unreadable == unreadable else { return }
    self = found
    copies -= 1
  }

  fileprivate mutating func add(
    _ name: MarkerFile.Name, _ fileName: String, in folder: String, files: Files
  ) throws(TransportError) {
    guard let json = try MarkerFile.json(name, at: folder + "/" + fileName, files: files),
      let format = json["format"]?.integer
    else {
      unreadable.append(fileName)
      return
    }
    guard format <= MarkerFile.format else {
      newerFormat = max(format, newerFormat ?? 0)
      return
    }
    if name.kind == SpaceMarker.kind, let marker = SpaceMarker(stem: name.stem, json: json) {
      spaces.append(marker)
    } else if name.kind == JoinMarker.kind, let marker = JoinMarker(stem: name.stem, json: json) {
      joins.append(marker)
    } else if name.kind == PurgeMarker.kind, let marker = PurgeMarker(stem: name.stem, json: json) {
      purges.append(marker)
    } else {
      unreadable.append(fileName)
    }
  }
}
