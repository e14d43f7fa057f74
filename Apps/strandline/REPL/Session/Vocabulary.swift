import Foundation
import Strandline
import Synchronization

/// What TAB can complete at each place of a command, from local data.
///
/// Completion runs on the editor's thread and must answer at once, so the names are gathered
/// before each prompt.
final class Vocabulary: Sendable {
  private struct Words: Sendable {
    var entities: [String] = []
    var fields: [String: [String]] = [:]
    var records: [String] = []
    var listed: [String: String] = [:]
    var devices: [String] = []
    var transports: [String] = []
    var peers: [(number: String, name: String)] = []
    var links: [String: [String]] = [:]
    var booleans: Set<String> = []
    var references: [String: String] = [:]
  }

  private let words = Mutex(Words())
  private let commands: [Command]

  @MainActor init(_ session: Session) {
    commands = CommandTable.all
    let schema = session.schema
    let transports = session.registry.addressForms
    words.withLock { words in
      words.entities = schema.entities.map(\.name)
      for entity in schema.entities {
        words.fields[entity.name] = entity.properties.map(\.name)
        words.links[entity.name] = entity.toMany.filter { $0.link != nil }.map(\.name)
        for property in entity.properties {
          let place = "\(entity.name).\(property.name)"
          if property.attributeType == .boolean { words.booleans.insert(place) }
          words.references[place] = property.destination
        }
      }
      words.transports = transports
    }
  }

  /// Gathers what changes while the session goes on.
  @MainActor func refresh(_ session: Session) async {
    let listing = session.device.listing
    // A store that cannot be read completes no peers, and says so at the next command.
    let peers = (try? await session.device.store.peerItems()) ?? []
    let devices = Set(session.home.localDevices()).union(session.devices.keys).sorted()
    words.withLock { words in
      words.records = listing.prefix(200).map(\.id.description)
      words.listed = [:]
      for (index, key) in listing.prefix(200).enumerated() {
        words.listed["#\(index + 1)"] = key.entity
        words.listed[key.id.description] = key.entity
      }
      words.devices = devices
      words.peers = peers.map { ("\($0.id)", $0.specification) }
    }
  }

  /// What can stand at the cursor.
  func complete(_ line: String, cursor: Int) -> Completion {
    let typed = String(line.prefix(cursor))
    let start = (typed.lastIndex { $0 == " " }).map { typed.index(after: $0) } ?? typed.startIndex
    let word = String(typed[start...])
    let before = typed[..<start].split(separator: " ").map(String.init)
    let offset = typed.distance(from: typed.startIndex, to: start)
    let candidates = candidates(after: before, word).filter { $0.text.hasPrefix(word) }
    return Completion(candidates: candidates, range: offset..<cursor)
  }

  private func candidates(after before: [String], _ word: String) -> [Completion.Candidate] {
    guard let name = before.first else {
      return commands.map { Completion.Candidate($0.name, note: $0.summary) }
    }
    guard let command = commands.first(where: { $0.name == name.lowercased() }) else { return [] }
    if word.hasPrefix("--") { return command.options.map { Completion.Candidate($0) } }
    if let last = before.last, last.hasPrefix("--") {
      let choices = command.choices(of: last)
      if !choices.isEmpty { return choices.map { Completion.Candidate($0) } }
    }
    let words = before.filter { !$0.hasPrefix("--") }
    let position = min(words.count - 1, command.words.count - 1)
    guard position >= 0 else { return [] }
    return candidates(command.words[position], of: command, after: words, word)
  }

  private func candidates(
    _ kind: Command.Word, of command: Command, after before: [String], _ word: String
  ) -> [Completion.Candidate] {
    let known = words.withLock { $0 }
    switch kind {
    case .entity: return known.entities.map { Completion.Candidate($0) }
    case .record:
      // A row of the last listing is shorter than its id, and what people mean by it.
      let rows = (1...max(1, known.records.count)).prefix(known.records.count).map { "#\($0)" }
      return (word.hasPrefix("#") ? rows : known.records).map { Completion.Candidate($0) }
    case .device: return known.devices.map { Completion.Candidate($0) }
    case .transport: return known.transports.map { Completion.Candidate($0, suffix: "") }
    case .peer where ["remove", "answer"].contains(before.last?.lowercased()):
      return known.peers.map { Completion.Candidate($0.number, note: $0.name) }
    case .peer: return known.transports.map { Completion.Candidate($0, suffix: "") }
    case .command: return commands.map { Completion.Candidate($0.name, note: $0.summary) }
    case .choice(let choices): return choices.map { Completion.Candidate($0) }
    case .file: return FileCandidates.list(word)
    case .relationship:
      return (known.links[entity(before, known)] ?? []).map { Completion.Candidate($0) }
    case .clauses:
      let keywords = ["where", "order by", "limit"].filter { !before.contains($0) }
      let columns = known.fields[entity(before, known)] ?? []
      return (before.count == 2 ? keywords : columns + keywords).map { Completion.Candidate($0) }
    case .fields: return fields(of: entity(before, known), command, known, word)
    }
  }

  /// The entity that a command is about: the one named, or that of the record named.
  private func entity(_ before: [String], _ known: Words) -> String {
    guard before.count > 1 else { return "" }
    return known.fields[before[1]] != nil ? before[1] : known.listed[before[1]] ?? ""
  }

  private func fields(
    of entity: String, _ command: Command, _ known: Words, _ word: String
  ) -> [Completion.Candidate] {
    let names = known.fields[entity] ?? []
    if let equals = word.firstIndex(of: "=") {
      let place = "\(entity).\(word[..<equals])"
      let head = word[...equals]
      if known.booleans.contains(place) {
        return ["true", "false"].map { Completion.Candidate(head + $0) }
      }
      let rows = known.listed.filter {
        $0.key.hasPrefix("#") && $0.value == known.references[place]
      }
      return rows.keys.sorted().map { Completion.Candidate(head + $0) }
    }
    let suffix = command.name == "toggle" ? " " : "="
    return names.map { Completion.Candidate($0, suffix: suffix) }
  }
}

/// Files that a word may be the beginning of.
private enum FileCandidates {
  /// No more are offered, however many a folder has.
  private static let most = 500

  static func list(_ word: String) -> [Completion.Candidate] {
    let slash = word.lastIndex(of: "/")
    let folder = slash.map { String(word[...$0]) } ?? ""
    let shown = slash.map { String(word[word.index(after: $0)...]) } ?? word
    let path = folder.isEmpty ? "." : folder
    // A folder that cannot be read completes nothing.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasPrefix(shown) && (!$0.hasPrefix(".") || shown.hasPrefix(".")) }
      .filter { !$0.contains { $0.isWhitespace || "'\"\\".contains($0) } }
      .sorted().prefix(most).map { name in
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
        return isFolder.boolValue
          ? Completion.Candidate(folder + name + "/", suffix: "")
          : Completion.Candidate(folder + name)
      }
  }
}
