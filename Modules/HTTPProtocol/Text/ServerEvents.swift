/// One event of a stream of server-sent events, as the HTML standard defines them.
package struct ServerEvent: Hashable, Sendable {
  /// The event's name; `message` where the stream gives none.
  package var name: String
  /// The last id that the stream has given.
  package var id: String?
  /// The data, lines joined by line feeds.
  package var data: String

  /// Makes an event.
  package init(name: String, id: String? = nil, data: String) {
    self.name = name
    self.id = id
    self.data = data
  }
}

/// Reads server-sent events from bytes that come in any portions.
///
/// Comments, such as keep-alives, yield nothing. A line or an event that is longer than the bound
/// is left out, so that no stream can fill the memory.
package struct ServerEventReader: Sendable {
  private let bound: Int
  private var line: [UInt8] = []
  private var lineIsTooLong = false
  private var lastWasReturn = false
  private var name = ""
  private var data: [String] = []
  private var dataBytes = 0
  private var eventIsTooLong = false
  private var isAtStart = true
  private var id: String?

  /// Starts at the beginning of a stream.
  ///
  /// - Parameter bound: The greatest size of one event in bytes.
  package init(bound: Int = 64 << 10) {
    self.bound = bound
  }

  /// Reads some bytes more and returns the events that end in them.
  package mutating func read(_ bytes: some Sequence<UInt8>) -> [ServerEvent] {
    var events: [ServerEvent] = []
    for byte in bytes {
      let followsReturn = lastWasReturn
      lastWasReturn = byte == 0x0D
      switch byte {
      case 0x0A where followsReturn: continue
      case 0x0A, 0x0D: if let event = endLine() { events.append(event) }
      default:
        if line.count < bound { line.append(byte) } else { lineIsTooLong = true }
      }
    }
    return events
  }

  private mutating func endLine() -> ServerEvent? {
    defer {
      line.removeAll(keepingCapacity: true)
      lineIsTooLong = false
      isAtStart = false
    }
    if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if lineIsTooLong {
      eventIsTooLong = true
      return nil
    }
    if line.isEmpty { return endEvent() }
    let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : []
    if value.first == 0x20 { value.removeFirst() }
    take(String(decoding: parts[0], as: UTF8.self), String(decoding: value, as: UTF8.self))
    return nil
  }

  private mutating func take(_ field: String, _ value: String) {
    switch field {
    case "event": name = value
    case "id": if !value.contains("\0") { id = value }
    case "data":
      dataBytes += value.utf8.count + 1
      if dataBytes > bound { eventIsTooLong = true } else { data.append(value) }
    default: break
    }
  }

  private mutating func endEvent() -> ServerEvent? {
    defer {
      name = ""
      data = []
      dataBytes = 0
      eventIsTooLong = false
    }
    guard !data.isEmpty, !eventIsTooLong else { return nil }
    return ServerEvent(
      name: name.isEmpty ? "message" : name, id: id, data: data.joined(separator: "\n"))
  }
}
