import CMicroHTTPD
import Foundation

// What the library calls. The front end stands behind `context`, a connection behind the socket's
// own pointer, and a request behind its own; each is retained for as long as the library has it.

private func frontEnd(_ context: UnsafeMutableRawPointer?) -> HTTPFrontEnd? {
  context.map { Unmanaged<HTTPFrontEnd>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(_ handle: OpaquePointer) -> HTTPConnection? {
  strand_http_context(handle).map {
    Unmanaged<HTTPConnection>.fromOpaque($0).takeUnretainedValue()
  }
}

func acceptConnection(
  _ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t
) -> MHD_Result {
  frontEnd(context)?.isStopping ?? true ? strand_http_no : strand_http_yes
}

func connectionChanged(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
  _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ change: MHD_ConnectionNotificationCode
) {
  guard let front = frontEnd(context), let handle, let socketContext else { return }
  if change == strand_http_started {
    let made = front.connectionStarted(handle)
    socketContext.pointee = Unmanaged.passRetained(made).toOpaque()
  } else if let pointer = socketContext.pointee {
    socketContext.pointee = nil
    let ended = Unmanaged<HTTPConnection>.fromOpaque(pointer).takeRetainedValue()
    ended.socketCloses()
    front.connections.remove(ended)
  }
}

func requestBegan(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let front = frontEnd(context), let handle, let target else { return nil }
  connection(handle)?.requestBegan(String(cString: target), at: front.options.now())
  return nil
}

func requestCompleted(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
  _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ reason: MHD_RequestTerminationCode
) {
  guard let front = frontEnd(context), let pointer = request?.pointee else { return }
  request?.pointee = nil
  front.completed(Unmanaged<HTTPExchange>.fromOpaque(pointer).takeRetainedValue())
}

func handleRequest(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>?,
  _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let front = frontEnd(context), let handle, let request, let uploadSize,
    let connection = connection(handle), let method, let version
  else { return strand_http_no }
  if let pointer = request.pointee {
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeUnretainedValue()
    let bytes = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
    uploadSize.pointee = 0
    return front.goOn(with: exchange, handle, bytes)
  }
  let exchange = HTTPExchange(connection: connection, handle: handle, began: .now)
  request.pointee = Unmanaged.passRetained(exchange).toOpaque()
  let head = RequestHead(
    method: String(cString: method), target: connection.takeTarget() ?? "",
    version: String(cString: version), headers: headers(of: handle),
    byteCount: strand_http_head_size(handle))
  return front.begin(exchange, handle, head)
}

/// What is read of a request's headers.
private final class HeaderList {
  var all: [(name: String, value: String)] = []
}

private func headers(of handle: OpaquePointer) -> [(name: String, value: String)] {
  let list = HeaderList()
  let visit: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
    guard let context, let name else { return strand_http_yes }
    let list = Unmanaged<HeaderList>.fromOpaque(context).takeUnretainedValue()
    list.all.append((text(name, nameSize), value.map { text($0, valueSize) } ?? ""))
    return strand_http_yes
  }
  withExtendedLifetime(list) {
    _ = MHD_get_connection_values_n(
      handle, strand_http_header_kind, visit, Unmanaged.passUnretained(list).toOpaque())
  }
  return list.all
}

private func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
  String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
}
