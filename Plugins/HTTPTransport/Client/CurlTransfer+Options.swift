import CCurl

extension CurlTransfer {
  /// Tells curl everything about the request; false where it cannot be sent.
  func prepare() -> Bool {
    let request = order.request
    // curl would guess a scheme where none stands.
    let scheme = request.url.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme),
      set(CURLOPT_URL, request.url), set(CURLOPT_PROTOCOLS_STR, "http,https"),
      setMethod(request), setHeaders(request), setTrust(), setLimits(),
      // No signal ends a name look-up, and no look-up holds up the end of a transfer.
      set(CURLOPT_NOSIGNAL, 1), set(CURLOPT_QUICK_EXIT, 1), set(CURLOPT_TCP_KEEPALIVE, 1),
      // The head of a proxy's own answer is not the server's.
      set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
      strand_curl_keep_sockets(easy) == CURLE_OK
    else { return false }
    if options.proxy == .none, !set(CURLOPT_PROXY, "") { return false }
    return strand_curl_set_receivers(
      easy,
      { bytes, size, count, context in
        CurlTransfer.receive(bytes, size * count, context) { $0.receiveHead($1) }
      },
      { bytes, size, count, context in
        CurlTransfer.receive(bytes, size * count, context) { $0.receiveBody($1) }
      }, Unmanaged.passUnretained(self).toOpaque()) == CURLE_OK
  }

  /// Calls the transfer behind curl's context, which lives until curl has let go of the handle.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let isTaken = take(transfer, UnsafeRawBufferPointer(start: bytes, count: count))
    // Any other count than the one that came ends the transfer; 1 does where nothing came.
    return isTaken ? count : (count == 0 ? 1 : 0)
  }

  private func setMethod(_ request: HTTPRequest) -> Bool {
    switch (request.method, request.body.isEmpty) {
    case ("GET", true): return set(CURLOPT_HTTPGET, 1)
    case ("GET", false), (_, true):
      // An empty body is still announced, since a server may insist on a length.
      return set(CURLOPT_POST, 1) && copyBody([]) && set(CURLOPT_CUSTOMREQUEST, request.method)
    case ("POST", false): return set(CURLOPT_POST, 1) && copyBody(request.body)
    default:
      return set(CURLOPT_POST, 1) && copyBody(request.body)
        && set(CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  private func copyBody(_ bytes: [UInt8]) -> Bool {
    // curl takes a null pointer for "ask a callback", so an empty body has an address too.
    let padded = bytes.isEmpty ? [0] : bytes
    return padded.withUnsafeBytes {
      strand_curl_copy_body(easy, $0.baseAddress, curl_off_t(bytes.count)) == CURLE_OK
    }
  }

  private func setHeaders(_ request: HTTPRequest) -> Bool {
    // Nobody waits for "100 Continue": the limits are known before, and the wait costs a second.
    var lines = ["Expect:"]
    for header in request.headers {
      let line = "\(header.name): \(header.value)"
      // A line break would begin a header of somebody else's choice.
      guard !line.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) else {
        return false
      }
      lines.append(line)
    }
    for line in lines {
      guard let list = curl_slist_append(headerList, line) else { return false }
      headerList = list
    }
    return strand_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerList) == CURLE_OK
  }

  private func setTrust() -> Bool {
    guard set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) else { return false }
    guard let file = options.authorityFile else { return true }
    // The system's folder of authorities would otherwise be trusted besides.
    return set(CURLOPT_CAINFO, file) && set(CURLOPT_CAPATH, nil)
  }

  private func setLimits() -> Bool {
    guard set(CURLOPT_CONNECTTIMEOUT_MS, options.connectLimit.wholeMilliseconds) else {
      return false
    }
    if order.isStream { return true }
    let slowSeconds = max(1, options.slowLimit.wholeMilliseconds / 1000)
    return set(CURLOPT_TIMEOUT_MS, options.requestLimit.wholeMilliseconds)
      && set(CURLOPT_LOW_SPEED_LIMIT, 16) && set(CURLOPT_LOW_SPEED_TIME, slowSeconds)
  }

  private func set(_ option: CURLoption, _ value: Int) -> Bool {
    strand_curl_set_long(easy, option, value) == CURLE_OK
  }

  private func set(_ option: CURLoption, _ value: String?) -> Bool {
    strand_curl_set_text(easy, option, value) == CURLE_OK
  }
}
