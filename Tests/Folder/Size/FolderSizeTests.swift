import Foundation
import Testing

/// A folder does not grow with the number of edits, only with what its devices hold.
@Suite(.timeLimit(.minutes(240))) struct FolderSizeTests {
  /// How much a folder may hold for each device: so many times its live data, and a bit more.
  private static let factor = 3
  private static let constantBytes = 16 << 10
  private static let filesOfWriter = 24

  private func expectBounded(_ measure: FolderMeasure) {
    print(measure)
    #expect(
      measure.peakBytes
        <= measure.devices * (Self.factor * measure.liveBytes + Self.constantBytes),
      "\(measure)")
    #expect(measure.filesOfWriter <= Self.filesOfWriter, "\(measure)")
    #expect(
      measure.peakFiles <= measure.devices * (Self.filesOfWriter + 1) + 8, "\(measure)")
  }

  @Test(arguments: [1, 3])
  func `five thousand edits of a hundred records leave a folder of their size`(
    devices: Int
  ) async throws {
    expectBounded(
      try await FolderMeasure.run(devices: devices, edits: 5_000, records: 100, interval: 20))
  }

  @Test(
    .enabled("make soak measures this") {
      ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] != nil
    }, arguments: [1, 3])
  func `a hundred thousand edits of a thousand records leave a folder of their size`(
    devices: Int
  ) async throws {
    expectBounded(
      try await FolderMeasure.run(devices: devices, edits: 100_000, records: 1_000, interval: 25))
  }
}
