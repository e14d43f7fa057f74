import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// Errors that only network shares and broken disks give, made at the one call that shall fail.
@Suite struct FailingCallTests {
  private struct Scene {
    let folder: TestFolder
    let plan: FaultPlan
    var phone: TestDevice
    var tablet: TestDevice
    var laptop: TestDevice
    /// The folder and the name of the phone's one segment.
    let place: String
    let name: String
  }

  private func scene() async throws -> Scene {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("from phone")
    let file = try #require(folder.segments().first)
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("from tablet")
    let laptop = try await TestDevice("laptop", 2, in: folder, conditions: plan.conditions)
    _ = plan.asked(.list)
    let fields = file.split(separator: "/")
    return Scene(
      folder: folder, plan: plan, phone: phone, tablet: tablet, laptop: laptop,
      place: "w/\(fields[fields.count - 2])", name: String(fields[fields.count - 1]))
  }

  @Test(arguments: [FileCall.open, .look, .read])
  func `a stale handle of a file is read anew by its name`(call: FileCall) async throws {
    var scene = try await scene()
    scene.plan.fail(call, scene.name, with: ESTALE, times: 1)

    #expect(try await scene.laptop.fetch() == ["from phone", "from tablet"])
    #expect(scene.laptop.waitingFor == [])
  }

  @Test func `a stale handle of a folder is listed anew by its name`() async throws {
    var scene = try await scene()
    scene.plan.fail(.list, scene.place, with: ESTALE, times: 1)

    #expect(try await scene.laptop.fetch() == ["from phone", "from tablet"])
  }

  @Test(arguments: [ESTALE, EIO, EACCES, ENOTCONN])
  func `a writer's folder that cannot be listed stops no other`(number: Int32) async throws {
    var scene = try await scene()
    scene.plan.fail(.list, scene.place, with: number)

    #expect(try await scene.laptop.fetch() == ["from tablet"])
    let sentence = try #require(scene.laptop.waitingFor.first)
    #expect(scene.laptop.waitingFor.count == 1)
    #expect(sentence.hasPrefix("Waiting for the files of "))
    #expect(sentence.contains(String(cString: strerror(number))))
    scene.plan.heal()
    #expect(try await scene.laptop.fetch() == ["from phone"])
    #expect(scene.laptop.waitingFor == [])
  }

  @Test func `a file that goes between listing and opening is waited for`() async throws {
    var scene = try await scene()
    scene.plan.fail(.open, scene.name, with: ENOENT)

    #expect(try await scene.laptop.fetch() == ["from tablet"])
    #expect(scene.laptop.waitingFor.count == 1)
    #expect(scene.laptop.waitingFor.first?.contains(scene.name) == true)
    // It was looked for in a new listing once, not again and again.
    #expect(scene.plan.asked(.list).filter { $0.hasSuffix(scene.place) }.count == 2)
    scene.plan.heal()
    #expect(try await scene.laptop.fetch() == ["from phone"])
  }

  @Test func `what a new listing shows in place of a gone file is read at once`() async throws {
    var scene = try await scene()
    let (folder, name) = (scene.folder, scene.name)
    let file = try #require(folder.segments().first { $0.hasSuffix(name) })
    let bytes = try folder.read(file)
    let moved = Counter()
    // While the reader has its listing and has opened nothing, the carrier puts a copy in the
    // file's place.
    scene.laptop.transport = DirectoryTransport(
      path: folder.path, clock: .system, limits: DirectoryLimits(),
      conditions: FileConditions(failure: { call, path in
        guard call == .open, path.hasSuffix(name), moved.value == 0 else { return nil }
        moved.count()
        do {
          try folder.write(bytes, to: file.replacing(".seg", with: " (1).seg"))
          try folder.remove(file)
        } catch {
          return EIO
        }
        return nil
      }))

    #expect(try await scene.laptop.fetch() == ["from phone", "from tablet"])
    #expect(moved.value == 1)
  }

  @Test(arguments: [FileCall.open, .read])
  func `a file on a bad part of the disk is named and the others go on`(
    call: FileCall
  ) async throws {
    var scene = try await scene()
    scene.plan.fail(call, scene.name, with: EIO)

    #expect(try await scene.laptop.fetch() == ["from tablet"])
    #expect(scene.laptop.waitingFor.count == 1)
    #expect(scene.laptop.waitingFor.first?.contains("Input/output error") == true)
    #expect(scene.laptop.waitingFor.first?.contains(scene.name) == true)
  }

  @Test(arguments: [FileCall.create, .write, .sync, .rename, .syncFolder])
  func `an error while publishing is told, leaves no file and is repeated`(
    call: FileCall
  ) async throws {
    var scene = try await scene()
    let files = try scene.folder.files()
    scene.plan.fail(call, with: EIO, times: 1)
    scene.laptop.sequence = 1
    let page = scene.laptop.page(["c"])

    let error = await #expect(throws: TransportError.self) {
      _ = try await scene.laptop.transport.send(page)
    }
    #expect(error?.code == .unreachable)
    #expect(error?.remedy == .retry(afterMilliseconds: nil))
    let left = try scene.folder.files().filter { !files.contains($0) }
    // Only what failed after the file had its name has left one: the file itself, whole.
    #expect(left.filter { !$0.hasSuffix(".seg") } == [])
    let answer = try await scene.laptop.transport.send(page)

    #expect(answer.acceptance?.sequence == 1)
    #expect(try await scene.tablet.fetch().last == "c")
    #expect(try scene.folder.segments().count == 3)
  }

  @Test(arguments: [ENOSYS, ENOTSUP, EINVAL, EXDEV])
  func `a folder that cannot rename is written under the final names`(
    number: Int32
  ) async throws {
    var scene = try await scene()
    scene.plan.fail(.rename, with: number)

    try await scene.laptop.publish("c")
    _ = try await scene.laptop.fetch()
    _ = try await scene.laptop.receipts()
    _ = try await scene.laptop.receipts()

    #expect(try await scene.tablet.fetch() == ["from phone", "c"])
    #expect(try scene.folder.files().filter { $0.hasSuffix(".tmp") } == [])
    #expect(try await scene.phone.receipts().contains { $0.position == 1 })
  }

  @Test func `a folder that cannot rename shows no half file after a failure`() async throws {
    var scene = try await scene()
    scene.plan.fail(.rename, with: ENOSYS)
    // The first write is that of the temporary file, the second that under the final name.
    scene.plan.fail(.write, "w/\(scene.laptop.info.id)", with: ENOSPC, passing: 1)
    let found = try await code { try await scene.laptop.publish("c") }

    #expect(found == .quota)
    #expect(try scene.folder.segments().count == 2)
  }

  @Test(arguments: [ENOSYS, ENOTSUP, EINVAL])
  func `a folder that cannot sync is used without`(number: Int32) async throws {
    var scene = try await scene()
    scene.plan.fail(.sync, with: number)
    scene.plan.fail(.syncFolder, with: number)

    try await scene.laptop.publish("c")

    #expect(try await scene.tablet.fetch() == ["from phone", "c"])
  }

  @Test func `a temporary file that somebody removed is written once more`() async throws {
    var scene = try await scene()
    scene.plan.fail(.rename, with: ENOENT, times: 1)

    try await scene.laptop.publish("c")

    #expect(try await scene.tablet.fetch() == ["from phone", "c"])
    #expect(try scene.folder.files().filter { $0.hasSuffix(".tmp") } == [])
  }
}
