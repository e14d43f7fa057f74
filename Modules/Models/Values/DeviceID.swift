/// The identity under which one store writes: a device, and an epoch of it.
///
/// The epoch is random and is replaced when a store turns out to be restored from a backup or
/// cloned, so that two stores never publish under one identity.
public struct DeviceID: Hashable, Sendable {
  /// The device, random, made with its store.
  public let device: UInt64
  /// The epoch, random, replaced after a restore or a clone.
  public let epoch: UInt32

  /// Takes both parts as they are.
  public init(device: UInt64, epoch: UInt32) {
    self.device = device
    self.epoch = epoch
  }

  /// Makes a new identity from a random source.
  public static func random(using source: inout some RandomNumberGenerator) -> DeviceID {
    DeviceID(device: source.next(), epoch: UInt32(truncatingIfNeeded: source.next()))
  }
}

extension DeviceID: Comparable {
  /// Orders identities by device, then epoch.
  public static func < (left: DeviceID, right: DeviceID) -> Bool {
    (left.device, left.epoch) < (right.device, right.epoch)
  }
}

extension DeviceID: CustomStringConvertible, LosslessStringConvertible {
  /// Sixteen hexadecimal digits, a dash, and eight more.
  public var description: String {
    hexadecimal(device, digits: 16) + "-" + hexadecimal(UInt64(epoch), digits: 8)
  }

  /// Reads what ``description`` writes.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 16, parts[1].utf8.count == 8,
      let device = UInt64(parts[0], radix: 16), let epoch = UInt32(parts[1], radix: 16)
    else { return nil }
    self.init(device: device, epoch: epoch)
  }

  private func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }
}
