/// How long things take.
enum Rounds {
  /// The seconds that something takes.
  static func seconds<T>(
    _ body: () async throws -> T
  ) async rethrows -> (seconds: Double, result: T) {
    let start = ContinuousClock.now
    let result = try await body()
    return ((ContinuousClock.now - start) / .seconds(1), result)
  }

  /// The middle of several measurements, after one that is not counted.
  static func median(_ count: Int, _ measure: () async throws -> Double) async rethrows -> Double {
    _ = try await measure()
    var found: [Double] = []
    for _ in 0..<max(1, count) { found.append(try await measure()) }
    return percentile(found, 0.5)
  }

  /// The value below which that part of the measurements lies.
  static func percentile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}
