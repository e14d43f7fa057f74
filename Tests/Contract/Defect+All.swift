import Foundation
import StrandlineModels
import StrandlineTransport
import Synchronization

extension Defect {
  static let all: [Defect] = reading + writing + knowing

  private static let reading: [Defect] = [
    .fetching(
      "it loses a record",
      caughtBy: "sending: what one device sends the others fetch, fact by fact"
    ) { page in
      if page.changes.count > 1 { page.changes.removeLast() }
    },
    .fetching(
      "it always says that the head is reached",
      caughtBy: "fetching: the head is not said to be reached before it is"
    ) { $0.headReached = true },
    Defect(
      "it ignores the limit",
      caughtBy: "fetching: a page has no more changes than were asked for, or one group"
    ) { transport in
      let inner = transport.inner
      transport.onFetch = { request async throws(TransportError) in
        var request = request
        request.limit = 10_000
        return try await inner.fetch(request)
      }
    },
    Defect(
      "it delivers out of order",
      caughtBy: "sending: what a device sent first never shows without what it sent before"
    ) { transport in
      let inner = transport.inner
      let keeper = Keeper()
      transport.onFetch = { request async throws(TransportError) in
        var page = try await inner.fetch(request)
        let before = keeper.exchange(page.changes.isEmpty ? [] : [page.changes.removeFirst()])
        page.changes += before
        return page
      }
    },
    Defect(
      "it takes any bytes for its newest cursor",
      caughtBy: "cursors: bytes that are no cursor never lose a change"
    ) { transport in
      let inner = transport.inner
      transport.onFetch = { request async throws(TransportError) in
        do throws(TransportError) {
          return try await inner.fetch(request)
        } catch  where error.code == .damaged {
          var all = request
          all.cursor = nil
          var page = try await inner.fetch(all)
          page.changes = []
          return page
        }
      }
    },
    .fetching(
      "it drops conflicts",
      caughtBy: "conflicts: what a sender found to have lost reaches all others"
    ) { $0.conflicts = [] },
    .fetching(
      "it never names who is uploading",
      caughtBy: "sending: a long upload in several groups is marked until it ends"
    ) { $0.uploading = [] },
    .fetching(
      "it says that every writer had read everything",
      caughtBy: "conflicts: a value that lost to a concurrent one can be found"
    ) { page in
      page.conflicts = []
      for index in page.changes.indices { page.changes[index].seenOfReader = .max }
    },
    .carrying(
      "it composes accents", caughtBy: "values: text arrives byte by byte"
    ) { value in
      if case .text(let text) = value {
        return .text(text.precomposedStringWithCanonicalMapping)
      }
      return value
    },
    .carrying(
      "it loses the sign of zero", caughtBy: "values: numbers arrive bit by bit"
    ) { value in
      if case .real(let number) = value, number == 0 { return .real(0) }
      return value
    },
    .carrying(
      "it takes empty blobs for nothing", caughtBy: "values: blobs and nothing arrive as they are"
    ) { $0 == .blob([]) ? .null : $0 },
  ]

  private static let writing: [Defect] = [
    Defect(
      "it shows half a group", caughtBy: "staging: nobody sees a part of a group"
    ) { transport in
      let inner = transport.inner
      transport.onSend = { page async throws(TransportError) in
        var part = page
        part.group.token = page.group.token &+ UInt64(page.page)
        part.group.recordCount = page.deltas.count
        (part.page, part.isLast) = (0, true)
        let answer = try await inner.send(part)
        return page.isLast ? answer : SendAnswer(refused: answer.refused)
      }
    },
    .sending(
      "it believes any count", caughtBy: "staging: a group that does not add up is not taken"
    ) { page in
      if page.page == 0, page.isLast { page.group.recordCount = page.deltas.count }
    },
    Defect(
      "it swallows a refusal", caughtBy: "refusing: a record that is too large is refused by itself"
    ) { transport in
      let inner = transport.inner
      transport.onSend = { page async throws(TransportError) in
        let answer = try await inner.send(page)
        guard !answer.refused.isEmpty else { return answer }
        var rest = page
        rest.group.token &+= 1
        let refused = Set(answer.refused.map(\.key))
        rest.deltas.removeAll { refused.contains($0.key) }
        rest.group.recordCount = rest.deltas.count
        return try await inner.send(rest)
      }
    },
    Defect(
      "it throws for a whole page because of one record",
      caughtBy: "refusing: a record that is too large is refused by itself"
    ) { transport in
      let inner = transport.inner
      transport.onSend = { page async throws(TransportError) in
        let answer = try await inner.send(page)
        guard answer.refused.isEmpty else {
          throw TransportError(
            .tooLarge, "Could not take the page, a record is too large.", remedy: .split)
        }
        return answer
      }
    },
    Defect(
      "it acknowledges more than was sent",
      caughtBy: "sending: an acceptance names the sequence that was sent"
    ) { transport in
      let inner = transport.inner
      transport.onSend = { page async throws(TransportError) in
        var answer = try await inner.send(page)
        answer.acceptance?.sequence += 1
        return answer
      }
    },
    Defect(
      "it numbers every repetition anew",
      caughtBy: "sending: a whole group that comes again under its token is taken once"
    ) { transport in
      let inner = transport.inner
      let counter = Counter()
      transport.onSend = { page async throws(TransportError) in
        var answer = try await inner.send(page)
        if page.isLast { answer.acceptance?.position += counter.next() }
        return answer
      }
    },
    .sending(
      "it drops deletes", caughtBy: "facts: a delete reaches everybody who has the record"
    ) { page in
      for index in page.deltas.indices { page.deltas[index].death = nil }
    },
    Defect(
      "it takes what comes in bad order and drops it",
      caughtBy: "facts: an edit that comes before its birth is kept for it"
    ) { transport in
      let inner = transport.inner
      transport.onSend = { page async throws(TransportError) in
        var page = page
        page.deltas.removeAll {
          $0.birth == nil && $0.death == nil && $0.versions.keys.contains("title")
        }
        page.group.recordCount = page.deltas.count
        return try await inner.send(page)
      }
    },
  ]

  /// Counts its calls.
  private final class Counter: Sendable {
    private let count = Mutex<Int64>(0)

    func next() -> Int64 {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// Hands one value on at each call.
  private final class Keeper: Sendable {
    private let held = Mutex<[FetchedChange]>([])

    func exchange(_ new: [FetchedChange]) -> [FetchedChange] {
      held.withLock { held in
        let old = held
        held = new
        return old
      }
    }
  }
}

extension Defect {
  fileprivate static let knowing: [Defect] = [
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
