import StrandlineModels

/// Runs reads on a few connections of their own, which never wait for the writer.
actor ReaderPool {
  private var idle: [Reader]
  private var waiting: [CheckedContinuation<Reader, Never>] = []

  /// Opens the connections, but for the first, which is open already and is used first.
  init(
    path: String, first: sending ReadSource, catalog: Catalog, count: Int, isReadOnly: Bool
  ) throws {
    idle = try (1..<max(1, count)).map {
      Reader(try ReadSource(path: path, isReadOnly: isReadOnly), catalog: catalog, number: $0)
    }
    idle.append(Reader(first, catalog: catalog, number: 0))
  }

  nonisolated func read<T: Sendable>(
    _ body: @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    let reader = await take()
    do {
      let result = try await reader.read(body)
      await put(reader)
      return result
    } catch {
      await put(reader)
      throw error
    }
  }

  private func take() async -> Reader {
    if let reader = idle.popLast() { return reader }
    return await withCheckedContinuation { waiting.append($0) }
  }

  private func put(_ reader: Reader) {
    if waiting.isEmpty {
      idle.append(reader)
    } else {
      waiting.removeFirst().resume(returning: reader)
    }
  }
}

/// One read connection on a queue of its own.
actor Reader {
  private let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let source: ReadSource
  private let catalog: Catalog

  init(_ source: sending ReadSource, catalog: Catalog, number: Int) {
    executor = QueueExecutor(label: "strandline.reader.\(number)")
    self.source = source
    self.catalog = catalog
  }

  /// Runs the body on one snapshot.
  func read<T: Sendable>(_ body: @Sendable (ReadTransaction) throws -> T) throws -> T {
    try source.read { connection in
      try connection.execute("BEGIN")
      defer {
        // A read transaction that cannot be ended ends with its connection.
        _ = try? connection.execute("ROLLBACK")
      }
      return try body(ReadTransaction(connection: connection, catalog: catalog))
    }
  }
}
