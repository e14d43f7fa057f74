public import StrandlineTransport

extension TransportKind {
  /// Clouds in this process; `memory` is one, `memory:NAME` any number of others.
  public static var memory: TransportKind { .memory(.shared) }

  /// The given cloud and the named ones beside it.
  public static func memory(_ cloud: MemoryCloud) -> TransportKind {
    TransportKind(name: "memory", addressForm: "memory[:NAME]") {
      (configuration) throws(TransportError) in
      MemoryTransport(cloud: cloud.named(configuration.specification.address))
    }
  }
}
