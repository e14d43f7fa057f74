import StrandlineModels

/// The names that the transport gives to folders: ASCII, lower case, short, valid everywhere.
enum FolderNames {
  private static let readableLength = 40
  private static let reserved: Set<String> = Set(
    ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

  /// The folder of a zone, from the name that people chose; other names have other folders.
  ///
  /// Letters, digits, dashes and inner dots stand for themselves, other bytes as an underscore
  /// and two hexadecimal digits. Long names end in a hash.
  static func zone(_ name: String) -> String {
    let bytes = Array(name.utf8)
    var out = ""
    for (index, byte) in bytes.enumerated() {
      let isEdge = index == 0 || index == bytes.count - 1
      if isPlain(byte) || (byte == UInt8(ascii: ".") && !isEdge) {
        out.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        out += "_" + Hexadecimal.text([byte])
      }
    }
    if out.isEmpty { return "_" }
    let stem = out.prefix { $0 != "." }
    if reserved.contains(String(stem)), let first = bytes.first {
      out = "_" + Hexadecimal.text([first]) + out.dropFirst()
    }
    guard out.utf8.count > 2 * readableLength else { return out }
    return out.prefix(readableLength) + "_h" + Hexadecimal.text(ContentHash.of(bytes))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The device that a writer's folder belongs to; nil for a folder of anything else.
  static func writer(_ name: String) -> DeviceID? {
    guard let device = DeviceID(name), device.description == name else { return nil }
    return device
  }

  /// The device that a position file belongs to; nil for any other file.
  static func positionsOwner(_ name: String) -> DeviceID? {
    name.hasSuffix(positionsSuffix) ? writer(String(name.dropLast(positionsSuffix.count))) : nil
  }

  /// The name of a device's position file.
  static func positions(of device: DeviceID) -> String { device.description + positionsSuffix }

  private static let positionsSuffix = ".ack"

  /// A name for a file that is being written; it carries the device, who alone may remove it.
  static func temporary(of device: DeviceID, token: UInt64) -> String {
    ".\(device).\(String(token, radix: 16)).tmp"
  }

  /// Whether a file was being written by a device, under this epoch or another one.
  ///
  /// A device that sleeps in the middle of writing may wake up restored, under a new epoch.
  static func isTemporary(_ name: String, of device: DeviceID) -> Bool {
    let fields = name.split(separator: ".", omittingEmptySubsequences: false)
    guard fields.count == 4, fields[0].isEmpty, fields[3] == "tmp" else { return false }
    return writer(String(fields[1]))?.device == device.device
  }
}
