import StrandlineModels
import StrandlineStatus
import Testing

@Suite struct WordingTests {
  @Test func `no sentence claims that anything is synced or up to date`() async throws {
    var sentences: [String] = []
    for var snapshot in try await snapshots() {
      for standing in [
        StatusSnapshot.Standing.off, .settingUp, .working, .caughtUp, .waiting, .blocked,
      ] {
        snapshot.standing = standing
        for style in [Wording.Style.plain, .short] {
          let wording = Wording(style)
          sentences.append(wording.standing(snapshot) { "\($0)" })
          sentences.append(wording.phase(snapshot))
        }
      }
    }

    for sentence in Set(sentences) {
      let words = sentence.lowercased()
      #expect(!words.contains("synced"), "\(sentence)")
      #expect(!words.contains("up to date"), "\(sentence)")
      #expect(!words.contains("%"), "\(sentence)")
    }
    #expect(Set(sentences).count > 15)
  }

  @Test func `each standing has a sign of its own`() {
    let all: [StatusSnapshot.Standing] = [
      .off, .settingUp, .working, .caughtUp, .waiting, .blocked,
    ]

    #expect(Set(all.map(Wording.symbol)).count == all.count)
  }

  @Test(arguments: [(1, "1 change waits to be exported."), (2, "2 changes wait to be exported.")])
  func `a count agrees with its verb`(count: Int, sentence: String) async throws {
    var snapshot = try await StatusFixture().status()
    snapshot.standing = .working
    snapshot.pendingByEntity = ["Tag": count]

    #expect(Wording().standing(snapshot) { "\($0)" } == sentence)
  }

  /// Snapshots with every phase, and with and without each thing that a sentence may mention.
  private func snapshots() async throws -> [StatusSnapshot] {
    let base = try await StatusFixture().status()
    let phases: [StatusSnapshot.Phase] = [
      .idle, .settingUp, .importing, .exporting, .failed("Could not reach it."),
    ]
    return phases.flatMap { phase in
      [false, true].map { isFull in
        var snapshot = base
        snapshot.phase = phase
        snapshot.pendingByEntity = isFull ? ["Tag": 2] : [:]
        snapshot.asOf = isFull ? 1000 : nil
        snapshot.until = isFull ? 2000 : nil
        snapshot.reason = isFull ? "Could not reach it." : nil
        snapshot.isCatchingUp = phase == .importing
        snapshot.lastSuccessfulActivity = isFull ? 1000 : nil
        snapshot.peer = isFull ? "memory" : "none"
        return snapshot
      }
    }
  }
}
