import Foundation

/// How long the front end waits for what, in milliseconds.
package struct FrontTiming: Hashable, Sendable {
  /// A new connection's first head, and its handshake where it is encrypted.
  package var head = 15_000
  /// A head that begins on a connection that was used before, with the pause before it.
  package var idle = 60_000
  /// The whole body.
  package var body = 300_000
  /// The time after which the rate of a body counts.
  package var bodyGrace = 10_000
  /// The least number of bytes of a body, or of an answer, in a second.
  package var leastRate = 4096
  /// The sending of an answer, beside the time that its size allows.
  package var answer = 60_000
  /// The end of a stream that was closed.
  package var streamEnd = 3000
  /// A stream whose other side confirms nothing.
  package var streamSilence = 60_000
  /// The first head of a connection beyond the cap.
  package var surplusHead = 2000
  /// The end of what runs when the server stops.
  package var stop = 10_000
  /// How often connections are looked at.
  package var sweep = 250

  /// Takes the usual times.
  package init() {}
}

/// What the front end takes.
package struct FrontLimits: Hashable, Sendable {
  /// Connections above which new ones are told to come again later.
  package var connections = 8192
  /// Connections beyond the cap that are answered at all, so that the health can be asked.
  package var surplusConnections = 64
  /// The path with its query, in bytes.
  package var targetBytes = 2048
  /// The head, in bytes.
  package var headBytes = 6144
  /// The headers.
  package var headers = 64
  /// The memory of one connection, for its head and its buffers.
  package var connectionMemory = 8192
  /// The bodies of all requests that are being read, in bytes.
  package var incomingBytes = 256 << 20
  /// The bodies of all answers that are being sent, in bytes.
  package var outgoingBytes = 256 << 20
  /// Threads that wait for sockets.
  package var eventThreads = 2
  /// Threads that answer.
  package var workers = 4
  /// Requests that wait for a thread.
  package var waitingRequests = 4096
  /// The socket's buffer of a stream of events, in bytes.
  package var streamSocketBytes = 16 << 10

  /// Takes the usual limits.
  package init() {}
}

/// How the front end is set up.
package struct FrontOptions: Sendable {
  /// Where it listens.
  package var address: ListenAddress
  /// The certificate chain and its key in PEM; nil without TLS.
  package var identity: TLSIdentity?
  /// How long it waits.
  package var timing = FrontTiming()
  /// What it takes.
  package var limits = FrontLimits()
  /// Milliseconds of a clock that never goes back.
  package var now: @Sendable () -> Int64 = {
    Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000)
  }

  /// Names an address, and takes the usual for the rest.
  package init(address: ListenAddress) {
    self.address = address
  }
}

/// By what a server proves who it is.
package struct TLSIdentity: Sendable {
  /// The certificate and those that vouch for it, in PEM.
  package let certificate: String
  /// The key, in PEM.
  package let key: String

  /// Reads a certificate and a key from files.
  ///
  /// - Throws: `certificate` where one cannot be read.
  package init(certificateFile: String, keyFile: String) throws(ServeError) {
    certificate = try Self.text(of: certificateFile, "certificate")
    key = try Self.text(of: keyFile, "key")
  }

  private static func text(of file: String, _ what: String) throws(ServeError) -> String {
    do {
      return try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw ServeError(
        .certificate, "Could not read the \(what) '\(file)', it is missing or may not be read.",
        advice: "Name files in PEM with --tls-cert and --tls-key.")
    }
  }
}
