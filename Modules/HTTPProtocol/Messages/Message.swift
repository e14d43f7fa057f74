package import StrandlineWireFormat

/// What a device and a server say to each other, as CBOR in the core deterministic encoding.
///
/// A message is a map whose keys are small numbers. Keys that a version does not know are
/// skipped, so that a later one may add some; a key once given is never given another meaning.
/// Records travel as a ``Batch`` in a byte string, so that files and HTTP share one form.
package protocol Message {
  /// What the message is called in errors.
  static var subject: String { get }

  /// Reads a message that may come from anybody.
  init(from reader: inout CBORReader) throws(WireError)
  /// Writes the message.
  func write(to writer: inout CBORWriter)
}

extension Message {
  /// Reads a message from all of some bytes.
  ///
  /// - Throws: ``WireError`` with the byte at which they are none.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = CBORReader(bytes, subject: Self.subject)
    try self.init(from: &reader)
    try reader.finish()
  }

  /// The message's bytes.
  package func encode() -> [UInt8] {
    var writer = CBORWriter()
    write(to: &writer)
    return writer.bytes
  }
}
