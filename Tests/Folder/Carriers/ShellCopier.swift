import Foundation
import StrandlineModels
import StrandlineTestSupport

/// Carries files between two folders by a shell script of `cp`, `mv`, `rm` and `head`.
struct ShellCopier {
  /// What the script does with a file, in any order.
  enum Way: Hashable, CaseIterable {
    case whole
    case twice
    case byTemporaryName
    case cut
    case later
  }

  let folder: TemporaryFolder
  /// The names of the two folders.
  let sides: [String]
  /// How often each thing was done.
  private(set) var ways: [Way: Int] = [:]
  private var random: SeededGenerator
  /// The side on which each file appeared, from where it is carried.
  private var owners: [String: Int] = [:]

  init(folder: TemporaryFolder, sides: [String], seed: UInt64) {
    self.folder = folder
    self.sides = sides
    random = SeededGenerator(seed: seed)
  }

  /// Carries what differs, badly: permuted, cut, late, twice.
  mutating func carryBadly() async throws {
    let found = try look()
    var lines: [String] = []
    for path in found.changed {
      let way = Way.allCases.randomElement(using: &random) ?? .whole
      ways[way, default: 0] += 1
      lines += commands(way, path)
    }
    for path in found.gone where Bool.random(using: &random) { lines.append(removal(path)) }
    try await run(lines.shuffled(using: &random))
  }

  /// Carries what differs, as it is.
  ///
  /// - Returns: Whether anything was carried.
  mutating func carryAll() async throws -> Bool {
    let found = try look()
    let lines = found.changed.flatMap { commands(.whole, $0) } + found.gone.map(removal)
    try await run(lines)
    return !lines.isEmpty
  }

  /// Shell lines that may be put into any order.
  private mutating func commands(_ way: Way, _ path: String) -> [String] {
    let (source, target) = places(path)
    let (old, new) = ("'\(source)'", "'\(target)'")
    let copy = "mkdir -p \"$(dirname \(new))\" && cp \(old) \(new)"
    let temporary =
      "\"$(dirname \(new))/.syncthing.\(URL(fileURLWithPath: path).lastPathComponent).tmp\""
    switch way {
    case .whole: return [copy]
    case .twice: return [copy, copy]
    case .byTemporaryName:
      return [
        "mkdir -p \"$(dirname \(new))\" && cp \(old) \(temporary) && mv \(temporary) \(new)"
      ]
    case .cut:
      let size = Int.random(in: 0..<400, using: &random)
      return ["mkdir -p \"$(dirname \(new))\" && head -c \(size) \(old) > \(new)"]
    case .later: return []
    }
  }

  private func removal(_ path: String) -> String { "rm -f '\(places(path).target)'" }

  private func places(_ path: String) -> (source: String, target: String) {
    let owner = owners[path] ?? 0
    return ("\(sides[owner])/\(path)", "\(sides[1 - owner])/\(path)")
  }

  /// The files that the other side lacks or has otherwise, and those that their owner has removed.
  private mutating func look() throws -> (changed: [String], gone: [String]) {
    let contents = [try files(sides[0]), try files(sides[1])]
    for (side, files) in contents.enumerated() {
      for path in files.keys where owners[path] == nil { owners[path] = side }
    }
    var (changed, gone): ([String], [String]) = ([], [])
    for (path, owner) in owners.sorted(by: { $0.key < $1.key }) {
      let (own, other) = (contents[owner][path], contents[1 - owner][path])
      if own == nil, other != nil { gone.append(path) }
      if own != nil, own != other { changed.append(path) }
    }
    return (changed, gone)
  }

  private func files(_ side: String) throws -> [String: Data] {
    let root = folder.path(side)
    var found: [String: Data] = [:]
    for path in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? []
    where !path.contains(".syncthing.") {
      var status = stat()
      guard lstat(root + "/" + path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      found[path] = try Data(contentsOf: URL(fileURLWithPath: root + "/" + path))
    }
    return found
  }

  private func run(_ lines: [String]) async throws {
    let script = (["set -eu"] + lines).joined(separator: "\n") + "\n"
    try folder.write(script, to: "carry.sh")
    let outcome = try await ChildProcess(
      folder: folder, executable: "/bin/sh", arguments: [folder.path("carry.sh")]
    ).run()
    guard outcome.code == 0 else {
      throw CarrierError(description: "The shell could not carry files: \(outcome.error)")
    }
  }
}
