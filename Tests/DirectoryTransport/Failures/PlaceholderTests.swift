import Dispatch
import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// Files whose content is elsewhere: a size is shown, and the content has to be downloaded.
@Suite struct PlaceholderTests {
  private struct Scene {
    let folder: TestFolder
    let file: String
    let bytes: [UInt8]
  }

  private func scene() async throws -> Scene {
    let folder = try TestFolder()
    var laptop = try await TestDevice("laptop", 1, in: folder)
    try await laptop.publish("first")
    try await laptop.publish("from laptop")
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("from tablet")
    let file = try folder.segments().filter { $0.contains("\(laptop.info.id)") }[1]
    return Scene(folder: folder, file: file, bytes: try folder.read(file))
  }

  private func name(_ file: String) -> String {
    file.split(separator: "/").last.map(String.init) ?? file
  }

  @Test func `a file with a size and no content is not downloaded yet`() async throws {
    let scene = try await scene()
    try scene.folder.write([], to: scene.file)
    let path = scene.folder.path + "/" + scene.file
    try #require(truncate(path, off_t(scene.bytes.count)) == 0)
    var phone = try await TestDevice("phone", 2, in: scene.folder)

    #expect(try await phone.fetch() == ["first", "from tablet"])
    #expect(
      phone.waitingFor == ["1 file of laptop is not downloaded yet: \(name(scene.file))."])
    // Nothing was written to it.
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_blocks == 0)
    try scene.folder.write(scene.bytes, to: scene.file)
    #expect(try await phone.fetch() == ["from laptop"])
    #expect(phone.waitingFor == [])
  }

  @Test(arguments: [EDEADLK, ETIMEDOUT])
  func `a file that the system will not fetch now is not downloaded yet`(
    number: Int32
  ) async throws {
    let scene = try await scene()
    let plan = FaultPlan()
    plan.fail(.read, name(scene.file), with: number)
    var phone = try await TestDevice("phone", 2, in: scene.folder, conditions: plan.conditions)

    #expect(try await phone.fetch() == ["first", "from tablet"])
    #expect(
      phone.waitingFor == ["1 file of laptop is not downloaded yet: \(name(scene.file))."])
    plan.heal()
    #expect(try await phone.fetch() == ["from laptop"])
  }

  @Test(.timeLimit(.minutes(10)), arguments: [FileCall.open, .read])
  func `a read that blocks holds up no other and is taken when it ends`(
    call: FileCall
  ) async throws {
    let scene = try await scene()
    let file = name(scene.file)
    let (begun, gate) = (Counter(), DispatchSemaphore(value: 0))
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    // Only the file that blocks is waited for so shortly; the others may take their time.
    let conditions = FileConditions(
      failure: { asked, path in
        guard asked == call, path.hasSuffix(file) else { return nil }
        begun.count()
        gate.wait()
        gate.signal()
        end.yield()
        return nil
      }, patience: { $0.hasSuffix(file) ? 20 : 600_000 })
    var phone = try await TestDevice("phone", 2, in: scene.folder, conditions: conditions)

    #expect(try await phone.fetch() == ["first", "from tablet"])
    #expect(phone.waitingFor == ["1 file of laptop is not downloaded yet: \(file)."])
    // It is not begun again while it blocks, and sending goes on.
    #expect(try await phone.fetch() == [])
    #expect(begun.value == 1)
    try await phone.publish("from phone")
    gate.signal()
    for await _ in ended { break }
    var late: [String] = []
    while late.isEmpty { late = try await phone.fetch() }

    #expect(late == ["from laptop"])
    #expect(phone.waitingFor == [])
  }

  @Test func `an own file that is no longer on this device is no reason for a new epoch`()
    async throws
  {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    plan.fail(.read, name(file), with: EDEADLK)
    phone.transport = DirectoryTransport(
      path: folder.path, clock: .system, limits: DirectoryLimits(), conditions: plan.conditions)

    let found = try await code { try await phone.reopen() }

    #expect(found == .unreachable)
    plan.heal()
    try await phone.reopen()
    try await phone.publish("b")
    #expect(try folder.segments().count == 2)
  }
}
