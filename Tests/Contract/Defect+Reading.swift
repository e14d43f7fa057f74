import Foundation
import StrandlineModels
import StrandlineTransport
import Synchronization

// Transports that show their readers what is not so.
extension Defect {
  static let reading: [Defect] = [
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
      "it tells people what is no sentence",
      caughtBy: "fetching: an empty zone is read to its head at once"
    ) { $0.waitingFor = ["w:1-5"] },
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
