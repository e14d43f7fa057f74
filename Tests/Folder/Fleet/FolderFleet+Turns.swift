import Foundation
import Strandline
import StrandlineModels
import StrandlineTesting

extension FolderFleet {
  /// Plays some steps, with the turns of a scenario at random moments among them.
  func play(steps: Int, turns: [FolderScenario.Turn]) async throws {
    var plan: [Int: [FolderScenario.Turn]] = [:]
    for turn in turns {
      plan[Int.random(in: steps / 3...steps * 4 / 5, using: &random), default: []].append(turn)
    }
    for step in 0..<steps {
      if step % 5 == 0 { try await backUp() }
      for turn in plan[step] ?? [] { try await take(turn) }
      try await self.step()
    }
  }

  /// Makes a backup of a random device: of its store, and often of its folder with it.
  private func backUp() async throws {
    guard let index = living.randomElement(using: &random) else { return }
    let store = try StoreFiles(from: devices[index].home)
    let folder = try await copier.snapshot(of: devices[index].copy)
    devices[index].backup = Backup(store: store, folder: folder)
  }

  private func take(_ turn: FolderScenario.Turn) async throws {
    guard let index = living.randomElement(using: &random) else { return }
    let happens =
      switch turn {
      case .storeRestored: try await restore(withFolder: false)
      case .machineRestored: try await restore(withFolder: true)
      case .cloned: try await clone(index)
      case .tidied: try tidy(index)
      case .died: try await end(index)
      case .joined: try await joinLate()
      }
    if happens { counts.turns[turn, default: 0] += 1 }
  }

  private func restore(withFolder: Bool) async throws -> Bool {
    let candidates = living.filter { devices[$0].backup != nil }
    guard let index = candidates.randomElement(using: &random),
      let backup = devices[index].backup
    else { return false }
    await close(index)
    devices[index].generation += 1
    try backup.store.write(to: try makeHome(of: index))
    if withFolder, let folder = backup.folder {
      try await copier.restore(folder, to: devices[index].copy)
    }
    devices[index].backup = nil
    try await open(index)
    return true
  }

  private func clone(_ index: Int) async throws -> Bool {
    let number = devices.count + 1
    let folder = try place.folder("\(number)/folder")
    let copy = try await copier.add(folder, copyOf: devices[index].copy)
    try addDevice(number, folder: folder, copy: copy)
    try StoreFiles(from: devices[index].home).write(to: try makeHome(of: number - 1))
    try await open(number - 1)
    return true
  }

  /// Removes some of the files that Strandline keeps in a folder, as a person does who tidies.
  private func tidy(_ index: Int) throws -> Bool {
    let root = devices[index].folder
    guard let listing = FileManager.default.enumerator(atPath: root) else { return false }
    let found = listing.compactMap { $0 as? String }
      .filter { $0.hasSuffix(".seg") || $0.hasSuffix(".ack") }.sorted()
    let isWhole = Int.random(in: 0..<4, using: &random) == 0
    var removed = 0
    for path in found where isWhole || Int.random(in: 0..<4, using: &random) == 0 {
      try FileManager.default.removeItem(atPath: root + "/" + path)
      removed += 1
    }
    return removed > 0
  }

  private func end(_ index: Int) async throws -> Bool {
    guard living.count > 1 else { return false }
    await close(index)
    devices[index].isDead = true
    await copier.remove(devices[index].copy)
    // Long enough for anybody to notice that it is silent.
    if Bool.random(using: &random) { time.advance(by: 400 * 86_400_000) }
    return true
  }

  private func joinLate() async throws -> Bool {
    try await join()
    return true
  }
}
