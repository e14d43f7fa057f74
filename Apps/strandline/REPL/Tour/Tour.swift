import Foundation
package import Strandline

/// A tour that explains the program by using it: two devices over a cloud in this process.
///
/// Its devices live in a temporary folder and in a zone of their own, so that neither a home nor
/// another zone of that cloud is touched.
@MainActor package final class Tour {
  /// What a person does after a command was shown.
  package enum Answer: Sendable {
    /// Run it.
    case next
    /// Go to the next chapter.
    case skip
    /// Leave.
    case leave
  }

  /// The folder of its devices.
  package var folderPath: String { folder.url.path }

  private let session: Session
  private let folder: TourFolder
  private let ask: (@MainActor () async -> Answer)?

  private init(
    session: Session, folder: TourFolder, ask: (@MainActor () async -> Answer)?
  ) {
    self.session = session
    self.folder = folder
    self.ask = ask
  }

  /// Makes the devices of a tour; without anybody to ask it plays through.
  package static func open(
    _ registry: Registry, streams: StandardStreams, color: ColorChoice,
    variables: [String: String], ask: (@MainActor () async -> Answer)?
  ) async throws -> Tour {
    guard registry.addressForms.contains(where: { $0.hasPrefix("memory") }) else {
      throw CommandError(
        "unknownTransport", "Could not begin the tour, this program has no memory transport.",
        advice: "Add .memory to the registry that the program is run with.")
    }
    let folder = try TourFolder()
    var options = Options()
    options.home = folder.url.path
    options.device = "phone"
    options.transport = "memory"
    options.zone = "tour-\(UUID().uuidString.lowercased())"
    options.color = color
    options.saysYes = true
    options.echoes = true
    let looks = variables.filter { ["TERM", "NO_COLOR"].contains($0.key) }
    let session = try await Session.open(
      options, registry: registry, streams: streams, variables: looks)
    return Tour(session: session, folder: folder, ask: ask)
  }

  /// Plays all chapters, or as many as the person wants to see, and removes the devices.
  ///
  /// - Returns: `done`, also when the person leaves early.
  package func play() async -> ExitCode {
    tell("A tour of Strandline in \(TourScript.chapters.count) chapters, about five minutes.")
    if ask != nil { tell("Enter runs what is shown, s skips the chapter, q leaves.") }
    var isLeft = false
    for (index, chapter) in TourScript.chapters.enumerated() where !isLeft {
      session.streams.writeLine("")
      session.streams.writeLine(
        session.style.heading("\(index + 1). \(chapter.title)"))
      isLeft = await play(chapter)
    }
    await close()
    if !isLeft { tell("\nThat was it. The command help lists all commands.") }
    tell("The devices of the tour are gone; your own were not touched.")
    return Task.isCancelled ? .interrupted : .done
  }

  /// Plays a chapter; of one that is skipped the rest is done unseen, since the next ones build
  /// on it.
  ///
  /// - Returns: Whether the person leaves.
  private func play(_ chapter: TourChapter) async -> Bool {
    defer { session.streams.setMuted(false) }
    for step in chapter.steps {
      await show(step)
      if Task.isCancelled || session.streams.isBroken { return true }
      if !session.streams.isMuted, let ask {
        switch await ask() {
        case .next: break
        case .skip: session.streams.setMuted(true)
        case .leave: return true
        }
      }
      await perform(step)
    }
    return false
  }

  private func show(_ step: TourStep) async {
    session.streams.writeLine("")
    session.streams.writeLine(step.text)
    session.streams.writeLine("")
    session.streams.writeLine(await Prompt(session: session).text() + step.command)
  }

  /// Runs what a step types.
  @discardableResult
  package func perform(_ step: TourStep) async -> ExitCode {
    await Interpreter(session: session).run(step.command)
  }

  /// Closes the devices and removes what they kept.
  package func close() async {
    await session.close()
    guard !folder.remove() else { return }
    session.streams.note(
      "Could not remove the folder '\(folder.url.path)' of the tour. Remove it by hand.")
  }

  private func tell(_ text: String) {
    session.streams.writeLine(text)
  }
}
