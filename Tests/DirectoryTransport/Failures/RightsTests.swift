import Foundation
import StrandlineDirectoryTransport
import StrandlineTransport
import Testing

/// Folders that several users of one machine or one file server share.
@Suite struct RightsTests {
  private func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & 0o7777
  }

  private func group(_ path: String) throws -> gid_t {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_gid
  }

  /// Everything below a folder, by its path.
  private func everything(in folder: TestFolder) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).map {
      folder.path + "/" + $0
    }
  }

  /// Writes some of everything that the transport writes.
  private func use(_ folder: TestFolder) async throws {
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    _ = try await phone.fetch()
    _ = try await phone.receipts()
  }

  @Test(.enabled(if: geteuid() == 0, "only root may give a folder to another group"))
  func `in a folder that a group shares everything is the group's to read and write`()
    async throws
  {
    let folder = try TestFolder()
    try #require(chown(folder.path, 0, 4242) == 0)
    try #require(chmod(folder.path, 0o2775) == 0)

    try await use(folder)

    let paths = try everything(in: folder)
    #expect(paths.count > 8)
    for path in paths {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      #expect(try group(path) == 4242, "\(path)")
      #expect(try mode(path) & 0o2070 == (isFolder.boolValue ? 0o2070 : 0o060), "\(path)")
    }
  }

  @Test(arguments: [0o755, 0o775, 0o2755] as [mode_t])
  func `in any other folder the person's file mask is left alone`(root: mode_t) async throws {
    let folder = try TestFolder()
    try #require(chmod(folder.path, root) == 0)
    let control = folder.path + "/control"
    close(open(control, O_WRONLY | O_CREAT, 0o666))
    let usual = try mode(control)

    try await use(folder)

    for file in try folder.files() {
      #expect(try mode(folder.path + "/" + file) == usual, "\(file)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root may look with another user's rights"))
  func `a file that this user may not read is named with its owner, and the others go on`()
    async throws
  {
    let folder = try TestFolder()
    for path in [folder.path] { try #require(chmod(path, 0o755) == 0) }
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let path = folder.path + "/" + file
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("b")
    try #require(chown(path, 1, 1) == 0)
    try #require(chmod(path, 0o600) == 0)
    let owner = String(cString: try #require(getpwuid(1)).pointee.pw_name)
    let stranger = try OtherUser()
    var laptop = try await TestDevice("laptop", 2, in: folder, conditions: stranger.conditions)

    #expect(try await laptop.fetch() == ["b"])
    let sentence = try #require(laptop.waitingFor.first)
    #expect(laptop.waitingFor.count == 1)
    #expect(sentence.contains("it belongs to \(owner) and the system says: Permission denied"))
    #expect(sentence.contains(path))
    try #require(chmod(path, 0o644) == 0)
    #expect(try await laptop.fetch() == ["a"])
  }

  @Test(.enabled(if: geteuid() == 0, "only root may look with another user's rights"))
  func `a writer's folder that this user may not enter stops only that writer`() async throws {
    let folder = try TestFolder()
    try #require(chmod(folder.path, 0o755) == 0)
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("b")
    let place = folder.path + "/zones/notes/i1/w/\(phone.info.id)"
    try #require(chmod(place, 0o700) == 0)
    let stranger = try OtherUser()
    var laptop = try await TestDevice("laptop", 2, in: folder, conditions: stranger.conditions)

    #expect(try await laptop.fetch() == ["b"])
    #expect(laptop.waitingFor.count == 1)
    #expect(laptop.waitingFor.first?.contains("it belongs to root") == true)
    try #require(chmod(place, 0o755) == 0)
    #expect(try await laptop.fetch() == ["a"])
  }
}

/// Lets the system judge what a user without any rights of its own may open.
///
/// Each call is first tried with that user's rights, which the system keeps for every thread by
/// itself, and fails with what the system says then.
private struct OtherUser: Sendable {
  private typealias SetID = @convention(c) (UInt32) -> Int32
  private static let nobody: UInt32 = 65_534
  private let setUser: SetID
  private let setGroup: SetID

  init() throws {
    let user = try #require(dlsym(nil, "setfsuid"))
    let group = try #require(dlsym(nil, "setfsgid"))
    setUser = unsafeBitCast(user, to: SetID.self)
    setGroup = unsafeBitCast(group, to: SetID.self)
  }

  var conditions: FileConditions {
    FileConditions(failure: { call, path in
      switch call {
      case .open, .list: refusal(path)
      default: nil
      }
    })
  }

  private func refusal(_ path: String) -> Int32? {
    _ = setGroup(Self.nobody)
    _ = setUser(Self.nobody)
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    let number = descriptor < 0 ? errno : 0
    _ = setUser(0)
    _ = setGroup(0)
    if descriptor >= 0 { close(descriptor) }
    return number == 0 ? nil : number
  }
}
