import StrandlineTransport

/// What a zone's folder may turn out to be.
extension DirectoryWorker {
  /// Two zones that were used apart were put into one folder.
  func twoZones(_ name: String) -> TransportError {
    TransportError(
      .zoneReplaced,
      "Could not use the zone '\(name)' in the folder '\(root)', two zones that several devices "
        + "use lie there in one place.",
      advice: "Move the files of one of them to a folder of its own.", remedy: .ask)
  }

  /// A zone that was there is not.
  func missing(_ what: String) -> TransportError {
    TransportError(
      .zoneNotFound,
      "Could not use \(what) in the folder '\(root)', nothing of it is there although this store "
        + "has synced there before.",
      advice: "Connect the right disk or share, or choose to start anew in this folder.",
      remedy: .ask)
  }

  /// Another zone stands where the known one was.
  func replaced(_ name: String) -> TransportError {
    TransportError(
      .zoneReplaced,
      "Could not use the zone '\(name)' in the folder '\(root)', another zone of that name lies "
        + "there.",
      advice: "Connect the right disk or share, or choose to switch to that zone.", remedy: .ask)
  }

  /// The zone's space file is on its way.
  func notArrived(_ name: String) -> TransportError {
    TransportError(
      .unreachable,
      "Could not use the zone '\(name)' in the folder '\(root)', its space file has not arrived "
        + "whole yet.",
      advice: "Wait until all files have been copied there.",
      remedy: .retry(afterMilliseconds: nil))
  }
}
