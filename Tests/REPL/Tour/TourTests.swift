import Foundation
import StrandlineMemoryTransport
import StrandlineREPL
import StrandlineTransport
import Synchronization
import Testing

/// The tour, played in this process.
@MainActor struct TourTests {
  private let streams = StandardStreams.captured()
  private let registry = Registry([.memory])

  private func tour(ask: (@MainActor () async -> Tour.Answer)? = nil) async throws -> Tour {
    try await Tour.open(
      registry, streams: streams, color: .never, variables: [:], ask: ask)
  }

  private var text: String { streams.capturedOutput + streams.capturedErrors }

  @Test func `every step of the tour shows what it says`() async throws {
    let tour = try await tour()
    for chapter in TourScript.chapters {
      for step in chapter.steps {
        let (output, errors) = (streams.capturedOutput, streams.capturedErrors)
        await tour.perform(step)
        let shown =
          streams.capturedOutput.dropFirst(output.count)
          + streams.capturedErrors.dropFirst(errors.count)
        #expect(!step.shows.isEmpty)
        for claim in step.shows {
          #expect(shown.contains(claim), "\(chapter.title): \(step.command) gave \(shown)")
        }
      }
    }
    await tour.close()
    #expect(!FileManager.default.fileExists(atPath: tour.folderPath))
  }

  @Test func `played through, the tour shows each command and its answer and leaves nothing`()
    async throws
  {
    let tour = try await tour()
    #expect(FileManager.default.fileExists(atPath: tour.folderPath))

    #expect(await tour.play() == .done)

    for chapter in TourScript.chapters {
      #expect(text.contains(". \(chapter.title)\n"))
      for step in chapter.steps { #expect(text.contains("> \(step.command)\n")) }
    }
    #expect(text.contains("phone 3↑ checking> list TodoItem order by name\n#  name"))
    #expect(!FileManager.default.fileExists(atPath: tour.folderPath))
    // What fails in it fails on purpose: the cycle without a link.
    #expect(streams.capturedErrors.split(separator: "\n").count <= 2, "\(streams.capturedErrors)")
  }

  @Test func `chapters that were skipped are done unseen, so that the last one holds`()
    async throws
  {
    let asked = Mutex(0)
    let last = TourScript.chapters.count
    let tour = try await tour {
      asked.withLock { $0 += 1 }
      return asked.withLock { $0 } < last ? .skip : .next
    }

    #expect(await tour.play() == .done)

    #expect(text.contains("save TodoList title=Home"))
    #expect(!text.contains("Saved TodoList"))
    #expect(!text.contains("name=\"Buy milk\""))
    #expect(text.contains("imported by laptop"))
    #expect(asked.withLock { $0 } == last - 1 + (TourScript.chapters.last?.steps.count ?? 0))
  }

  @Test(arguments: [1, 9, 30])
  func `whoever leaves at any point leaves nothing behind`(count: Int) async throws {
    let asked = Mutex(0)
    let tour = try await tour {
      asked.withLock { $0 += 1 }
      return asked.withLock { $0 } < count ? .next : .leave
    }

    #expect(await tour.play() == .done)

    #expect(!FileManager.default.fileExists(atPath: tour.folderPath))
    #expect(!text.contains("That was it"))
    #expect(text.contains("are gone"))
  }

  @Test func `a program without the memory transport says that it has no tour`() async throws {
    await #expect(throws: CommandError.self) {
      _ = try await Tour.open(
        Registry([]), streams: streams, color: .never, variables: [:], ask: nil)
    }
  }

  @Test func `an answer is asked for until it is understood`() async {
    var answers: [LineResult] = [.line("what"), .line(" S ")]
    #expect(await TourAnswers.read(streams) { _ in answers.removeFirst() } == .skip)
    #expect(streams.capturedErrors.contains("q leaves"))
    #expect(await TourAnswers.read(streams) { _ in .line("") } == .next)
    #expect(await TourAnswers.read(streams) { _ in .line("q") } == .leave)
    #expect(await TourAnswers.read(streams) { _ in .endOfInput } == .leave)
    #expect(await TourAnswers.read(streams) { _ in .interrupted(discarded: "x") } == .leave)
  }
}
