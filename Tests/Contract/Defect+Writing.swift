import StrandlineModels
import StrandlineTransport
import Synchronization

// Transports that do not take what they are sent as it is meant.
extension Defect {
  static let writing: [Defect] = [
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
}
