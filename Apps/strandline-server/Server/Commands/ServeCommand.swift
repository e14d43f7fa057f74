import Foundation
import StrandlineModels
import StrandlineTransport

/// The command that serves.
enum ServeCommand {
  static var all: [ServerCommand] {
    [
      ServerCommand(
        name: "serve",
        form: "[--listen ADDRESS] [--tls-cert FILE --tls-key FILE] [--host NAME …] "
          + "[--log FILE|--no-log]",
        summary: "Serves until it is told to stop by SIGTERM or SIGINT.",
        details: """
          ADDRESS is HOST:PORT, HOST, :PORT or PORT; this machine alone at port \
          \(ListenAddress.usualPort) where it is not named. Beyond this machine use TLS, or a proxy \
          that does. --host names what else the server may be called, such as a name that the proxy \
          passes on. Requests are noted on the standard error, never with what is in records.
          """,
        example: "strandline-server serve --listen 0.0.0.0:8321 --tls-cert chain.pem "
          + "--tls-key key.pem",
        words: 0...0,
        options: [
          .init("--listen", "ADDRESS"), .init("--tls-cert", "FILE"), .init("--tls-key", "FILE"),
          .init("--host", "NAME", repeats: true), .init("--log", "FILE"), .init("--no-log"),
        ], run: serve)
    ]
  }

  private static func serve(_ context: CommandContext) async throws {
    var options = try options(context)
    try FolderLock.makeFolder(context.folder)
    let lock = try FolderLock.takeServer(of: context.folder)
    let use = try FolderLock.takeUse(of: context.folder)
    let storage = try openStorage(context)
    options.watchedFile = storage.path
    options.clock = context.clock
    if try storage.accounts().isEmpty {
      context.console.note(
        "There are no accounts yet; 'strandline-server account add NAME' adds one at any time.")
    }
    try await run(storage, options, context.console)
    withExtendedLifetime((lock, use)) {}
  }

  private static func openStorage(
    _ context: CommandContext
  ) throws(CommandFailure) -> SQLiteServerStorage {
    do {
      return try SQLiteServerStorage(
        folder: context.folder, create: true, ownsCheckpoints: true)
    } catch {
      throw CommandFailure(
        error.codeName, error.message, advice: error.advice, exitCode: .data, cause: error)
    }
  }

  /// Reads the options of the command.
  static func options(_ context: CommandContext) throws -> ServeOptions {
    let arguments = context.arguments
    let text = arguments["--listen"] ?? ListenAddress.usualHost
    guard let address = ListenAddress(text) else {
      throw CommandFailure.usage(
        "Could not listen at '\(text)', it is no address.",
        "Write HOST:PORT such as 127.0.0.1:\(ListenAddress.usualPort).")
    }
    var options = ServeOptions(address: address)
    switch (arguments["--tls-cert"], arguments["--tls-key"]) {
    case (let certificate?, let key?):
      options.front.identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
    case (nil, nil): break
    default:
      throw CommandFailure.usage(
        "Could not use TLS, it needs a certificate and its key.",
        "Name both with --tls-cert FILE and --tls-key FILE.")
    }
    options.hosts = arguments.options["--host"] ?? []
    options.logFile = arguments["--log"]
    options.isLogging = !arguments.has("--no-log")
    guard options.isLogging || options.logFile == nil else {
      throw CommandFailure.usage(
        "Could not use --log together with --no-log.", "Leave one of them away.")
    }
    return options
  }

  /// Serves on a thread of its own, since that blocks until the end.
  private static func run(
    _ storage: SQLiteServerStorage, _ options: ServeOptions, _ console: ServerConsole
  ) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      let thread = Thread {
        continuation.resume(
          with: Result {
            try Serving.run(
              storage, options, tokenHash: { TokenSecret($0)?.hash },
              ready: { console.print($0) })
          })
      }
      thread.name = "strandline.serve"
      thread.start()
    }
  }
}
