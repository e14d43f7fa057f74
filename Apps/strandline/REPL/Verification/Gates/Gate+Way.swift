import Strandline

// One record from one device to the other.
extension Gate {
  static let way = [
    Gate(name: "devices", title: "A and B open their stores", isBasis: true) { verification in
      _ = try await verification.pair()
      return .passed(
        verification.place.hasProcesses
          ? "two processes" : "in one process, since no other one can reach the peer")
    },
    Gate(name: "saveOnA", title: "save on A", isBasis: true) { verification in
      let (a, _) = try await verification.pair()
      let id = try await a.insert("saved on A")
      verification.first = id
      let record = try await a.record(id)
      try GateFailure.expect(
        record.savedAt != nil && record.text == "saved on A",
        "Could not see the save on A, the record does not stand in its history.")
      return .passed("")
    },
    Gate(name: "exportOnA", title: "export on A", isBasis: true) { verification in
      let (a, _) = try await verification.pair()
      let cycle = try await a.sync()
      let sight = try await a.look(verification.first)
      try GateFailure.expect(
        sight.record?.exportedAt != nil && sight.pending == 0,
        "Could not see the export on A, \(waiting(sight.pending)).")
      return .passed(Wording.count(cycle.exported, "record") + " acknowledged")
    },
    Gate(name: "importOnB", title: "import on B", isBasis: true) { verification in
      let (_, b) = try await verification.pair()
      let cycle = try await b.sync()
      let record = try await b.record(verification.first)
      try GateFailure.expect(
        record.text == "saved on A",
        "Could not see the import on B, the record is not there.")
      return .passed(Wording.count(cycle.imported, "record") + " imported")
    },
    Gate(name: "mergedOnB", title: "history merged on B") { verification in
      let (_, b) = try await verification.pair()
      try await b.run(.waitForView(verification.first, "saved on A"))
      let record = try await b.record(verification.first)
      try GateFailure.expect(
        record.imports == 1 && record.shownAt != nil,
        "Could not see the merge on B, its visible list has not processed the import.")
      return .passed("")
    },
    Gate(name: "logOnB", title: "B's log shows the remote change") { verification in
      let (_, b) = try await verification.pair()
      let sight = try await b.look(verification.first)
      try GateFailure.expect(
        sight.hasImportEvent && sight.record?.imports == 1,
        "Could not see the change in the log of B, no import that succeeded stands there.")
      return .passed("")
    },
    Gate(name: "peerShows", title: "the peer shows the record") { verification in
      let reader = verification.reader
      let key = RecordKey(entity: verification.place.model.key, id: verification.first)
      let changes = try await Deadline.within(DeviceTask.seconds, "the peer") {
        try await reader.changes(of: key)
      }
      try GateFailure.expect(
        changes.contains { $0.birth != nil && $0.death == nil },
        "Could not see the record at the peer, a read from the beginning does not show it.")
      return .passed("read through the transport alone")
    },
  ]
}
