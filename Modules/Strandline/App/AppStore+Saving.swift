public import StrandlineStorage

extension AppStore {
  /// Saves changes as one transaction, and shows them before it returns.
  ///
  /// A save is local: it waits for nothing but the store.
  ///
  /// - Parameter body: The changes; when it throws, nothing is changed.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, and errors of the store. The same is told by
  ///   ``lastSaveError`` and the hook.
  @discardableResult
  public func save<T: Sendable>(
    _ body: @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    let result: T
    do {
      result = try await store.write(context: identifier, body)
    } catch {
      let failure = AppStoreFailure(.save, identifier, error)
      lastSaveError = failure
      hooks.onFailure?(failure)
      throw error
    }
    lastSaveError = nil
    await hooks.afterSave?()
    await refresh()
    return result
  }
}
