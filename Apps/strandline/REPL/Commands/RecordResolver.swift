import Strandline

/// Finds the record that a person means by a row number, an id or the beginning of one.
@MainActor struct RecordResolver {
  let session: Session

  private nonisolated static let shortestPrefix = 6

  /// The record; in one entity only, if one is named.
  ///
  /// - Throws: `unknownRow`, `shortID`, `unknownID`, `ambiguousID`.
  func resolve(_ token: Token, in entity: String? = nil) async throws -> RecordKey {
    var text = token.text
    if case .reference(let word) = token.kind {
      if word.count <= 5, let row = Int(word) { return try recordInRow(row, token) }
      text = word
    }
    let found = try await matches(text, in: entity)
    if let only = found.first, found.count == 1 { return only }
    if found.isEmpty { throw notFound(text, entity, token) }
    throw CommandError(
      "ambiguousID", "Could not tell which record '\(text)' means, \(found.count) begin so.",
      advice: "Write more of the id, or list the records and use #N.", at: token,
      exitCode: .failed)
  }

  /// The id of a record, also of one that was deleted, if the id is whole.
  func resolveDeletedToo(_ token: Token) async throws -> RecordID {
    do {
      return try await resolve(token).id
    } catch let error where error is CommandError && token.text.count >= 36 {
      return RecordID(token.text)
    }
  }

  /// The record, also one that was deleted, if the id is whole.
  ///
  /// - Throws: As ``resolve(_:in:)``.
  func resolveKeyDeletedToo(_ token: Token) async throws -> RecordKey {
    do {
      return try await resolve(token)
    } catch let error as CommandError {
      var text = token.text
      if case .reference(let word) = token.kind { text = word }
      let id = RecordID(text)
      let entities = try await session.device.read { try $0.entities(knowing: id) }
      guard let entity = entities.first else { throw error }
      guard entities.count == 1 else {
        throw CommandError(
          "ambiguousID",
          "Could not tell which record '\(text)' means, it is an id in "
            + "\(entities.joined(separator: " and ")).",
          advice: "List the records of one of them and use #N.", at: token, exitCode: .failed)
      }
      return RecordKey(entity: entity, id: id)
    }
  }

  private func recordInRow(_ row: Int, _ token: Token) throws(CommandError) -> RecordKey {
    let listing = session.device.listing
    guard row >= 1, row <= listing.count else {
      throw CommandError(
        "unknownRow",
        listing.isEmpty
          ? "Could not use '#\(row)', nothing was listed yet."
          : "Could not use '#\(row)', the last listing has \(Wording.count(listing.count, "row")).",
        advice: "List the records first; #N is row N of the last listing.", at: token,
        exitCode: .failed)
    }
    return listing[row - 1]
  }

  private func notFound(_ text: String, _ entity: String?, _ token: Token) -> CommandError {
    if text.count < Self.shortestPrefix && !text.contains(where: \.isWhitespace) {
      return CommandError(
        "shortID", "Could not find the record '\(text)', so short a word must be a whole id.",
        advice: "Write at least \(Self.shortestPrefix) characters of an id, or #N for row N of "
          + "the last listing.", at: token, exitCode: .failed)
    }
    return CommandError(
      "unknownID",
      "Could not find the record '\(text)', no \(entity ?? "record") on this device has that id.",
      advice: "List the records to see their ids.", at: token, exitCode: .failed)
  }

  private func matches(_ text: String, in entity: String?) async throws -> [RecordKey] {
    let names =
      entity.map { [$0] } ?? session.schema.entities.filter { !$0.isLink }.map(\.name)
    let exact = RecordID(text)
    let range = text.count >= Self.shortestPrefix ? Self.range(of: text) : nil
    let unsaved = unsaved(text, in: names)
    if !unsaved.isEmpty { return unsaved }
    return try await session.device.read { read in
      for name in names where try read.record(name, exact) != nil {
        return [RecordKey(entity: name, id: exact)]
      }
      var found: [RecordKey] = []
      for name in names {
        if let range {
          found += try read.records(
            Query(
              name, where: "id >= ? AND id <= ?", arguments: [range.low, range.high], limit: 10)
          ).map { RecordKey(entity: name, id: $0.id) }
        }
        if text.count >= Self.shortestPrefix {
          found += try read.records(
            Query(
              name, where: "typeof(id) = 'text' AND id >= ? AND id < ?",
              arguments: [.text(text), .text(text + "\u{10FFFF}")], limit: 10)
          ).map { RecordKey(entity: name, id: $0.id) }
        }
      }
      return found
    }
  }

  /// Records that a context is to insert, which the store has not yet.
  private func unsaved(_ text: String, in names: [String]) -> [RecordKey] {
    let inserted = session.device.context?.insertedRecords ?? []
    return inserted.filter { record in
      let id = record.id.description
      return names.contains(record.entity)
        && (id == text || (text.count >= Self.shortestPrefix && id.hasPrefix(text)))
    }.map { RecordKey(entity: $0.entity, id: $0.id) }
  }

  /// The first and last UUID that begin with these digits.
  private static func range(of prefix: String) -> (low: Value, high: Value)? {
    let digits = prefix.filter { $0 != "-" }
    guard digits.count <= 32,
      let low = Hexadecimal.bytes(digits + String(repeating: "0", count: 32 - digits.count)),
      let high = Hexadecimal.bytes(digits + String(repeating: "f", count: 32 - digits.count))
    else { return nil }
    return (.blob(low), .blob(high))
  }
}
