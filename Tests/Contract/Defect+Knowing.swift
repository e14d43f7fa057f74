import StrandlineTransport

// Transports that do not know their zones, their devices or what to say.
extension Defect {
  static let knowing: [Defect] = [
    Defect("it forgets a purge", caughtBy: "purging: nothing is left to read after a purge") {
      $0.onPurge = { _ async throws(TransportError) in }
    },
    .opening(
      "it makes a zone where the known one is gone",
      caughtBy: "opening: a zone that is not there is never replaced by a new one"
    ) { $0.expected = nil },
    .opening(
      "it knows one environment",
      caughtBy: "environments: a zone of one environment is not opened as the other"
    ) { $0.environment = .development },
    .opening(
      "it tells a wrong last group",
      caughtBy: "last group: opening tells the end of the device's own last group",
      tell: { $0.lastAccepted?.transactionToken &+= 1 }),
    .opening(
      "it forgets the last group",
      caughtBy: "last group: a group whose answer was lost is told as accepted",
      tell: { $0.lastAccepted = nil }),
    .opening(
      "it opens another account than it tells",
      caughtBy: "opening: the account that is told is the account of the zones",
      tell: { $0.account += "2" }),
    Defect(
      "it looks at no proof",
      caughtBy: "proofs: a proof that the zone never showed is not served"
    ) { transport in
      let inner = transport.inner
      transport.onFetch = { request async throws(TransportError) in
        var request = request
        request.proof = nil
        return try await inner.fetch(request)
      }
      transport.onSend = { page async throws(TransportError) in
        var page = page
        page.proof = nil
        return try await inner.send(page)
      }
    },
    Defect(
      "it answers with nothing while the place is away",
      caughtBy: "errors: a place that is away answers nothing and takes nothing"
    ) { transport in
      let inner = transport.inner
      transport.onFetch = { request async throws(TransportError) in
        do throws(TransportError) {
          return try await inner.fetch(request)
        } catch  where error.code == .unreachable {
          return FetchPage(
            changes: [], cursor: Cursor(bytes: []), headReached: true,
            proof: Proof(incarnation: 1, sequence: 0, nonce: 0))
        }
      }
    },
    Defect(
      "it lets the engine stop for good where a compare helps",
      caughtBy: "errors: every error says what failed and why, and asks for what helps"
    ) { transport in
      let inner = transport.inner
      transport.onOpen = { request async throws(TransportError) in
        do throws(TransportError) {
          return try await inner.open(request)
        } catch {
          throw TransportError(error.code, error.message, remedy: .stop)
        }
      }
    },
    Defect("it never gives a hint", caughtBy: "hints: each change of another device is hinted at") {
      $0.onHints = { AsyncStream { $0.finish() } }
    },
    Defect(
      "it gives one hint and no more", caughtBy: "hints: each change of another device is hinted at"
    ) { transport in
      transport.onHints = {
        AsyncStream {
          $0.yield(Hint())
          $0.finish()
        }
      }
    },
    Defect(
      "it counts a device among the others", caughtBy: "receipts: a device is not told of itself"
    ) { transport in
      let inner = transport.inner
      transport.onReceipt = { receipt async throws(TransportError) in
        try await inner.exchangeReceipts(receipt)
          + [DeviceReport(device: receipt.device, position: 1, reportedAt: 0)]
      }
    },
    Defect(
      "it reports what was not imported",
      caughtBy: "receipts: nothing is reported as imported that was not"
    ) { transport in
      let inner = transport.inner
      transport.onReceipt = { receipt async throws(TransportError) in
        try await inner.exchangeReceipts(receipt).map {
          DeviceReport(device: $0.device, position: .max, reportedAt: $0.reportedAt)
        }
      }
    },
  ]
}
