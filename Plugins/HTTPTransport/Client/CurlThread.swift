import CCurl
import Foundation

/// The state of the client's thread; it is made, used and freed there.
final class CurlThread {
  private let options: CurlClientOptions
  private let mailbox: CurlMailbox
  private let multi: UnsafeMutableRawPointer
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  private let clock = ContinuousClock()

  /// Sets curl up once for the whole process; curl's own lock makes that safe from any thread.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Runs until the mailbox is closed.
  static func run(_ options: CurlClientOptions, _ mailbox: CurlMailbox) {
    blockBrokenPipes()
    let thread = isReady ? curl_multi_init().map { CurlThread(options, mailbox, $0) } : nil
    if let thread {
      thread.loop()
      thread.end()
    }
    mailbox.close()
    for case .begin(let order) in mailbox.takeAll().messages {
      order.fail(thread == nil ? .noMemory : .shutDown)
    }
    mailbox.noteEnd()
  }

  /// Lets a write to a closed connection be an error on this thread, and not the process's end.
  private static func blockBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private init(
    _ options: CurlClientOptions, _ mailbox: CurlMailbox, _ multi: UnsafeMutableRawPointer
  ) {
    self.options = options
    self.mailbox = mailbox
    self.multi = multi
    mailbox.setWaker(CurlWaker(multi))
  }

  private func loop() {
    while true {
      let (messages, isClosed) = mailbox.takeAll()
      for message in messages { handle(message) }
      if isClosed { return }
      var running: Int32 = 0
      guard curl_multi_perform(multi, &running) == CURLM_OK else { return }
      endTransfers()
      guard curl_multi_poll(multi, nil, 0, patience(), nil) == CURLM_OK else { return }
    }
  }

  /// Fails what is pending and frees everything.
  private func end() {
    // Nobody may wake a handle that is being freed.
    mailbox.setWaker(nil)
    for transfer in transfers.values { drop(transfer, .shutDown) }
    curl_multi_cleanup(multi)
  }

  private func handle(_ message: CurlMessage) {
    switch message {
    case .begin(let order):
      guard !order.isCancelled else { return order.fail(.cancelled) }
      begin(order)
    case .cancel(let order):
      if let transfer = transfers.values.first(where: { $0.order === order }) {
        drop(transfer, .cancelled)
      }
    }
  }

  private func begin(_ order: CurlOrder) {
    guard let transfer = CurlTransfer(order, options, mailbox, clock) else {
      return order.fail(.noMemory)
    }
    guard transfer.prepare(), curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
      return transfer.end(.unusableAddress)
    }
    transfers[transfer.easy] = transfer
  }

  private func endTransfers() {
    var result = CURLE_OK
    while let easy = strand_curl_next_end(multi, &result) {
      guard let transfer = transfers.removeValue(forKey: easy) else { continue }
      let error = transfer.error(for: result)
      curl_multi_remove_handle(multi, easy)
      transfer.end(error)
    }
    let now = clock.now
    for transfer in transfers.values where transfer.silenceEnd.map({ $0 <= now }) ?? false {
      drop(transfer, .silence(of: transfer.host))
    }
  }

  private func drop(_ transfer: CurlTransfer, _ error: HTTPClientError) {
    transfers[transfer.easy] = nil
    curl_multi_remove_handle(multi, transfer.easy)
    transfer.end(error)
  }

  /// How long to wait for the network, in milliseconds; curl shortens it by its own time-outs.
  private func patience() -> Int32 {
    guard let next = transfers.values.compactMap(\.silenceEnd).min() else { return 3_600_000 }
    let left = clock.now.duration(to: next)
    return left <= .zero ? 0 : Int32(clamping: left.wholeMilliseconds + 1)
  }
}
