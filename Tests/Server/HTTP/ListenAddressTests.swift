import StrandlineServer
import Testing

struct ListenAddressTests {
  @Test func `an address is read in all its forms`() {
    let expected: [(String, String, UInt16)] = [
      ("127.0.0.1:80", "127.0.0.1", 80), ("box.example:9000", "box.example", 9000),
      ("box.example", "box.example", 8321), (":9000", "127.0.0.1", 9000),
      ("9000", "127.0.0.1", 9000), ("[::1]:80", "::1", 80), ("[::1]", "::1", 8321),
      ("0.0.0.0:0", "0.0.0.0", 0),
    ]
    for (text, host, port) in expected {
      #expect(ListenAddress(text) == ListenAddress(host: host, port: port), "\(text)")
    }
    #expect(ListenAddress(host: "::1", port: 80).description == "[::1]:80")
  }

  @Test func `anything else is none`() {
    for text in ["", "host:", "host:x", "host:65536", "a:b:1", "[]:1", "[::1", "[::1]80", "::1"] {
      #expect(ListenAddress(text) == nil, "\(text)")
    }
  }

  @Test func `only this machine reaches a loopback address`() {
    for host in ["127.0.0.1", "localhost", "::1", "127.9.9.9"] {
      #expect(ListenAddress(host: host, port: 1).isLoopback)
    }
    for host in ["0.0.0.0", "::", "10.0.0.1", "localhost.example"] {
      #expect(!ListenAddress(host: host, port: 1).isLoopback)
    }
  }
}
