// What an app lets its store do by itself. Saving, reading and cycles that are asked for go on
// whatever is said here.
extension SyncedStore {
  /// Whether the app is in use, as it was said last.
  package var isAppActive: Bool { control.isActive }

  /// Lets no cycle begin by itself until ``resume()``; one that did is ended between two steps.
  ///
  /// It holds for this object and is not kept; the person's own switch is
  /// ``switchOn()`` and ``switchOff(purge:)``.
  public func pause() async {
    control.isPaused = true
    for engine in engines { await engine.pause() }
  }

  /// Lets cycles begin by themselves again, the first one at once.
  public func resume() async {
    control.isPaused = false
    for engine in engines { await engine.resume() }
  }

  /// Lets no cycle begin by itself while the app is not in use; one that runs goes on to its end.
  public func enterBackground() async {
    control.isActive = false
    for engine in engines { await engine.enterBackground() }
  }

  /// Lets cycles begin by themselves while the app is in use, the first one at once.
  ///
  /// That one is the safety net for whatever was missed meanwhile. It does not wait for the end of
  /// a back-off, and looks whether what blocked a peer is still so; only a wait that a peer itself
  /// asked for is kept to.
  public func becomeActive() async {
    control.isActive = true
    for engine in engines { await engine.becomeActive() }
  }
}
