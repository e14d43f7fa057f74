/// How a ``CurlClient`` connects, and how long it waits.
public struct CurlClientOptions: Hashable, Sendable {
  /// Where requests are sent through.
  public enum Proxy: Hashable, Sendable {
    /// Whatever `http_proxy`, `https_proxy` and `no_proxy` say, as everywhere with curl.
    case environment
    /// Nobody; the server is connected to directly.
    case none
  }

  /// The file of certificate authorities in PEM that are trusted instead of the system's.
  public var authorityFile: String?
  /// Where requests are sent through.
  public var proxy: Proxy
  /// How long finding and connecting to the server may take, the TLS handshake included.
  public var connectLimit: Duration
  /// How long a request may take as a whole; streams have no such bound.
  public var requestLimit: Duration
  /// For how long a request may move less than a few bytes a second, in whole seconds.
  public var slowLimit: Duration
  /// For how long nothing may come on a stream.
  public var silenceLimit: Duration
  /// How many pieces of a stream wait for a slow reader; one more ends the stream.
  public var waitingChunks: Int

  /// Chooses the options; the silence limit covers two keep-alives that were lost.
  public init(
    authorityFile: String? = nil, proxy: Proxy = .environment,
    connectLimit: Duration = .seconds(15), requestLimit: Duration = .seconds(300),
    slowLimit: Duration = .seconds(60), silenceLimit: Duration = .seconds(45),
    waitingChunks: Int = 256
  ) {
    self.authorityFile = authorityFile
    self.proxy = proxy
    self.connectLimit = connectLimit
    self.requestLimit = requestLimit
    self.slowLimit = slowLimit
    self.silenceLimit = silenceLimit
    self.waitingChunks = waitingChunks
  }
}

extension Duration {
  /// Whole milliseconds, at least 1.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    let bounded = min(max(0, seconds), 1 << 20)
    return max(1, Int(bounded) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
