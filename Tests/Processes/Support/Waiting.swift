import StrandlineTestSupport

/// Waits for something that another task or process does, and fails when it does not come.
func wait(
  for what: String, until isDone: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(180)
  while ContinuousClock.now < end {
    if try await isDone() { return }
    await Task.yield()
  }
  throw SetupError(description: "Waited in vain for \(what).")
}
