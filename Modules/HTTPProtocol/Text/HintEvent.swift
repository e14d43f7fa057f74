import StrandlineModels
package import StrandlineTransport

/// That something changed in a zone, as an event of the stream of hints.
///
/// It is a reason to fetch and claims nothing: a reader that missed some, or got one twice, is
/// as well off. The number behind `id` goes back to the server as `Last-Event-ID`.
package struct HintEvent: Hashable, Sendable {
  /// A number that stands for the places of all the account's zones, for `Last-Event-ID`.
  ///
  /// It outlives the server's process, and says nothing of an order.
  package var number: Int64
  /// The zone that changed.
  package var zone: ZoneID
  /// The zone's incarnation.
  package var incarnation: Int64
  /// The zone's sequence after the change.
  package var sequence: Int64
  /// Who caused it; nil where it is not known.
  package var device: String?

  /// Describes a change.
  package init(
    number: Int64, zone: ZoneID, incarnation: Int64, sequence: Int64, device: String? = nil
  ) {
    self.number = number
    self.zone = zone
    self.incarnation = incarnation
    self.sequence = sequence
    self.device = device
  }

  /// The event's name in the stream.
  package static let name = "change"

  /// The event as it stands in the stream.
  package var text: String {
    var members: [JSONValue.Member] = [
      .init("zone", .string(zone.rawValue)), .init("incarnation", .integer(incarnation)),
      .init("sequence", .integer(sequence)),
    ]
    if let device { members.append(.init("device", .string(device))) }
    return "event: \(Self.name)\nid: \(number)\ndata: \(JSONValue.object(members).text)\n\n"
  }

  /// Reads an event of the stream; nil where it is another one or makes no sense.
  package init?(_ event: ServerEvent) {
    guard event.name == Self.name, let json = try? JSONValue(parsing: event.data),
      let zone = json["zone"]?.string, let incarnation = json["incarnation"]?.integer,
      let sequence = json["sequence"]?.integer
    else { return nil }
    self.init(
      number: event.id.flatMap { Int64($0) } ?? 0, zone: ZoneID(rawValue: zone),
      incarnation: incarnation, sequence: sequence, device: json["device"]?.string)
  }
}
