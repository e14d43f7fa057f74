import Foundation

/// The commands that a person wants to run before the first prompt.
struct StartFile {
  let path: String

  /// The file of this person, whether it is there or not.
  init(_ variables: [String: String]) {
    let folder =
      variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (variables["HOME"] ?? NSHomeDirectory()) + "/.config"
    path = folder + "/strandline/rc"
  }

  /// The text; nil where there is no such file.
  func read() async throws(CommandError) -> String? {
    let path = path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let result = await withCheckedContinuation { done in
      DispatchQueue.global().async {
        done.resume(returning: Result { try String(contentsOfFile: path, encoding: .utf8) })
      }
    }
    do {
      return try result.get()
    } catch {
      throw CommandError(
        "cannotRead", "Could not read the start file '\(path)'.",
        advice: "Check that it may be read and is UTF-8 text, or start with --no-rc.",
        cause: error)
    }
  }
}

extension Interpreter {
  /// Runs the start file up to its first command that fails; the prompt follows in any case.
  func runStartFile(_ file: StartFile) async {
    do {
      guard let text = try await file.read() else { return }
      for block in CommandBlocks.split(text) {
        let code = await run(block.text, file: file.path, firstLine: block.line)
        if code != .done || session.shouldQuit { return }
      }
    } catch {
      _ = fail(error)
    }
  }
}
