import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct HintTests {
  @Test(.timeLimit(.minutes(10)))
  func `a new file in the folder is hinted at`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    let laptop = try await TestDevice("laptop", 2, in: folder)
    var hints = laptop.transport.hints().makeAsyncIterator()

    // The first hint tells that the watch has begun.
    #expect(await hints.next() != nil)
    try await phone.publish("a")

    #expect(await hints.next() != nil)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a watch ends when its listener is cancelled`() async throws {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)
    let listener = Task {
      for await _ in phone.transport.hints() {}
      return true
    }

    listener.cancel()

    #expect(await listener.value)
  }
}

@Suite struct SystemErrorTests {
  @Test(arguments: [
    (ENOSPC, TransportError.Code.quota), (EDQUOT, .quota), (EACCES, .notAuthorized),
    (EROFS, .notAuthorized), (EPERM, .notAuthorized), (EIO, .unreachable),
    (ESTALE, .unreachable), (ENOENT, .unreachable),
  ])
  func `what the system says becomes an error that can be acted on`(
    number: Int32, code: TransportError.Code
  ) {
    let error = TransportError.system(number, "write", "/mnt/share/x")

    #expect(error.code == code)
    #expect(error.remedy == .retry(afterMilliseconds: nil))
    #expect(error.message.hasPrefix("Could not write '/mnt/share/x', the system says: "))
    #expect(error.context["path"] == "/mnt/share/x")
  }

  @Test func `a transport is made from its specification`() async throws {
    let registry = Registry([.directory])
    func make(_ text: String) async throws -> (any Transport)? {
      try await registry.make(
        TransportConfiguration(specification: TransportSpecification(text)))
    }

    let transport = try #require(try await make("directory:/mnt/share"))
    #expect(transport.specification == "directory:/mnt/share")
    #expect(transport.traits.acknowledgement == .published)
    #expect(try await transport.account() == .available("folder"))
    #expect(try await code { _ = try await make("directory") } == .unknownTransport)
  }
}
