/// The hash of Fowler, Noll and Vo in 64 bits, which is the same on every machine.
struct StableHash: Hashable, Sendable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    // No text holds this byte, so that two texts cannot run into each other.
    add(0xff)
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }
}
