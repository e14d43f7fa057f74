import Strandline

// What a device tells of itself.
extension VerifiedDevice {
  /// Waits until the visible list shows a text for a record.
  func waitForView(_ id: RecordID, _ text: String) async throws {
    let device = try device()
    let name = device.model.text
    var changes = device.viewChanges.makeAsyncIterator()
    while device.view.content.first(where: { $0.id == id })?[name] != .text(text) {
      if let failure = device.view.lastReloadError { throw failure }
      guard await changes.next(isolation: #isolation) != nil else { throw CancellationError() }
    }
  }

  /// Tells what is observed, with what is known of a record.
  func look(_ id: RecordID?) async throws -> DeviceSight {
    let device = try device()
    let store = device.synced.store
    let status = try await store.status(deviceName: "").first
    let hasImport = try await store.events(limit: 200).contains {
      $0.kind == "import" && $0.succeeded == true && $0.records > 0
    }
    return DeviceSight(
      standing: status?.standing.rawValue ?? "off", pending: status?.pending ?? 0,
      asOf: status?.asOf, lastSuccess: status?.lastSuccessfulActivity, reason: status?.reason,
      hasImportEvent: hasImport, record: try await lookAt(id, device))
  }

  private func lookAt(_ id: RecordID?, _ device: Opened) async throws -> RecordSight? {
    guard let id else { return nil }
    let (store, model) = (device.synced.store, device.model)
    let record = try await store.read { try $0.record(model.entity, id) }
    let trace = try await store.trace(id)
    let history = try await store.history(of: id)
    return RecordSight(
      text: record?[model.text].text, isOn: model.isOn(record?[model.toggle] ?? .null),
      savedAt: trace?.savedAt, exportedAt: trace?.peers.first?.exportedAt,
      shownAt: trace?.consumers.first { $0.consumer == Self.consumer }?.at,
      transactions: history.count,
      imports: history.count { if case .imported = $0.origin { true } else { false } })
  }

  /// Tells the texts of all records by their ids.
  func contents() async throws -> [String: String] {
    let device = try device()
    let model = device.model
    let records = try await device.synced.store.read { try $0.records(Query(model.entity)) }
    return Dictionary(
      records.map { ($0.id.description, $0[model.text].text ?? "") }, uniquingKeysWith: { $1 })
  }
}
