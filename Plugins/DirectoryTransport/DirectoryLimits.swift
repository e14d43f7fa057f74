package import StrandlineTransport

/// What the transport takes and writes at most.
package struct DirectoryLimits: Hashable, Sendable {
  /// What the engine is told.
  package var transport: TransportLimits
  /// How many bytes of changes one file should hold; larger groups have several files.
  package var partBytes: Int
  /// The greatest size of a segment file that is read.
  package var fileBytes: Int
  /// How far ahead of the own clock a stamp may lie, in milliseconds: clocks of devices that nobody
  /// compares with each other are seldom a day apart.
  package var futureMilliseconds: Int64 = 86_400_000
  /// How many groups of a device may stand behind its last large one before they become one.
  package var looseGroups = 8
  /// After how long a few of them become one, in milliseconds.
  package var closeAfter: Int64 = 3_600_000
  /// How long a file stays that was replaced while not all have read it, in milliseconds: what
  /// replaces it has to arrive first.
  package var replacedStays: Int64 = 600_000
  /// How long what was read of a writer may be missing before somebody who has it offers it, in
  /// milliseconds.
  package var lackPatience: Int64 = 3_600_000
  /// How long a group waits for what its writer had read, in milliseconds.
  package var waitPatience: Int64 = 86_400_000
  /// After how long a silent device is retired, in milliseconds.
  package var retiresAfter: Int64 = 180 * 86_400_000

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
