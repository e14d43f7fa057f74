import Foundation
import StrandlineDirectoryTransport
import StrandlineTransport
import Testing

/// Hints where the system gives no notifications, or the folder goes and comes.
@Suite(.timeLimit(.minutes(10))) struct HintFailureTests {
  private func hints(
    _ folder: TestFolder, _ plan: FaultPlan = FaultPlan(), longest: Int32 = 60
  ) -> AsyncStream<Hint>.AsyncIterator {
    FolderHints(root: folder.path, conditions: plan.conditions, waits: 20...longest).stream()
      .makeAsyncIterator()
  }

  /// Makes changes until one is hinted at; what was under way before may be hinted at, too.
  private func expectHints(
    _ hints: inout AsyncStream<Hint>.AsyncIterator, after change: () throws -> Void
  ) async throws {
    try change()
    let hint = await hints.next(isolation: #isolation)
    #expect(hint != nil)
  }

  @Test(arguments: [ENOSPC, EMFILE])
  func `without any notification a new file is seen by looking`(number: Int32) async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    plan.fail(.watch, with: number)
    var hints = hints(folder, plan)
    #expect(await hints.next() != nil)

    try await expectHints(&hints) { try folder.write([1], to: "zones/notes/x.seg") }
    try await expectHints(&hints) { try folder.write([1], to: "zones/notes/y.seg") }
    try await expectHints(&hints) { try folder.remove("zones/notes/y.seg") }
  }

  @Test func `when watches run out in the middle the rest is seen by looking`() async throws {
    let folder = try TestFolder()
    try folder.write([1], to: "a/x")
    let plan = FaultPlan()
    plan.fail(.watch, "/b", with: ENOSPC)
    var hints = hints(folder, plan)
    #expect(await hints.next() != nil)

    try await expectHints(&hints) { try folder.write([1], to: "b/x") }
    try await expectHints(&hints) { try folder.write([1], to: "b/y") }
    try await expectHints(&hints) { try folder.write([1], to: "a/y") }
  }

  @Test func `a folder that goes and is made again is seen by looking`() async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    plan.fail(.watch, with: ENOSPC)
    var hints = hints(folder, plan)
    #expect(await hints.next() != nil)

    try await expectHints(&hints) { try FileManager.default.removeItem(atPath: folder.path) }
    try await expectHints(&hints) { try folder.write([1], to: "a/x") }
    try await expectHints(&hints) { try folder.write([1], to: "a/y") }
  }

  @Test func `a folder that goes and is made again is watched again`() async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    try folder.write([1], to: "a/x")
    var hints = hints(folder, plan)
    #expect(await hints.next() != nil)
    var watched = Set(plan.asked(.watch))
    #expect(watched.isSuperset(of: [folder.path, folder.path + "/a"]))

    try await expectHints(&hints) { try FileManager.default.removeItem(atPath: folder.path) }
    _ = plan.asked(.watch)
    watched = []
    // Each change is hinted at; by one of the next the new folders are watched.
    for number in 0..<1000 {
      try await expectHints(&hints) { try folder.write([1], to: "a/\(number)") }
      watched.formUnion(plan.asked(.watch))
      if watched.isSuperset(of: [folder.path, folder.path + "/a"]) { break }
    }
    #expect(watched.isSuperset(of: [folder.path, folder.path + "/a"]))
  }

  @Test func `a folder that is not there yet is seen when it comes`() async throws {
    let folder = try TestFolder()
    try FileManager.default.removeItem(atPath: folder.path)
    var hints = hints(folder)
    #expect(await hints.next() != nil)

    try await expectHints(&hints) { try folder.write([1], to: "a/x") }
  }

  @Test func `a file that grows under its name is hinted at when it has grown`() async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    plan.fail(.watch, with: ENOSPC)
    var hints = hints(folder, plan)
    #expect(await hints.next() != nil)
    try await expectHints(&hints) { try folder.write([1], to: "a/x") }

    try await expectHints(&hints) { try folder.write([1, 2], to: "a/x") }
  }
}

