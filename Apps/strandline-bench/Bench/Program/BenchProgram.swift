import Foundation
import StrandlineModels

/// The program.
package enum BenchProgram {
  /// Runs it with the words after its name.
  ///
  /// - Returns: The exit code: 1 where a row could not be measured, 2 where the words are refused or
  ///   this is no release build.
  package static func run(_ words: [String]) async -> Int32 {
    let options: BenchOptions
    do throws(BenchOptions.Refusal) {
      options = try BenchOptions(words, rows: Row.all.map(\.name))
    } catch {
      Console.note(error.message)
      return 2
    }
    switch options.task {
    case .help: Console.print(BenchOptions.usage)
    case .list:
      for row in Row.all {
        Console.print(row.name.padding(toLength: 20, withPad: " ", startingAt: 0) + row.summary)
      }
    case .measure: return await measure(options)
    }
    return 0
  }

  private static func measure(_ options: BenchOptions) async -> Int32 {
    guard !isDebugBuild else {
      Console.note(
        "Could not measure, this is a debug build, whose speed means nothing. Build it with "
          + "'swift build -c release'.")
      return 2
    }
    let workshop: Workshop
    do {
      workshop = try Workshop()
    } catch {
      Console.note("Could not make a temporary folder, \(error).")
      return 1
    }
    defer { workshop.remove() }
    let run = BenchRun(options: options, workshop: workshop, scenes: Scenes(workshop))
    introduce(options)
    var isWhole = true
    for row in Row.all where options.only.isEmpty || options.only.contains(row.name) {
      do {
        for figure in try await row.measure(run) { show(figure, options) }
      } catch {
        isWhole = false
        Console.note("\(row.name): \(error)")
      }
    }
    await run.scenes.close()
    return isWhole ? 0 : 1
  }

  private static func introduce(_ options: BenchOptions) {
    let memory = Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824
    let size =
      "\(FigureTable.number(Double(options.records))) records, the largest zone "
      + FigureTable.number(Double(options.mostRecords))
    Console.note(
      "\(ProcessInfo.processInfo.activeProcessorCount) cores, \(FigureTable.number(memory)) GiB of "
        + "memory; \(options.isShort ? "short" : "full") run: \(size), median of "
        + "\(options.rounds) rounds.")
    if !options.isJSON { Console.print(FigureTable.heading) }
  }

  private static func show(_ figure: Figure, _ options: BenchOptions) {
    Console.print(options.isJSON ? figure.json.text : FigureTable.line(figure))
  }

  private static var isDebugBuild: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}
