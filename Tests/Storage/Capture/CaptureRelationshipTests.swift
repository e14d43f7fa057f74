import StrandlineModels
import StrandlineStorage
import Testing

/// What foreign keys do for another client is recorded, and what they do not do is not.
@Suite struct CaptureRelationshipTests {
  private static let link = LoggedChange(
    entity: "Tag_items", id: CaptureWorld.link, kind: .delete)

  @Test(arguments: ForeignSetting.all)
  func `a cascade is recorded where foreign keys are on`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("DELETE FROM Tag WHERE id = 't'")

    try await world.expect(
      setting.foreignKeys ? [Self.link, .delete("Tag", "t")] : [.delete("Tag", "t")])
  }

  @Test(arguments: ForeignSetting.all)
  func `a reference that becomes null is recorded where foreign keys are on`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("DELETE FROM TodoList")

    let nulled = ["a", "b"].map { LoggedChange.update("TodoItem", $0, ["list"]) }
    try await world.expect(
      (setting.foreignKeys ? nulled : []) + [.delete("TodoList", "l")])
    let list = try await world.value("TodoItem", "a", "list")
    #expect(list == (setting.foreignKeys ? .null : .text("l")))
  }

  @Test(arguments: ForeignSetting.all)
  func `replacing a parent records what its foreign keys do`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("REPLACE INTO TodoList(id, title) VALUES ('l', 'Work')")

    let nulled = ["a", "b"].map { LoggedChange.update("TodoItem", $0, ["list"]) }
    let replaced: [LoggedChange] =
      setting.recursiveTriggers
      ? [.delete("TodoList", "l"), .insert("TodoList", "l")]
      : [.update("TodoList", "l", ["title"])]
    try await world.expect((setting.foreignKeys ? nulled : []) + replaced)
  }

  @Test(arguments: ForeignSetting.all)
  func `a dangling reference is refused where foreign keys are on`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)
    let sql = "UPDATE TodoItem SET list = 'nowhere' WHERE id = 'a'"

    if setting.foreignKeys {
      try await world.expectRefusal(of: sql, saying: "FOREIGN KEY constraint failed")
    } else {
      try await world.run(sql)
      try await world.expect([.update("TodoItem", "a", ["list"])])
    }
  }
}