/// What looking at the folder costs, and what counts as a change.
@Suite struct SurveyTests {
  private func folder(files: Int) throws -> TestFolder {
    let folder = try TestFolder()
    for number in 0..<files { try folder.write([1], to: "zones/n/i1/w/d/\(number).seg") }
    return folder
  }

  @Test func `a folder in which nothing happens is not listed again`() throws {
    let folder = try folder(files: 300)
    let plan = FaultPlan()
    let survey = FolderSurvey(of: folder.path, conditions: plan.conditions)
    #expect(survey.look())
    // Two listings that agree; then the newest files settle.
    for _ in 0..<8 { #expect(!survey.look()) }
    _ = (plan.asked(.list), plan.asked(.look))

    for _ in 0..<10 { #expect(!survey.look()) }

    #expect(plan.asked(.list) == [])
    // Six folders, and no file of the three hundred.
    #expect(plan.asked(.look).count == 60)
    try folder.write([1], to: "zones/n/i1/w/d/new.seg")
    #expect(survey.look())
    #expect(plan.asked(.list).count == 1)
  }

  @Test func `a change that a folder's time does not show is seen by a thorough look`() throws {
    let folder = try folder(files: 1)
    let place = folder.path + "/zones/n/i1/w/d"
    var status = stat()
    try #require(stat(place, &status) == 0)
    let times = [status.st_atim, status.st_mtim]
    let survey = FolderSurvey(of: folder.path)
    for _ in 0..<10 { _ = survey.look() }
    try folder.write([1], to: "zones/n/i1/w/d/new.seg")
    try #require(utimensat(AT_FDCWD, place, times, 0) == 0)

    #expect(!survey.look())
    #expect(survey.look(isThorough: true))
  }

  @Test func `hidden files are no change`() throws {
    let folder = try folder(files: 1)
    let survey = FolderSurvey(of: folder.path)
    #expect(survey.look())
    for name in [".syncthing.x.seg.tmp", ".nfs0001", ".DS_Store"] {
      try folder.write([1], to: "zones/n/i1/w/d/\(name)")
      #expect(!survey.look(isThorough: true), "\(name)")
      try folder.remove("zones/n/i1/w/d/\(name)")
      #expect(!survey.look(isThorough: true), "\(name)")
    }
  }

  @Test func `a file that is replaced by another of its name is a change`() throws {
    let folder = try folder(files: 3)
    let survey = FolderSurvey(of: folder.path)
    for _ in 0..<12 { _ = survey.look() }
    try folder.write([2], to: "zones/n/i1/w/d/beside")
    #expect(survey.look())
    let place = folder.path + "/zones/n/i1/w/d/"
    try #require(rename(place + "beside", place + "1.seg") == 0)

    #expect(survey.look())
  }

  @Test func `a folder that was removed and made again is a change each time`() throws {
    let folder = try folder(files: 1)
    let survey = FolderSurvey(of: folder.path)
    #expect(survey.look())
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(survey.look())
    #expect(survey.folders.isEmpty)
    #expect(!survey.look())
    try folder.write([1], to: "x")
    #expect(survey.look())
    #expect(survey.folders.count == 1)
  }
}

/// What a fetch asks of the file system.
@Suite struct ListingCostTests {
  @Test func `a fetch of a large folder looks at no file by itself and reads none twice`()
    async throws
  {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    for number in 0..<60 { try await phone.publish("\(number)") }
    var laptop = try await TestDevice("laptop", 2, in: folder, conditions: plan.conditions)
    #expect(try await laptop.fetch(limit: 1000).count == 60)
    _ = FileCall.allCases.map { plan.asked($0) }

    #expect(try await laptop.fetch() == [])

    func calls(_ call: FileCall) -> [String] { plan.asked(call).filter { $0.contains("/w/") } }
    #expect(calls(.list).count == 1)
    #expect(calls(.open) == [])
    #expect(calls(.read) == [])
    #expect(calls(.look) == [])
  }
}
