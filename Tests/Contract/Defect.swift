import StrandlineModels
import StrandlineTransport

/// A way to break a transport, and the rule that has to notice.
struct Defect: Sendable, CustomStringConvertible {
  static let all = reading + writing + knowing

  let description: String
  /// The rule's topic and sentence.
  let rule: String
  let alter: @Sendable (inout AlteredTransport) -> Void

  init(
    _ description: String, caughtBy rule: String,
    alter: @escaping @Sendable (inout AlteredTransport) -> Void
  ) {
    self.description = description
    self.rule = rule
    self.alter = alter
  }

  /// One whose pages are changed before they are given out.
  static func fetching(
    _ description: String, caughtBy rule: String,
    change: @escaping @Sendable (inout FetchPage) -> Void
  ) -> Defect {
    Defect(description, caughtBy: rule) { transport in
      let inner = transport.inner
      transport.onFetch = { request async throws(TransportError) in
        var page = try await inner.fetch(request)
        change(&page)
        return page
      }
    }
  }

  /// One that changes what it is sent.
  static func sending(
    _ description: String, caughtBy rule: String,
    change: @escaping @Sendable (inout SendPage) -> Void
  ) -> Defect {
    Defect(description, caughtBy: rule) { transport in
      let inner = transport.inner
      transport.onSend = { page async throws(TransportError) in
        var page = page
        change(&page)
        return try await inner.send(page)
      }
    }
  }

  /// One that changes what it says of a zone, or how it asks for one.
  static func opening(
    _ description: String, caughtBy rule: String,
    ask: @escaping @Sendable (inout OpenRequest) -> Void = { _ in },
    tell: @escaping @Sendable (inout ZoneDescription) -> Void = { _ in }
  ) -> Defect {
    Defect(description, caughtBy: rule) { transport in
      let inner = transport.inner
      transport.onOpen = { request async throws(TransportError) in
        var request = request
        ask(&request)
        var zone = try await inner.open(request)
        tell(&zone)
        return zone
      }
    }
  }

  /// One that changes the values that pass through it.
  static func carrying(
    _ description: String, caughtBy rule: String,
    change: @escaping @Sendable (Value) -> Value
  ) -> Defect {
    fetching(description, caughtBy: rule) { page in
      for index in page.changes.indices {
        page.changes[index].delta.versions = page.changes[index].delta.versions.mapValues {
          Version(life: $0.life, stamp: $0.stamp, value: change($0.value))
        }
      }
    }
  }
}
