/// What is wrong with the head of a request, before anybody asks what it wants.
///
/// Two readers of one request must never disagree where it ends (RFC 9112, 6.3 and 11.2), so
/// everything that could be read in two ways is refused and the connection is closed.
struct WireFault: Hashable, Sendable {
  /// The status.
  let status: Int
  /// What is wrong, as a sentence.
  let message: String

  private init(_ status: Int, _ reason: String) {
    self.status = status
    message = "Could not read the request, \(reason)."
  }

  /// Looks for a fault; nil where there is none.
  static func found(in head: RequestHead, limits: FrontLimits) -> WireFault? {
    if head.target.utf8.count > limits.targetBytes {
      return WireFault(414, "its path is longer than \(limits.targetBytes) bytes")
    }
    if head.byteCount > limits.headBytes {
      return WireFault(431, "its head is longer than \(limits.headBytes) bytes")
    }
    if head.headers.count > limits.headers {
      return WireFault(431, "it has more than \(limits.headers) headers")
    }
    guard head.version == "HTTP/1.1" || head.version == "HTTP/1.0" else {
      return WireFault(505, "it is in another version of HTTP than 1.0 and 1.1")
    }
    guard head.byteCount <= head.leastByteCount else {
      return WireFault(400, "its head holds zeros or bytes that belong to no header")
    }
    guard head.target.hasPrefix("/"), head.target.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      return WireFault(400, "its path does not begin with a slash or holds odd characters")
    }
    return inHeaders(of: head)
  }

  private static func inHeaders(of head: RequestHead) -> WireFault? {
    for header in head.headers {
      guard !header.name.isEmpty, header.name.utf8.allSatisfy(isTokenCharacter) else {
        return WireFault(400, "the name of a header holds odd characters")
      }
      guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        return WireFault(400, "a header holds control characters")
      }
    }
    guard head.values(of: "host").count == 1 else {
      return WireFault(400, "it does not have one header Host")
    }
    if let expected = head.values(of: "expect").first, expected.lowercased() != "100-continue" {
      return WireFault(417, "it expects what this server does not know")
    }
    if head.values(of: "authorization").count > 1 {
      return WireFault(400, "it has more than one header Authorization")
    }
    return inLength(of: head)
  }

  private static func inLength(of head: RequestHead) -> WireFault? {
    let lengths = head.values(of: "content-length")
    let encodings = head.values(of: "transfer-encoding")
    if !lengths.isEmpty, !encodings.isEmpty {
      return WireFault(400, "it has both Content-Length and Transfer-Encoding")
    }
    if lengths.count > 1 || encodings.count > 1 {
      return WireFault(400, "it gives its length more than once")
    }
    if let length = lengths.first {
      guard !length.isEmpty, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
        return WireFault(400, "its Content-Length is no number")
      }
      guard length.utf8.count <= 18 else { return WireFault(413, "its body is too large") }
    }
    if let encoding = encodings.first {
      guard encoding.lowercased() == "chunked" else {
        return WireFault(400, "its Transfer-Encoding is not 'chunked'")
      }
      guard head.version == "HTTP/1.1" else {
        return WireFault(400, "HTTP/1.0 has no Transfer-Encoding")
      }
    }
    return nil
  }

  /// The characters of a token (RFC 9110, 5.6.2).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
