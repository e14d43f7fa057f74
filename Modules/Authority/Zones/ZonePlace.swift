package import StrandlineTransport

/// What a cursor of this authority says: where a device has read to, and how it reads.
///
/// A device that reads the zone from its beginning is told of live records only. Deaths up to
/// the head at which that reading began are left out, and the cursor carries this head, since
/// the fence may have passed the pages that were read but not the head.
///
/// It also carries a mark of its zone: sequences of another zone would pass for its own.
package struct ZonePlace: Hashable, Sendable {
  /// The mark of the zone that the sequences belong to.
  package var mark: UInt64
  /// The incarnation that the sequences belong to.
  package var incarnation: Int64
  /// Everything up to this sequence has been read.
  package var sequence: Int64
  /// The head at which a reading from the beginning began; nil once it was reached.
  package var listingHead: Int64?

  /// Makes a place.
  package init(mark: UInt64, incarnation: Int64, sequence: Int64, listingHead: Int64? = nil) {
    self.mark = mark
    self.incarnation = incarnation
    self.sequence = sequence
    self.listingHead = listingHead
  }

  /// Deaths up to here are known or will not be told.
  package var deathsRead: Int64 { listingHead ?? sequence }
}

extension ZonePlace {
  private static let formatVersion: UInt8 = 2
  private static let byteCount = 33

  /// The place as the bytes that devices keep: a version and four big-endian integers.
  package var cursor: Cursor {
    var bytes = [Self.formatVersion]
    for number in [Int64(bitPattern: mark), incarnation, sequence, listingHead ?? -1] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
      }
    }
    return Cursor(bytes: bytes)
  }

  /// Reads a cursor's bytes, or nil where they make no sense.
  package init?(_ cursor: Cursor) {
    let bytes = cursor.bytes
    guard bytes.count == Self.byteCount, bytes[0] == Self.formatVersion else { return nil }
    let numbers = (0..<4).map { index in
      bytes[(1 + index * 8)..<(9 + index * 8)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
    guard numbers[1] >= 0, numbers[2] >= 0, numbers[3] == -1 || numbers[3] > numbers[2] else {
      return nil
    }
    self.init(
      mark: UInt64(bitPattern: numbers[0]), incarnation: numbers[1], sequence: numbers[2],
      listingHead: numbers[3] < 0 ? nil : numbers[3])
  }
}
