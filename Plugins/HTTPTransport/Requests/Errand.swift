import StrandlineHTTPProtocol

/// What is asked of a server, and in which words people hear of it.
struct Errand: Hashable, Sendable {
  /// Where it is asked.
  var endpoint: Endpoint
  /// What could not be done where it fails, such as `fetch changes`.
  var verb: String
  /// The message that is sent along.
  var body: [UInt8] = []
  /// The content type of an answer that means success; nil where its body does not matter.
  var expects: String?
  /// The greatest size of the answer in bytes.
  var bodyLimit = 16 << 20
}
