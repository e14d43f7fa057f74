import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// What happens to the folder when it cannot be kept small.
@Suite struct TidyingFailureTests {
  private static let now: Int64 = 1_750_000_000_000
  private static let day: Int64 = 86_400_000

  private var limits: DirectoryLimits {
    var limits = DirectoryLimits()
    limits.looseGroups = 4
    return limits
  }

  @Test(arguments: [FileCall.create, .write, .sync, .rename], [ENOSPC, EIO, EROFS])
  func `a failure while gathering loses nothing, is told and is repeated`(
    call: FileCall, number: Int32
  ) async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice(
      "phone", 1, in: folder, limits: limits, conditions: plan.conditions)
    for text in ["a", "b", "c", "d"] { try await phone.publish(text) }
    _ = try await phone.fetch()
    let before = try folder.segments()
    plan.fail(call, "w/\(phone.info.id)", with: number)

    _ = try await phone.receipts()
    _ = try await phone.fetch()
    #expect(phone.notices.count == 1)
    #expect(phone.notices.first?.hasPrefix("The folder could not be tidied. Could not ") == true)
    #expect(try folder.segments() == before)
    plan.heal()
    _ = try await phone.receipts()

    #expect(try folder.segments().contains { $0.contains(".g1.") })
    var laptop = try await TestDevice("laptop", 2, in: folder)
    #expect(try await laptop.fetch().sorted() == ["a", "b", "c", "d"])
    _ = try await phone.fetch()
    #expect(phone.notices == [])
    try await phone.publish("e")
    #expect(try await laptop.fetch() == ["e"])
  }

  @Test func `another writer's folder that cannot be listed keeps nobody from tidying`()
    async throws
  {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("from tablet")
    var phone = try await TestDevice(
      "phone", 1, in: folder, limits: limits, conditions: plan.conditions)
    for text in ["a", "b", "c", "d"] { try await phone.publish(text) }
    plan.fail(.list, "w/\(tablet.info.id)", with: EACCES)
    _ = try await phone.fetch()

    _ = try await phone.receipts()

    #expect(try folder.segments().contains { $0.contains(".g1.") })
    _ = try await phone.fetch()
    #expect(phone.notices == [])
    #expect(phone.waitingFor.count == 1)
  }

  @Test func `a folder that cannot be listed is not taken for a loss`() async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var limits = DirectoryLimits()
    limits.lackPatience = 0
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("from tablet")
    var phone = try await TestDevice(
      "phone", 1, in: folder, limits: limits, conditions: plan.conditions)
    try await phone.publish("from phone")
    #expect(try await phone.fetch() == ["from tablet"])
    plan.fail(.list, "w/", with: EACCES)

    #expect(try await phone.fetch() == [])

    #expect(!phone.isOfferWanted)
    #expect(phone.waitingFor.count == 1)
    #expect(phone.notices.count == 1)
    plan.heal()
    #expect(try await phone.fetch() == [])
    #expect(!phone.isOfferWanted)
    #expect(phone.waitingFor == [])
  }

  /// Whether a segment's name says that it covers others; a hash may begin with that letter, too.
  private static func isCover(_ file: String) -> Bool {
    file.split(separator: "/").last?.split(separator: ".").dropFirst().first?.first == "c"
  }

  @Test func `a clock that is far ahead retires nobody, also beside a file that cannot be read`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder, now: Self.now)
    try await phone.publish("from phone")
    let file = try #require(folder.segments().first)
    var tablet = try await TestDevice("tablet", 3, in: folder, now: Self.now)
    try await tablet.publish("from tablet")
    var laptop = try await TestDevice("laptop", 2, in: folder, now: Self.now + 400 * Self.day)
    try await laptop.publish("from laptop")
    #expect(try await laptop.fetch().count == 2)
    let bytes = try folder.read(file)
    try folder.write(bytes.dropLast(3) + [1, 2, 3], to: file)
    laptop.transport = DirectoryTransport(
      path: folder.path, clock: WallClock { Self.now + 400 * Self.day },
      limits: DirectoryLimits())
    try await laptop.reopenAsIs()

    for _ in 0..<3 {
      _ = try await laptop.fetch()
      _ = try await laptop.receipts()
    }

    #expect(try folder.segments().contains { $0.contains("\(tablet.info.id)") })
    #expect(try !folder.segments().contains(where: Self.isCover))
    var watch = try await TestDevice("watch", 4, in: folder)
    #expect(try await watch.fetch() == ["from laptop", "from tablet"])
  }

  @Test func `an own file that cannot be read now keeps nothing of the others back`()
    async throws
  {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("from phone")
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("from tablet")
    phone.transport = DirectoryTransport(
      path: folder.path, clock: .system, limits: DirectoryLimits(), conditions: plan.conditions)
    try await phone.reopenAsIs()
    plan.fail(.read, "w/\(phone.info.id)", with: EDEADLK)
    phone.transport = DirectoryTransport(
      path: folder.path, clock: .system, limits: DirectoryLimits(), conditions: plan.conditions)

    #expect(try await phone.fetch() == ["from tablet"])
    #expect(phone.notices.count == 1)
    #expect(phone.notices.first?.contains("it is not downloaded") == true)
    let found = try await code { try await phone.publish("more") }
    #expect(found == .unreachable)
  }
}
