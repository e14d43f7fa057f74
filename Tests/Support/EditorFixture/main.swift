import Foundation
import StrandlineREPL
import Synchronization

// A program around the line editor that tests drive through a pseudo-terminal. It prints each
// line that it got, and prints above the line when a command in its control pipe says so.
//
//     EditorFixture [HISTORY-FILE]
//
// Standard error is not used for output; a control file named by EDITOR_FIXTURE_CONTROL is read
// line by line: `print TEXT` prints above, `prompt TEXT` changes the prompt, `cancel` cancels the
// reader that the line "read" started.

var configuration = LineEditorConfiguration(programName: "fixture")
if CommandLine.arguments.count > 1 {
  configuration.history = HistoryFile(URL(fileURLWithPath: CommandLine.arguments[1]))
}
configuration.needsMore = { $0.hasSuffix("\\") }
configuration.complete = { line, cursor in
  let words = ["list", "listen", "status", "sync", "名前"]
  let before = line.prefix(cursor)
  let word = before.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
  let found = words.filter { $0.hasPrefix(word) }.map { Completion.Candidate($0) }
  return Completion(candidates: found, range: before.count - word.count..<before.count)
}

let reader = Mutex<Task<LineResult, Never>?>(nil)
let editor = try await LineEditor.open(configuration)

if let path = ProcessInfo.processInfo.environment["EDITOR_FIXTURE_CONTROL"] {
  Thread {
    guard let file = fopen(path, "r") else { return }
    var line = [CChar](repeating: 0, count: 65_536)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let command = text.dropLast()
      if command.hasPrefix("print ") { editor.printAbove(String(command.dropFirst(6))) }
      if command == "cancel" { reader.withLock { $0?.cancel() } }
      if command.hasPrefix("prompt ") { editor.updatePrompt(String(command.dropFirst(7))) }
    }
    fclose(file)
  }.start()
}

let output = StandardStreams.standard

/// Runs until an interrupt arrives, as a long command would.
func wait() async {
  output.write("waiting\n")
  for await _ in editor.interrupts {
    output.write("cancelled\n")
    return
  }
}

reading: while true {
  switch await editor.readLine(prompt: "名> ") {
  case .line("wait"): await wait()
  case .line("ask"):
    let answer = await editor.readLine(prompt: "sure? ", isAnswer: true)
    output.write("answer \(answer)\n")
  case .line("read"):
    let task = Task { await editor.readLine(prompt: "reader> ") }
    reader.withLock { $0 = task }
    output.write("read \(await task.value)\n")
  case .line("shell"):
    await editor.withTerminalReleased {
      do {
        let status = try await ForegroundProcess.run(["sh", "-c", "read line; echo shell $line"])
        output.write("status \(status)\n")
      } catch {
        output.write("\(error)\n")
      }
    }
  case .line(let line): output.write("got [\(line.replacing("\n", with: "/"))]\n")
  case .interrupted(let discarded): output.write("interrupted [\(discarded)]\n")
  case .endOfInput:
    output.write("bye\n")
    break reading
  }
}
await editor.close()
