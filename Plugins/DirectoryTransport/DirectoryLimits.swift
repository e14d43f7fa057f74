package import StrandlineTransport

/// What the transport takes and writes at most.
package struct DirectoryLimits: Hashable, Sendable {
  /// What the engine is told.
  package var transport: TransportLimits
  /// How many bytes of changes one file should hold; larger groups have several files.
  package var partBytes: Int
  /// The greatest size of a segment file that is read.
  package var fileBytes: Int

  /// Sets limits.
  package init(
    transport: TransportLimits = TransportLimits(), partBytes: Int = 8 << 20,
    fileBytes: Int = 64 << 20
  ) {
    self.transport = transport
    self.partBytes = partBytes
    self.fileBytes = fileBytes
  }
}

/// The steps of publishing one file, in their order.
package enum WriteStep: Hashable, Sendable, CaseIterable {
  /// Nothing has been done yet.
  case begun
  /// The content stands under a temporary name.
  case written
  /// The content is on the disk.
  case synced
  /// The file has its name.
  case renamed
}

/// Is told of each step of publishing a file, and may stop it there as a failure would.
package typealias WriteObserver = @Sendable (WriteStep, String) throws(TransportError) -> Void
