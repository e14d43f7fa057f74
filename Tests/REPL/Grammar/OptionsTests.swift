import StrandlineREPL
import Testing

@Suite struct OptionsTests {
  @Test func `every key of the configuration is an option too`() throws {
    let options = try Options(arguments: [
      "--model", "m.json", "--device=phone", "--zone", "work", "--environment", "production",
      "--transport", "memory", "count", "Tag", "--transport=memory:other", "--token-file", "t",
      "--automatic", "off", "--debounce-milliseconds", "5", "--every-seconds=60",
      "--history-days", "30", "--consumer-days", "7", "--tombstone-days", "90",
    ])

    #expect(options.work == .command(["count", "Tag"]))
    #expect(options.model == "m.json")
    #expect(options.device == "phone")
    #expect(options.zone == "work")
    #expect(options.environment == "production")
    #expect(options.transport == "memory")
    #expect(options.moreTransports == ["memory:other"])
    #expect(options.tokenFile == "t")
    #expect(options.automatic == false)
    #expect(options.debounceMilliseconds == 5)
    #expect(options.everySeconds == 60)
    #expect(options.historyDays == 30)
    #expect(options.consumerDays == 7)
    #expect(options.tombstoneDays == 90)
    #expect(try Options(arguments: ["--history-days", "all"]).keepsAllHistory == true)
  }

  @Test(arguments: [
    ["--every-seconds", "0"], ["--history-days", "-1"], ["--debounce-milliseconds", "soon"],
    ["--automatic", "maybe"], ["--tombstone-days"], ["--evry-seconds", "5"], ["-c", "a", "b"],
  ])
  func `an option that makes no sense is a mistake of use`(arguments: [String]) {
    let error = #expect(throws: CommandError.self) { try Options(arguments: arguments) }

    #expect(error?.exitCode == .usage)
    #expect(error?.advice.isEmpty == false)
  }

  @Test func `commands keep their order, and options may stand anywhere`() throws {
    let options = try Options(arguments: ["-c", "a", "--json", "-c", "b", "--yes", "--keep-going"])

    #expect(options.work == .commands(["a", "b"]))
    #expect(options.isJSON && options.saysYes && options.keepsGoing)
    #expect(try Options(arguments: ["-f", "-"]).work == .script("-"))
    #expect(
      try Options(arguments: ["schema", "deploy", "--dry-run"]).work
        == .command(["schema", "deploy", "--dry-run"]))
  }
}
