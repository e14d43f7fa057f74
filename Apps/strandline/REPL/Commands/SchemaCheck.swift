import Strandline
import StrandlineTransport

/// What a model would do to the store, and what production does not know of it.
@MainActor struct SchemaCheck {
  private struct Finding {
    let level: String
    let place: String
    let message: String
    let cure: String
  }

  let session: Session

  /// Checks a model file, or the model of the store.
  func run(_ file: Token?) async throws {
    let model = try read(file)
    let findings = changes(to: model) + (try await unknownToProduction(model))
    let entities = model.entities.count { !$0.isLink }
    session.show(
      ResultTable(
        columns: ["level", "where", "what", "to do"],
        rows: findings.map { [$0.level, $0.place, $0.message, $0.cure] }),
      json: { findings.map(json) },
      whenEmpty:
        "The model is sound, with \(Wording.count(entities, "entity", plural: "entities")) "
        + "in version \(model.version). The store has all of it.")
  }

  private func read(_ file: Token?) throws -> Schema {
    guard let file else { return session.schema }
    try session.requireForeignFile(file.text, at: file)
    do {
      return try Home.readModel(file.text)
    } catch let error as CommandError {
      // The store is well; it is the file that is not.
      throw CommandError(
        error.codeName, error.message, advice: error.advice, at: file, exitCode: .failed,
        cause: error.cause)
    }
  }

  private func json(_ finding: Finding) -> JSONValue {
    .object([
      "schemaFinding": .object([
        "level": .string(finding.level), "place": .string(finding.place),
        "message": .string(finding.message), "cure": .string(finding.cure),
      ])
    ])
  }

  // MARK: The store

  private func changes(to model: Schema) -> [Finding] {
    let old = session.device.store.schema
    var findings: [Finding] = []
    for entity in model.entities where !entity.isLink {
      guard let known = old.entity(key: entity.key) else {
        findings.append(added(entity.name))
        continue
      }
      findings += changes(from: known, to: entity)
    }
    for entity in old.entities where !entity.isLink && model.entity(key: entity.key) == nil {
      findings.append(hidden(entity.name))
    }
    return findings
  }

  private func changes(from old: Entity, to new: Entity) -> [Finding] {
    var findings: [Finding] = []
    if old.name != new.name { findings.append(renamed(old.name, new.name)) }
    for property in new.properties {
      let place = "\(new.name).\(property.name)"
      guard let known = old.properties.first(where: { $0.key == property.key }) else {
        findings.append(added(place))
        continue
      }
      if known.name != property.name {
        findings.append(renamed("\(old.name).\(known.name)", place))
      }
      if Self.hasOtherType(known.kind, property.kind) {
        findings.append(
          Finding(
            level: "warning", place: place, message: "It has another type than in the store.",
            cure: "Values that do not fit are kept aside; add a new property instead."))
      }
    }
    let keys = Set(new.properties.map(\.key))
    findings += old.properties.filter { !keys.contains($0.key) }
      .map { hidden("\(old.name).\($0.name)") }
    return findings
  }

  private static func hasOtherType(_ old: Property.Kind, _ new: Property.Kind) -> Bool {
    switch (old, new) {
    case (.attribute(let before), .attribute(let after)): before != after
    case (.reference(let before, _), .reference(let after, _)): before != after
    default: true
    }
  }

  private func added(_ place: String) -> Finding {
    Finding(
      level: "note", place: place, message: "The store does not have it yet.",
      cure: "Use migrate FILE, which adds it.")
  }

  private func hidden(_ place: String) -> Finding {
    Finding(
      level: "warning", place: place, message: "The model no longer has it.",
      cure: "The store would keep its values and show none.")
  }

  private func renamed(_ old: String, _ new: String) -> Finding {
    Finding(
      level: "note", place: new, message: "It is called \(old) in the store.",
      cure: "Use migrate FILE, which renames it.")
  }

  // MARK: The environments

  private func unknownToProduction(_ model: Schema) async throws -> [Finding] {
    guard session.maySync else { return [] }
    var findings: [Finding] = []
    for peer in session.peers {
      guard let keeper = try await session.schemaKeeper(of: peer) else { continue }
      let lacking = SchemaCommands.lines(
        SchemaCommands.difference(
          from: try await keeper.schema(of: .production), to: model.syncedKeys))
      guard !lacking.isEmpty else { continue }
      findings.append(
        Finding(
          level: session.home.environment == .production ? "problem" : "note",
          place: peer.transport,
          message: "Production does not know \(lacking.joined(separator: ", ")).",
          cure: "Use schema deploy, once development knows it."))
    }
    return findings
  }
}
