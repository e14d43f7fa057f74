import StrandlineTransport

extension DeviceInfo {
  /// The greatest length of a device's name in bytes.
  static let nameLimit = 4096

  /// The name as it may stand in a sentence: one line, not too long, never empty.
  var shownName: String {
    let plain = name.map { character in
      character.unicodeScalars.contains(where: \.isControl) ? " " : character
    }
    let short = String(plain).prefix(60).trimmingSpaces()
    return short.isEmpty ? "device \(id)" : short
  }

  /// The same device with a name that every reader takes.
  var bounded: DeviceInfo {
    name.utf8.count <= Self.nameLimit
      ? self : DeviceInfo(id: id, name: String(name.unicodeScalars.prefix(200)))
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}

extension Substring {
  fileprivate func trimmingSpaces() -> String {
    let start = drop { $0 == " " }
    guard let end = start.lastIndex(where: { $0 != " " }) else { return "" }
    return String(start[...end])
  }
}
