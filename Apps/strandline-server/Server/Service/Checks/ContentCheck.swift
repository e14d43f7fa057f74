import StrandlineHTTPProtocol

/// Whether a body is of the kind that an endpoint reads.
enum ContentCheck {
  /// Refuses other types and every encoding.
  ///
  /// - Parameters:
  ///   - headers: The request's headers.
  ///   - takesMessage: Whether the endpoint reads a message at all.
  /// - Throws: What is wrong with the body, before any of it is read.
  static func check(
    _ headers: [String: String], takesMessage: Bool
  ) throws(ServerRefusal) {
    if let encoding = headers["content-encoding"], encoding.lowercased() != "identity" {
      throw .invalid(
        415, "unsupportedEncoding",
        "Could not read the body, this server takes none that is compressed.",
        advice: "Send it as it is.", headers: ["Accept-Encoding": "identity"])
    }
    guard takesMessage else { return }
    let type = headers["content-type"]?.split(separator: ";").first.map {
      $0.trimmingPrefix(while: { $0 == " " }).lowercased()
    }
    guard type?.trimmingSuffixSpaces == HTTPAPI.cbor else {
      throw .invalid(
        415, "unsupportedType", "Could not read the body, it is not announced as CBOR.",
        advice: "Send the header 'Content-Type: \(HTTPAPI.cbor)'.",
        headers: ["Accept": HTTPAPI.cbor])
    }
  }
}

extension String {
  fileprivate var trimmingSuffixSpaces: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
