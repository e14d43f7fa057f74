import Foundation
import StrandlineTestSupport

/// Certificates that a test makes with the `openssl` command.
struct CertificateMaker {
  let folder: TemporaryFolder

  /// Makes a certificate that signs itself, valid now or years ago.
  func make(_ name: String, for host: String, isExpired: Bool = false) async throws {
    try await run(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=Strandline test \(name)",
      "-addext", "subjectAltName=\(host)", "-addext", "basicConstraints=critical,CA:true")
    try folder.write(
      """
      [ca]
      default_ca = default
      [default]
      database = \(name).index
      new_certs_dir = .
      serial = \(name).serial
      default_md = sha256
      policy = any
      copy_extensions = copy
      [any]
      commonName = supplied
      """, to: name + ".cnf")
    try folder.write("", to: name + ".index")
    try folder.write("01\n", to: name + ".serial")
    let end = isExpired ? "20010101000000Z" : "20991231000000Z"
    try await run(
      "ca", "-batch", "-selfsign", "-notext", "-config", name + ".cnf", "-keyfile", name + ".key",
      "-in", name + ".csr", "-out", name + ".pem", "-startdate", "20000101000000Z", "-enddate",
      end)
  }

  /// Starts a server that shows a certificate and answers with the files below its folder.
  func serve(_ name: String) async throws -> (process: Running, port: Int) {
    let process = try openssl(
      "s_server", "-accept", "127.0.0.1:0", "-cert", name + ".pem", "-key", name + ".key", "-HTTP"
    ).start()
    let pause = Duration.milliseconds(20)
    for _ in 0..<3000 {
      // It says which port it was given.
      if let match = try process.printed().firstMatch(of: /ACCEPT [^\n]*:(\d+)\n/),
        let port = Int(match.1)
      {
        return (process, port)
      }
      try await Task.sleep(for: pause)
    }
    process.kill()
    throw CocoaError(.executableLoad)
  }

  private func run(_ arguments: String...) async throws {
    let outcome = try await openssl(arguments).run()
    guard outcome.code == 0 else {
      throw CocoaError(
        .executableLoad, userInfo: [NSLocalizedDescriptionKey: outcome.error])
    }
  }

  private func openssl(_ arguments: String...) -> ChildProcess { openssl(arguments) }

  private func openssl(_ arguments: [String]) -> ChildProcess {
    ChildProcess(folder: folder, executable: "openssl", arguments: arguments)
  }
}
