import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTransport
import Testing

/// The cycle as a pure machine: events go in, effects come out, nothing else happens.
@Suite struct CycleMachineTests {
  @Test func `a cycle with nothing to do asks for each stage in turn`() throws {
    var machine = Script.machine()

    #expect(Script.names(machine.start()) == ["begin setup", "askAccount"])
    #expect(Script.names(machine.handle(.account(.success(.available("ann"))))) == ["openZone"])
    #expect(Script.names(machine.handle(.opened(.success(Script.zone())))) == ["reconcile"])
    #expect(
      Script.names(machine.handle(Script.reconciled())) == ["end setup", "begin import", "fetch"])
    #expect(Script.names(machine.handle(.fetched(.success(Script.page())))) == ["apply 1"])
    #expect(
      Script.names(machine.handle(Script.applied(Script.peer(cursor: [1]))))
        == ["end import", "gather"])
    #expect(
      Script.names(machine.handle(.gathered(nil, Script.peer(cursor: [1])))) == [
        "exchangeReceipts"
      ])
    #expect(Script.names(machine.handle(.receipts(.success([])))) == ["recordReports"])
    #expect(Script.names(machine.handle(.reportsRecorded)) == ["finish caught up"])
  }

  @Test(arguments: [AccountState.signedOut, .restricted])
  func `without an account it is blocked before anything is opened`(state: AccountState) {
    var machine = Script.machine()
    _ = machine.start()

    let effects = machine.handle(.account(.success(state)))

    #expect(Script.names(effects) == ["end setup failed", "finish blocked"])
  }

  @Test func `an account that cannot be told at the moment is asked for again later`() {
    var machine = Script.machine()
    _ = machine.start()

    let effects = machine.handle(.account(.success(.undetermined)))

    #expect(Script.names(effects) == ["end setup failed", "finish retry"])
  }

  @Test func `another account is blocked before its zone is opened`() {
    var machine = Script.machine(Script.peer(account: "ann", zone: "z"))
    _ = machine.start()

    let effects = machine.handle(.account(.success(.available("ben"))))

    #expect(Script.names(effects) == ["end setup failed", "finish blocked"])
    #expect(machine.report.error?.codeName == "accountChanged")
  }

  @Test func `a zone of another account or of another id is blocked and gets nothing`() {
    for found in [Script.zone(account: "ben"), Script.zone(id: "other")] {
      var machine = Script.machine(Script.peer(account: "ann", zone: "z"))
      _ = machine.start()
      _ = machine.handle(.account(.success(.available("ann"))))

      let effects = machine.handle(.opened(.success(found)))

      #expect(Script.names(effects) == ["end setup failed", "finish blocked"])
    }
  }

  @Test func `a zone in memory that is gone is begun anew, any other is asked about`() {
    for code in [TransportError.Code.zoneNotFound, .zoneReplaced] {
      let error = TransportError(code, "Gone.", remedy: .ask)
      var memory = Script.machine(Script.peer(account: "ann", zone: "z"), isEphemeral: true)
      var other = Script.machine(Script.peer(account: "ann", zone: "z"))
      _ = memory.start()
      _ = other.start()
      _ = memory.handle(.account(.success(.available("ann"))))
      _ = other.handle(.account(.success(.available("ann"))))

      #expect(
        Script.names(memory.handle(.opened(.failure(error)))) == ["end setup", "renewPeer"])
      #expect(
        Script.names(other.handle(.opened(.failure(error)))) == [
          "end setup failed", "finish blocked",
        ])
      #expect(
        Script.names(memory.handle(.renewed(Script.peer()))) == ["begin setup", "askAccount"])
    }
  }

  @Test func `a purged zone is never filled again unasked, not even one in memory`() {
    var machine = Script.machine(Script.peer(account: "ann", zone: "z"), isEphemeral: true)
    _ = machine.start()
    _ = machine.handle(.account(.success(.available("ann"))))

    let effects = machine.handle(
      .opened(.failure(TransportError(.zonePurged, "Purged.", remedy: .ask))))

    #expect(Script.names(effects) == ["end setup failed", "finish blocked"])
  }

  @Test func `pages are staged and applied together when the head is reached`() {
    var machine = Script.importing()

    #expect(Script.names(machine.handle(.fetched(.success(Script.page(head: false))))) == ["fetch"])
    #expect(Script.names(machine.handle(.fetched(.success(Script.page(head: false))))) == ["fetch"])
    #expect(Script.names(machine.handle(.fetched(.success(Script.page())))) == ["apply 3"])
  }

  @Test func `each fetch goes on from the staged page before it`() throws {
    var machine = Script.importing()

    let effects = machine.handle(.fetched(.success(Script.page(head: false, cursor: [9]))))

    guard case .fetch(let request) = try #require(effects.first) else {
      Issue.record("\(effects)")
      return
    }
    #expect(request.cursor == Cursor(bytes: [9]))
    #expect(request.proof == Script.proof)
  }

  @Test func `a catch-up beyond the limit goes in pieces`() {
    var limits = CycleMachine.Limits()
    limits.stagedChanges = 2
    var machine = Script.importing(limits: limits)

    let first = machine.handle(.fetched(.success(Script.page(head: false, changes: 2))))
    let next = machine.handle(Script.applied(Script.peer(cursor: [1])))

    #expect(Script.names(first) == ["apply 1"])
    #expect(Script.names(next) == ["fetch"])
  }

  @Test func `a failed fetch applies nothing that was staged`() {
    var machine = Script.importing()
    _ = machine.handle(.fetched(.success(Script.page(head: false))))

    let effects = machine.handle(
      .fetched(
        .failure(TransportError(.unreachable, "Silence.", remedy: .retry(afterMilliseconds: nil)))))

    #expect(Script.names(effects) == ["end import failed", "finish retry"])
  }

  @Test func `a zone that has to be compared is reset and begun again, but not for ever`() {
    var machine = Script.importing()
    let expired = TransportError(.cursorExpired, "Expired.", remedy: .compareAll)

    for _ in 0..<CycleMachine.Limits().restarts {
      let effects = machine.handle(.fetched(.failure(expired)))
      #expect(Script.names(effects) == ["end import failed", "resetForCompare"])
      #expect(
        Script.names(machine.handle(.resetForCompare(Script.peer()))) == [
          "begin setup", "askAccount",
        ])
      Script.advanceToImport(&machine)
    }

    #expect(
      Script.names(machine.handle(.fetched(.failure(expired)))) == [
        "end import failed", "finish retry",
      ])
  }

  @Test func `the pages of a group are sent one after the other and acknowledged once`() {
    var machine = Script.exporting()
    let group = Script.group(pages: 2)

    #expect(
      Script.names(machine.handle(.gathered(group, Script.peer()))) == ["begin export", "send 0"])
    #expect(Script.names(machine.handle(.sent(.success(SendAnswer())))) == ["send 1 last"])
    #expect(Script.names(machine.handle(.sent(.success(Script.accepted)))) == ["acknowledge"])
    #expect(
      Script.names(machine.handle(.acknowledged(Script.peer(cursor: [1]), appliedDeaths: 0))) == [
        "end export", "exchangeReceipts",
      ])
    #expect(machine.report.exported == 2)
  }

  @Test func `a refused record is left out, the rest goes on and the refusal is recorded`() throws {
    var machine = Script.exporting()
    _ = machine.handle(.gathered(Script.group(pages: 1), Script.peer()))
    let refusal = Refusal(key: Script.key(1), code: "tooLarge", message: "Too large.")

    let regathered = machine.handle(.sent(.success(SendAnswer(refused: [refusal]))))
    let resent = machine.handle(.gathered(Script.group(pages: 1), Script.peer()))
    let acknowledged = machine.handle(.sent(.success(Script.accepted)))

    guard case .gather(let excluded) = try #require(regathered.first) else {
      Issue.record("\(regathered)")
      return
    }
    #expect(excluded == [refusal])
    #expect(Script.names(resent) == ["send 0 last"])
    guard case .acknowledge(_, _, _, let recorded) = try #require(acknowledged.first) else {
      Issue.record("\(acknowledged)")
      return
    }
    #expect(recorded == [refusal])
    _ = machine.handle(.acknowledged(Script.peer(), appliedDeaths: 0))
    #expect(machine.report.setAside == 1)
  }

  @Test func `a part of a long upload is followed by the next part`() {
    var machine = Script.exporting()
    _ = machine.handle(.gathered(Script.group(pages: 1, isPart: true), Script.peer()))
    _ = machine.handle(.sent(.success(Script.accepted)))

    let effects = machine.handle(.acknowledged(Script.peer(), appliedDeaths: 0))

    #expect(Script.names(effects) == ["gather"])
  }

  @Test func `a group that is complete and not accepted ends the cycle`() {
    var machine = Script.exporting()
    _ = machine.handle(.gathered(Script.group(pages: 1), Script.peer()))

    let effects = machine.handle(.sent(.success(SendAnswer())))

    #expect(Script.names(effects) == ["end export failed", "finish retry"])
  }

  @Test func `a new identity is taken into the zone again before anything is sent`() {
    var machine = Script.machine()
    _ = machine.start()
    _ = machine.handle(.account(.success(.available("ann"))))
    _ = machine.handle(.opened(.success(Script.zone())))

    let effects = machine.handle(Script.reconciled(hasNewIdentity: true))

    #expect(Script.names(effects) == ["openZone"])
    #expect(machine.device == Script.successor)
  }

  @Test func `a store that fails blocks the cycle with its error`() {
    var machine = Script.exporting()

    let effects = machine.handle(
      .storeFailed(SyncError(.switchedOff, "Could not read.", advice: "")))

    #expect(Script.names(effects) == ["finish blocked"])
    #expect(machine.report.error != nil)
  }

  @Test func `while another device uploads the cycle does not claim to be caught up`() {
    var machine = Script.importing()
    _ = machine.handle(.fetched(.success(Script.page())))
    _ = machine.handle(Script.applied(Script.peer(isCatchingUp: true)))

    let effects = machine.handle(.gathered(nil, Script.peer(cursor: [1], isCatchingUp: true)))
    _ = machine.handle(.receipts(.success([])))

    #expect(Script.names(effects) == ["exchangeReceipts"])
    #expect(Script.names(machine.handle(.reportsRecorded)) == ["finish"])
  }
}
