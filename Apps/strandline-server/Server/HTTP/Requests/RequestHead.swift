/// The head of a request as it came, before anything is made of it.
struct RequestHead: Sendable {
  /// The method.
  var method: String
  /// What follows the method: the path, and the query after a question mark.
  var target: String
  /// `HTTP/1.1` or another version.
  var version: String
  /// The headers in their order, names as they were written.
  var headers: [(name: String, value: String)]
  /// How many bytes the head has.
  var byteCount: Int

  /// The values of a header, whatever the case of its name.
  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The announced length of the body; nil where none was announced.
  var bodyBytes: Int? { values(of: "content-length").first.flatMap { Int($0) } }

  /// How many bytes the head has where nothing stands in it but what was found.
  ///
  /// The library reads texts to their first zero and says nothing of what stands behind it.
  var leastByteCount: Int {
    let line = method.utf8.count + target.utf8.count + version.utf8.count + 4
    return headers.reduce(line + 2) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }

  /// Whether a body follows.
  var hasBody: Bool { (bodyBytes ?? 0) > 0 || !values(of: "transfer-encoding").isEmpty }

  /// The request without its body.
  func request(from remoteAddress: String) -> ServerRequest {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var fields: [String: String] = [:]
    for header in headers {
      let name = header.name.lowercased()
      // A list may stand in several headers of one name; what may not was refused before.
      fields[name] = fields[name].map { $0 + ", " + header.value } ?? header.value
    }
    return ServerRequest(
      method: method, path: parts.first.map(String.init) ?? "",
      query: parts.count > 1 ? Self.query(parts[1]) : [:], headers: fields,
      remoteAddress: remoteAddress)
  }

  private static func query(_ text: Substring) -> [String: String] {
    var query: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Escapes.decode(parts[0])
      query[name] = parts.count > 1 ? Escapes.decode(parts[1]) : ""
    }
    return query
  }
}

/// Bytes that stand as `%HH` in a query.
enum Escapes {
  /// Puts the bytes in place of their escapes; what is no escape stays as it is.
  static func decode(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = UInt8(
          String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}
