import StrandlineHistory
import StrandlineModels
import StrandlineStorage

extension AppStore {
  /// Fetches anew, whatever has changed.
  ///
  /// What fails is told by ``lastReloadError`` and by the hook; the next reason tries again.
  public func reload() async {
    await take(isForced: true)
  }

  /// Looks into history for changes that touch what is shown, and fetches anew if there are any.
  public func refresh() async {
    await take(isForced: false)
  }

  /// Runs what was asked for, or waits until the reload that runs has done it too.
  private func take(isForced: Bool) async {
    guard turns.ask(isForced: isForced) else {
      return await withCheckedContinuation { waiting.append($0) }
    }
    let before = refreshCount
    while let isForced = turns.next() { await pass(isForced: isForced) }
    let done = waiting
    waiting = []
    for continuation in done { continuation.resume() }
    // After the turn, so that a hook may reload.
    if refreshCount != before { await hooks.afterReload?(content) }
  }

  private func pass(isForced: Bool) async {
    do {
      var isWanted = isForced
      if !isWanted { isWanted = try await isTouched() }
      if isWanted { try await fetchAnew() }
      try await noteProcessed()
    } catch is CancellationError {
      // Who asked is gone; the next reason fetches.
      shown = nil
    } catch {
      shown = nil
      let failure = AppStoreFailure(.reload, identifier, error)
      lastReloadError = failure
      hooks.onFailure?(failure)
    }
  }

  /// Whether something since the latest fetch touches what is shown; if not, its place moves on.
  private func isTouched() async throws -> Bool {
    guard let shown else { return true }
    let head = try await store.read { try $0.logHead() }
    if head == shown.head { return false }
    // A store that was put back shows another past.
    if head < shown.head { return true }
    let start = HistoryToken(store: store.id, sequence: shown.head)
    let end = HistoryToken(store: store.id, sequence: head)
    for one in shown.records {
      if try await store.isTouched(one, after: start, upTo: end) { return true }
    }
    if !shown.entities.isEmpty {
      do {
        let touched = try await store.touchedRecords(of: shown.entities, after: start)
        if !touched.isEmpty { return true }
      } catch let error as HistoryError where error.code == .historyExpired {
        return true
      }
    }
    self.shown?.head = head
    return false
  }

  private func fetchAnew() async throws {
    isReloading = true
    defer { isReloading = false }
    let fetch = fetch
    let (content, shown) = try await store.read { transaction in
      let reader = ShownReader(transaction)
      let content = try fetch(reader)
      return (
        content,
        Shown(
          records: reader.shown, entities: reader.entities, head: try transaction.logHead())
      )
    }
    self.content = content
    self.shown = shown
    refreshCount += 1
    lastReloadError = nil
  }

  /// Tells history up to where the changes show here.
  private func noteProcessed() async throws {
    guard let consumer, let shown, !store.isReadOnly else { return }
    let sealed = try await store.historyToken().sequence
    let place = try await store.token(of: consumer)?.sequence ?? 0
    // Rows that no transaction holds yet are noted with the next look.
    let sequence = min(sealed, shown.head)
    guard sequence > place else { return }
    try await store.save(HistoryToken(store: store.id, sequence: sequence), for: consumer)
  }
}
