/// Decides when reloads run: one at a time, and once more for what was asked for meanwhile.
///
///     idle ──ask──▶ running ──finish, nothing asked──▶ idle
///                   │     ▲
///                  ask    └──finish, asked meanwhile
struct ReloadTurns {
  /// Whether a reload runs.
  private(set) var isRunning = false
  private var isWanted = false
  private var isForced = false

  /// Asks for a reload.
  ///
  /// - Parameter isForced: Whether it is to fetch even where nothing of what is shown changed.
  /// - Returns: Whether the caller is to run it; else the one that runs goes on with it.
  mutating func ask(isForced: Bool) -> Bool {
    isWanted = true
    self.isForced = self.isForced || isForced
    if isRunning { return false }
    isRunning = true
    return true
  }

  /// Takes what was asked for; nil where nothing was, which ends the turn.
  mutating func next() -> Bool? {
    guard isWanted else {
      isRunning = false
      return nil
    }
    defer { (isWanted, isForced) = (false, false) }
    return isForced
  }
}
