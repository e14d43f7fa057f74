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
    let position = min(before.count - 1, command.words.count - 1)
    guard position >= 0 else { return [] }
    let known = words.withLock { $0 }
    switch command.words[position] {
    case .entity: return known.entities.map { Completion.Candidate($0) }
    case .record: return known.records.map { Completion.Candidate($0) }
    case .device: return known.devices.map { Completion.Candidate($0) }
    case .transport: return known.transports.map { Completion.Candidate($0, suffix: "") }
    case .peer where ["remove", "answer"].contains(before.last?.lowercased()):
      return known.peers.map { Completion.Candidate($0.number, note: $0.name) }
    case .peer: return known.transports.map { Completion.Candidate($0, suffix: "") }
    case .command: return commands.map { Completion.Candidate($0.name, note: $0.summary) }
    case .choice(let choices): return choices.map { Completion.Candidate($0) }
    case .file: return []
    case .fields:
      let entity = known.fields[before[1]] != nil ? before[1] : known.listed[before[1]] ?? ""
      let suffix = command.name == "toggle" ? " " : "="
      return (known.fields[entity] ?? []).map { Completion.Candidate($0, suffix: suffix) }
    }
  }
}
