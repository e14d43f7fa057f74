import Foundation

/// A device that is a process of its own: this same program with the word ``word``.
@MainActor final class ProcessDriver: DeviceDriver {
  /// What the program is started with to be a device.
  nonisolated static let word = "verify-device"

  let name: String
  private let process: SpawnedProcess
  /// Whether no answer can be trusted any more to belong to the task that was given last.
  private var isLost = false

  init(_ name: String) throws(GateFailure) {
    self.name = name
    process = try SpawnedProcess(Self.program, arguments: [Self.word])
  }

  /// The file of this program; the kernel's own name for it holds after an upgrade, too.
  private static var program: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }

  func ask(_ task: DeviceTask) async throws -> DeviceAnswer {
    guard !isLost else { throw GateFailure.ended(name) }
    isLost = true
    guard process.write(try Self.line(of: task)) else { throw GateFailure.ended(name) }
    let line = try await nextLine()
    guard let line else {
      try Task.checkCancellation()
      throw GateFailure.ended(name)
    }
    isLost = false
    return try JSONDecoder().decode(DeviceAnswer.self, from: Data(line.utf8))
  }

  /// The next line; the process is ended where none comes in time, which ends its lines.
  private func nextLine() async throws -> String? {
    let process = process
    let isLate = LateFlag()
    let guardian = Task {
      do { try await ContinuousClock().sleep(for: .seconds(DeviceTask.seconds)) } catch { return }
      isLate.isSet = true
      process.kill()
    }
    defer { guardian.cancel() }
    let line = await process.lines.next()
    if line == nil, isLate.isSet {
      throw GateFailure.silent("device \(name)", seconds: DeviceTask.seconds)
    }
    return line
  }

  @MainActor private final class LateFlag {
    var isSet = false
  }

  private static func line(of task: DeviceTask) throws -> String {
    String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
  }

  func kill() async {
    isLost = true
    process.kill()
    await ended()
  }

  func end() async {
    if isLost {
      process.kill()
    } else {
      // It closes its store at the end of its input, and ends.
      process.closeInput()
    }
    await ended()
  }

  /// Waits for the end of the process, also where this task is cancelled.
  private func ended() async {
    let process = process
    await Task {
      let guardian = Task {
        do { try await ContinuousClock().sleep(for: .seconds(10)) } catch { return }
        process.kill()
      }
      while await process.lines.next() != nil {}
      guardian.cancel()
    }.value
    process.closeInput()
  }
}
