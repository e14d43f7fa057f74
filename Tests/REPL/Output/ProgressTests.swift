import StrandlineREPL
import Synchronization
import Testing

@Suite struct ProgressTests {
  private final class Desk: Sendable {
    let time = Mutex<UInt64>(0)
    let told = Mutex<[String]>([])

    func progress() -> Progress {
      Progress(
        now: { self.time.withLock { $0 } },
        tell: { verb, done, total in
          self.told.withLock { $0.append("\(verb) \(done) of \(total ?? -1)") }
        })
    }
  }

  @Test func `work of less than a second is told nothing about`() throws {
    let desk = Desk()
    let progress = desk.progress()

    progress.begin("Saved", total: 1000)
    desk.time.withLock { $0 = 999_000_000 }
    for _ in 0..<1000 { try progress.advance() }

    #expect(desk.told.withLock { $0 }.isEmpty)
  }

  @Test func `longer work is told once a second`() throws {
    let desk = Desk()
    let progress = desk.progress()

    progress.begin("Checked", total: 256)
    desk.time.withLock { $0 = 1_100_000_000 }
    for _ in 0..<128 { try progress.advance() }
    progress.begin("Saved")
    desk.time.withLock { $0 = 2_200_000_000 }
    for _ in 0..<64 { try progress.advance() }

    #expect(desk.told.withLock { $0 } == ["Checked 64 of 256", "Saved 64 of -1"])
  }

  @Test func `the first step after cancelling ends the work`() throws {
    let progress = Desk().progress()

    try progress.advance()
    progress.cancel()

    #expect(throws: CancellationError.self) { try progress.advance() }
  }
}
