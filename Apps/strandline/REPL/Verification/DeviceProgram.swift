import Foundation
import Strandline

/// The program as a device of a verification.
///
/// Tasks come on standard input and answers go to standard output, a line of JSON each. It ends with
/// its input.
@MainActor enum DeviceProgram {
  /// Runs until the input ends.
  ///
  /// - Returns: The exit code.
  static func run(_ registry: Registry, streams: StandardStreams) async -> ExitCode {
    let device = VerifiedDevice(registry: registry)
    let decoder = JSONDecoder()
    let encoder = JSONEncoder()
    for await line in inputLines() {
      var answer: DeviceAnswer
      do {
        answer = await device.answer(
          try decoder.decode(DeviceTask.self, from: Data(line.utf8)))
      } catch {
        answer = .failed(
          GateFailure(
            "unknownTask", "Could not read the task, \(error).",
            advice: "This is for strandline verify, which starts devices itself."))
      }
      do {
        streams.writeLine(String(decoding: try encoder.encode(answer), as: UTF8.self))
      } catch {
        streams.note("Could not write the answer, \(error).")
        await device.close()
        return .failed
      }
    }
    await device.close()
    return .done
  }

  /// The lines of standard input, read by a thread of its own, since reading blocks.
  private static func inputLines() -> AsyncStream<String> {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    Thread {
      while let text = readLine(strippingNewline: true) { line.yield(text) }
      line.finish()
    }.start()
    return lines
  }
}
