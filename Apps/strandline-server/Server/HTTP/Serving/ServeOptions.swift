package import StrandlineModels

/// Everything that the command `serve` may say.
package struct ServeOptions: Sendable {
  /// Where to listen, with TLS or without, and for how long to wait for what.
  package var front: FrontOptions
  /// What is taken.
  package var limits = ServerLimits()
  /// Names beside the usual ones by which the server may be asked for.
  package var hosts: [String] = []
  /// The file that requests are noted in; nil for the standard error.
  package var logFile: String?
  /// Whether requests are noted at all.
  package var isLogging = true
  /// The database file, which is watched for what other processes write; nil for none.
  package var watchedFile: String?
  /// How often streams are looked after, in milliseconds.
  package var tickMilliseconds = 1000
  /// The time of day.
  package var clock = WallClock.system

  /// Names an address, and takes the usual for the rest.
  package init(address: ListenAddress) {
    front = FrontOptions(address: address)
  }
}
